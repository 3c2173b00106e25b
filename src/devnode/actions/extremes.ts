/** Actions that find the highest and the lowest value of a stream in a window. */

import { assertReader, requireStream } from '../queries/access.ts'
import { chargeRows, heightLimit, lowerBound, type SeriesRow, upperBound } from '../queries/reader.ts'
import { readRecords } from '../queries/series.ts'
import { eventsBetween } from '../state/events.ts'
import type { Stream } from '../state/streams.ts'
import { type Action, type ActionContext, type ArgumentsOf, locator, table, view } from './action.ts'
import { missingStreamText, toSpan } from './checks.ts'

const parameters = { ...locator, from: 'INT8', to: 'INT8', frozen_at: 'INT8' } as const

type WindowArguments = ArgumentsOf<typeof parameters>

/** The network's actions on the extremes of a series. */
export const extremeActions: readonly Action[] = [
  extreme('get_high_value', (value, best) => value > best),
  extreme('get_low_value', (value, best) => value < best),
]

/** Declares the action that gives the first row whose value is better than that of every other. */
function extreme(name: string, isBetter: (value: bigint, best: bigint) => boolean): Action {
  return view(name, parameters, table({ event_time: 'INT8', value: 'NUMERIC(36,18)' }), (context, args) => {
    const stream = requireStream(context, args.data_provider, args.stream_id, missingStreamText(context))
    let best: SeriesRow | undefined
    for (const row of readRows(context, stream, args)) {
      if (best === undefined || isBetter(row.value, best.value)) best = row
    }
    return best === undefined ? [] : [[best.time, best.value]]
  })
}

/** A primitive stream's own values in the window, without the one before it; a composed stream as it is read. */
function readRows(context: ActionContext, stream: Stream, args: WindowArguments): Iterable<SeriesRow> {
  const window = { ...toSpan(args.from, args.to), frozenAt: args.frozen_at ?? undefined }
  const access = { store: context.store, budget: context.budget, wallet: context.caller.toLowerCase() }
  if (stream.type === 'composed') {
    const rows = readRecords(access, stream, window)
    // Today's network compares each value with null there, finds none better, and so answers nothing.
    return context.profile.answers === 'current' ? [] : rows
  }
  assertReader(access, stream)
  const range = { first: lowerBound(window), last: upperBound(window), height: heightLimit(window) }
  return chargeRows(context.budget, eventsBetween(context.store, stream.ref, range))
}
