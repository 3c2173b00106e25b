/** Reading ranges of records, indexes and changes. */

import { invalidArgument } from '../errors.ts'
import type { Client } from '../ports.ts'
import {
  asAsked,
  type Cached,
  queryRecords,
  type RecordRange,
  rangeArgs,
  type StreamRecord,
  type WithCache,
} from '../record-query.ts'
import type { ActionArg } from '../types.ts'
import { assertAtLeast } from './parameters.ts'

export type { Cached, StreamRecord } from '../record-query.ts'
// Programs that bundle some operations import them from here, as docs/streamnet.md shows.
export * from './record-insertion.ts'
export * from './single-records.ts'

/** A part of a stream, and how it is read. */
export interface ReadParams extends RecordRange {
  /** The date whose value is 100, Unix time in seconds; only indexes and changes use it. */
  readonly baseDate?: number | undefined
  /** Put in front of the action's name, for streams of the network's other families. */
  readonly prefix?: string | undefined
  /** Given, true or false, the answer tells about the node's cache. */
  readonly useCache?: boolean | undefined
}

/** Further parameters of `getIndexChange`. */
export interface ChangeParams extends ReadParams {
  /** Seconds between the two index values of a change. */
  readonly timeInterval: number
}

/**
 * Reads records: of a primitive stream its values and, for an interval, the last before it; of a composed
 * stream values computed from its children, gaps filled the same way. `baseDate` is accepted and not sent.
 *
 * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included; `frozenAt` is a block
 * height.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const records = await getRecords(client, { streamId, dateFrom: 1_760_000_100, dateTo: 1_760_000_300 })
 */
export function getRecords(client: Client, params: ReadParams & WithCache): Promise<Cached<readonly StreamRecord[]>>
export function getRecords(client: Client, params: ReadParams): Promise<readonly StreamRecord[]>
export async function getRecords(client: Client, params: ReadParams) {
  return readRange(client, 'get_record', params)
}

/**
 * Reads records one by one, a window of time after the other, so that a long range is never in memory at once.
 *
 * @param params - as of `getRecords`, with both dates; `windowSeconds` of one read, 30 days when left out.
 * @throws StreamNetError invalid_argument when the window is not a positive whole number.
 * @throws StreamNetError as `getRecords` does.
 *
 * @example
 * const range = { streamId, dateFrom: 1_760_000_000, dateTo: 1_760_100_000 }
 * for await (const { value } of iterateRecords(client, range)) console.log(value)
 */
export async function* iterateRecords(
  client: Client,
  params: ReadParams & {
    readonly dateFrom: number
    readonly dateTo: number
    readonly windowSeconds?: number | undefined
  },
): AsyncGenerator<StreamRecord, void, undefined> {
  const { windowSeconds = 30 * 86_400 } = params
  assertAtLeast(windowSeconds, 1, 'window_seconds must be a positive integer')
  let last = Number.NEGATIVE_INFINITY
  for (let dateFrom = params.dateFrom; dateFrom <= params.dateTo; ) {
    const dateTo = Math.min(params.dateTo, dateFrom + windowSeconds - 1)
    // Asked about its cache, the node would answer more than records.
    const records = await getRecords(client, { ...params, dateFrom, dateTo, useCache: undefined })
    for (const record of records) {
      // Each read begins with the newest record before its window.
      if (record.date > last) yield record
      last = Math.max(last, record.date)
    }
    // A full read is cut off behind its last record.
    dateFrom = (records.length < mostRecords ? dateTo : last) + 1
  }
}

/**
 * Reads index(t) = 100 value(t) / value(base date). Without a base date the stream's own counts, or its first record.
 *
 * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included; `baseDate` is the date
 * whose value is 100.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const index = await getIndex(client, { streamId, dateFrom: 1_760_000_100, baseDate: 1_760_000_050 })
 */
export function getIndex(client: Client, params: ReadParams & WithCache): Promise<Cached<readonly StreamRecord[]>>
export function getIndex(client: Client, params: ReadParams): Promise<readonly StreamRecord[]>
export async function getIndex(client: Client, params: ReadParams) {
  return readRange(client, 'get_index', params, params.baseDate ?? null)
}

/**
 * Reads changes of the index in percent, each against the closest index at or before `t - timeInterval`. Rows
 * without one, or against zero, are left out.
 *
 * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included; `timeInterval` is in
 * seconds, from 1.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const day = 86_400
 * const changes = await getIndexChange(client, { streamId, dateFrom: 1_760_000_100, timeInterval: day })
 */
export function getIndexChange(
  client: Client,
  params: ChangeParams & WithCache,
): Promise<Cached<readonly StreamRecord[]>>
export function getIndexChange(client: Client, params: ChangeParams): Promise<readonly StreamRecord[]>
export async function getIndexChange(client: Client, params: ChangeParams) {
  const { baseDate, timeInterval } = params
  assertAtLeast(timeInterval, 1, 'time_interval must be a positive number of seconds')
  return readRange(client, 'get_index_change', params, baseDate ?? null, timeInterval)
}

/** The most records that the network gives at once. */
const mostRecords = 10_000

/** Reads a range by an action; `rest` are its arguments after those of the range. */
async function readRange(client: Client, action: string, params: ReadParams, ...rest: readonly ActionArg[]) {
  const { prefix = '', useCache } = params
  const args = [...rangeArgs(client, params), ...rest]
  if (!/^\w*$/.test(prefix)) throw invalidArgument(`prefix is "${prefix}", expected letters, digits and underscores`)
  return asAsked(await queryRecords(client, prefix + action, args, useCache))
}
