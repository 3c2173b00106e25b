/** A question about a stream as a person types it, and the market that it makes. */

import type { Market, Stream } from '#gateway/contract/results.ts'
import { parseSeconds } from '../dates.ts'
import { read, write } from '../gateway.ts'
import { findName, type StreamPlace } from '../name-book.ts'
import { nameOf } from '../stream-name.ts'
import type { QuestionKind } from './question.ts'

/** The kind of a question that a person asks. */
export type Kind = Exclude<QuestionKind, 'unknown'>

interface Operation {
  readonly name: string
  /** Labels of the bounds that a person gives, by the names of their parameters. */
  readonly bounds: Readonly<Record<string, string>>
}

/** The operation that makes a market, by the kind of its question. */
export const operations: Readonly<Record<Kind, Operation>> = {
  above: { name: 'create_price_above_threshold_market', bounds: { threshold: 'Bound' } },
  below: { name: 'create_price_below_threshold_market', bounds: { threshold: 'Bound' } },
  between: { name: 'create_value_in_range_market', bounds: { min_value: 'From', max_value: 'To' } },
  equals: { name: 'create_value_equals_market', bounds: { target: 'Value', tolerance: 'Give or take' } },
}

/** A question as it is typed. */
export interface Draft {
  readonly stream: string
  readonly kind: Kind
  /** Decimals by the names of their parameters, of every kind that was chosen so far. */
  readonly bounds: Readonly<Record<string, string>>
  readonly date: string
  readonly collateral: string
}

/** A question that can be asked. */
interface Ready {
  readonly stream: StreamPlace
  readonly kind: Kind
  readonly thresholds: readonly string[]
  /** Unix time in seconds. */
  readonly at: number
}

/** Reads a draft; null while something is missing. @param found - The streams of the typed name. */
export function readDraft({ kind, bounds, date }: Draft, found: readonly StreamPlace[]): Ready | null {
  const [stream, another] = found
  const seconds = parseSeconds(date)
  const at = Number(seconds)
  const thresholds = Object.keys(operations[kind].bounds).map((name) => bounds[name] ?? '')
  if (stream === undefined || another !== undefined || thresholds.includes('')) return null
  return seconds === '' || !Number.isSafeInteger(at) ? null : { stream, kind, thresholds, at }
}

/** Makes the market of a question, and gives it; undefined where the network lists none. */
export async function createMarket(
  { stream, kind, at }: Ready,
  { bounds, collateral }: Draft,
): Promise<Market | undefined> {
  const { name, bounds: labels } = operations[kind]
  await write(name, {
    ...nameOf(stream),
    ...Object.fromEntries(Object.keys(labels).map((bound) => [bound, bounds[bound]])),
    timestamp: at,
    settle_time: at,
    bridge: collateral,
    max_spread: 5,
    min_order_size: 1,
  })
  const [newest] = await read<readonly Market[]>('list_markets', { limit: 1 })
  return newest
}

/** The streams of a name, of an id, or of an owner with an id. */
export function findStreams(text: string, streams: readonly Stream[]): readonly StreamPlace[] {
  const wanted = text.trim().toLowerCase()
  const isNamed = (stream: Stream) =>
    [findName(stream), stream.stream_id, `${stream.data_provider}/${stream.stream_id}`].some(
      (name) => name?.toLowerCase() === wanted,
    )
  return wanted === '' ? [] : streams.filter(isNamed)
}
