/** Actions that answer yes or no about a stream's value at a time: the questions of prediction markets. */

import { actionError, writerError } from '../errors.ts'
import { numericText } from '../numeric.ts'
import { requireStream } from '../queries/access.ts'
import { readRecords } from '../queries/series.ts'
import { endOfTime, latestEvent } from '../state/events.ts'
import { type Action, type ActionContext, type ArgumentsOf, locator, table, view } from './action.ts'

const subject = { ...locator, timestamp: 'INT8' } as const

/** The stream and the time of a question, and the height that it is read at. */
type Subject = ArgumentsOf<typeof subject & { readonly frozen_at: 'INT8' }>

/** The age of a value that still counts, in seconds. */
const lookback = 86_400n

/** The network's actions that markets are settled by. */
export const thresholdActions: readonly Action[] = [
  // The network's refusal names the provider in one of these two.
  question('price_above_threshold', { threshold: 'NUMERIC(36,18)' }, (context, args) => {
    const threshold = required(args.threshold, 'threshold')
    return valueAt(context, args, `. Data provider: ${(args.data_provider ?? '').toLowerCase()}`) > threshold
  }),
  question('price_below_threshold', { threshold: 'NUMERIC(36,18)' }, (context, args) => {
    const threshold = required(args.threshold, 'threshold')
    return valueAt(context, args) < threshold
  }),
  question('value_in_range', { min_value: 'NUMERIC(36,18)', max_value: 'NUMERIC(36,18)' }, (context, args) => {
    const least = required(args.min_value, 'min_value')
    const most = required(args.max_value, 'max_value')
    if (least > most) {
      throw actionError(`Invalid range: min_value (${numericText(least)}) > max_value (${numericText(most)})`)
    }
    const value = valueAt(context, args)
    return value >= least && value <= most
  }),
  question('value_equals', { target: 'NUMERIC(36,18)', tolerance: 'NUMERIC(36,18)' }, (context, args) => {
    const target = required(args.target, 'target')
    const tolerance = args.tolerance ?? 0n
    if (tolerance < 0n) throw actionError(`Tolerance cannot be negative: ${numericText(tolerance)}`)
    const difference = valueAt(context, args) - target
    return difference <= tolerance && difference >= -tolerance
  }),
]

/** Declares a question with its bounds between the time that it asks about and the height that it is read at. */
function question<const B extends Readonly<Record<string, 'NUMERIC(36,18)'>>>(
  name: string,
  bounds: B,
  answer: (context: ActionContext, args: Subject & ArgumentsOf<B>) => boolean,
): Action {
  const parameters = { ...subject, ...bounds, frozen_at: 'INT8' } as const
  return view(name, parameters, table({ result: 'BOOLEAN' }), (context, args) => {
    // The shape is the one above, which holds B and the subject.
    const given = args as unknown as Subject & ArgumentsOf<B>
    assertDue(context, given.timestamp)
    return [[answer(context, given)]]
  })
}

/** Asks whether a question's time has come. The network's action may write, so a read is refused at any time. */
function assertDue({ txId, blockTime }: ActionContext, timestamp: bigint | null): void {
  if (txId === '') throw writerError('validate_not_before_timestamp')
  const target = required(timestamp, 'timestamp')
  if (BigInt(blockTime) >= target) return
  throw actionError(`Cannot resolve market before target timestamp. Current: ${blockTime}, Target: ${target}`)
}

function required(value: bigint | null, name: string): bigint {
  if (value !== null) return value
  throw actionError(`${name} is required`)
}

/**
 * The value that answers: the latest one stored in the day before the time, readable by all; else the last row of a
 * read of that day, which composed streams and older values need and the caller must be allowed. Without a value the
 * network's text ends in `suffix`.
 */
function valueAt(context: ActionContext, args: Subject, suffix = ''): bigint {
  const stream = requireStream(context, args.data_provider, args.stream_id)
  const frozenAt = args.frozen_at ?? endOfTime
  const until = args.timestamp ?? 0n
  const from = until - lookback
  const stored = latestEvent(context.store, stream.ref, until, Number(frozenAt))
  if (stored !== undefined && stored.time >= from) return stored.value
  const access = { store: context.store, budget: context.budget, wallet: context.caller.toLowerCase() }
  const last = readRecords(access, stream, { from, to: until, frozenAt }).at(-1)
  if (last !== undefined) return last.value
  throw actionError(`No data found for stream ${args.stream_id} at timestamp ${until}${suffix}`)
}
