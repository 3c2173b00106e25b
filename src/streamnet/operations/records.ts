/** Reading records, indexes and changes. */

import { type CacheInfo, parseCacheLog } from '../cache-log.ts'
import { invalidArgument } from '../errors.ts'
import { parseStreamId } from '../ids.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import type { ActionArg } from '../types.ts'
import { assertInteger, requireProvider } from './parameters.ts'

// Programs that bundle one write import it from here, as docs/streamnet.md shows.
export * from './record-insertion.ts'

/** A record, or a row of an index or of changes. */
export interface StreamRecord {
  /** Unix time in seconds. */
  readonly date: number
  /** Exact decimal text, 18 fractional digits. */
  readonly value: string
}

/** An answer with what the node's log says about its cache. */
export interface Cached<T> {
  readonly data: T
  /** Null when the log says nothing about it. */
  readonly cache: CacheInfo | null
}

/** A stream, its owner, and a part of it. */
export interface ReadParams {
  readonly streamId: string
  /** One's own when left out. */
  readonly dataProvider?: string | undefined
  /** Unix time in seconds, inclusive. Without both bounds only the latest record is read. */
  readonly dateFrom?: number | undefined
  readonly dateTo?: number | undefined
  /** Only records known at this block height. */
  readonly frozenAt?: number | undefined
  /** The date whose value is 100, Unix time in seconds; only indexes and changes use it. */
  readonly baseDate?: number | undefined
  /** Put in front of the action's name, for streams of the network's other families. */
  readonly prefix?: string | undefined
  /** Given, true or false, the answer tells about the node's cache. */
  readonly useCache?: boolean | undefined
}

/** The parameters that ask for an answer with cache information. */
export interface WithCache {
  readonly useCache: boolean
}

/** Further parameters of `getIndexChange`. */
export interface ChangeParams extends ReadParams {
  /** Seconds between the two index values of a change. */
  readonly timeInterval: number
}

/** Parameters of `getFirstRecord`. */
export interface FirstRecordParams {
  readonly streamId: string
  readonly dataProvider?: string | undefined
  /** Unix time in seconds, inclusive; the very first record when left out or 0. */
  readonly afterDate?: number | undefined
  readonly frozenAt?: number | undefined
  readonly useCache?: boolean | undefined
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
  return readRecords(client, 'get_record', params, rangeArgs(client, params))
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
  const { windowSeconds = 30 * 86_400, ...range } = params
  assertInteger(windowSeconds, 1, Number.MAX_SAFE_INTEGER, 'window_seconds must be a positive integer')
  let last = Number.NEGATIVE_INFINITY
  for (let from = range.dateFrom; from <= range.dateTo; from += windowSeconds) {
    const dateTo = Math.min(range.dateTo, from + windowSeconds - 1)
    for (const record of await getRecords(client, { ...range, dateFrom: from, dateTo })) {
      // Each read begins with the newest record before its window.
      if (record.date > last) yield record
      last = Math.max(last, record.date)
    }
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
  return readRecords(client, 'get_index', params, [...rangeArgs(client, params), params.baseDate ?? null])
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
  assertInteger(timeInterval, 1, Number.MAX_SAFE_INTEGER, 'time_interval must be a positive number of seconds')
  return readRecords(client, 'get_index_change', params, [...rangeArgs(client, params), baseDate ?? null, timeInterval])
}

/**
 * Reads the first record at or after a date; null when there is none.
 *
 * @param params - `afterDate` is Unix time in seconds, included; `frozenAt` is a block height.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const first = await getFirstRecord(client, { streamId, afterDate: 1_760_000_100 })
 */
export function getFirstRecord(
  client: Client,
  params: FirstRecordParams & WithCache,
): Promise<Cached<StreamRecord | null>>
export function getFirstRecord(client: Client, params: FirstRecordParams): Promise<StreamRecord | null>
export async function getFirstRecord(client: Client, params: FirstRecordParams) {
  return readOutermost(client, 'get_first_record', params, params.afterDate)
}

/** Parameters of `getLastRecord`. */
export interface LastRecordParams extends Omit<FirstRecordParams, 'afterDate'> {
  /** Unix time in seconds, for a primitive stream exclusive; the very last record when left out or 0. */
  readonly beforeDate?: number | undefined
}

/**
 * Reads the last record before a date; null when there is none.
 *
 * @param params - `beforeDate` is Unix time in seconds; `frozenAt` is a block height.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const last = await getLastRecord(client, { streamId, beforeDate: 1_760_000_200 })
 */
export function getLastRecord(
  client: Client,
  params: LastRecordParams & WithCache,
): Promise<Cached<StreamRecord | null>>
export function getLastRecord(client: Client, params: LastRecordParams): Promise<StreamRecord | null>
export async function getLastRecord(client: Client, params: LastRecordParams) {
  return readOutermost(client, 'get_last_record', params, params.beforeDate)
}

/** A stream and the window in which an extreme is looked for. */
export type ExtremeParams = Pick<ReadParams, 'streamId' | 'dataProvider' | 'dateFrom' | 'dateTo' | 'frozenAt'>

/**
 * Reads the record with the highest value in a window, the first of equal ones; null when there is none.
 *
 * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included; `frozenAt` is a block
 * height.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const highest = await getHighValue(client, { streamId, dateFrom: 1_759_990_000 })
 */
export async function getHighValue(client: Client, params: ExtremeParams): Promise<StreamRecord | null> {
  return readExtreme(client, 'get_high_value', params)
}

/**
 * Reads the record with the lowest value in a window, the first of equal ones; null when there is none.
 *
 * @param params - `dateFrom` and `dateTo` are Unix times in seconds, both included; `frozenAt` is a block
 * height.
 * @throws StreamNetError invalid_argument when an id, an address, the prefix or the range is malformed.
 * @throws StreamNetError permission_denied when the stream is private to others.
 *
 * @example
 * const lowest = await getLowValue(client, { streamId })
 */
export async function getLowValue(client: Client, params: ExtremeParams): Promise<StreamRecord | null> {
  return readExtreme(client, 'get_low_value', params)
}

async function readOutermost(
  client: Client,
  action: string,
  { streamId, dataProvider, frozenAt, useCache }: Omit<FirstRecordParams, 'afterDate'>,
  date: number | undefined,
) {
  const args = [requireProvider(client, dataProvider), parseStreamId(streamId), date || null, frozenAt ?? null]
  const found = await readRecords(client, action, { useCache }, args)
  return 'cache' in found ? { ...found, data: found.data[0] ?? null } : (found[0] ?? null)
}

async function readExtreme(client: Client, action: string, params: ExtremeParams): Promise<StreamRecord | null> {
  const found = await readRecords(client, action, {}, rangeArgs(client, params))
  // Without `useCache` the answer is a bare list.
  return (found as readonly StreamRecord[])[0] ?? null
}

function rangeArgs(client: Client, params: ReadParams): ActionArg[] {
  const { streamId, dataProvider, dateFrom = null, dateTo = null, frozenAt = null } = params
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) {
    throw invalidArgument(`date_from is ${dateFrom}, after date_to ${dateTo}; expected date_from up to date_to`)
  }
  return [requireProvider(client, dataProvider), parseStreamId(streamId), dateFrom, dateTo, frozenAt]
}

async function readRecords(
  client: Client,
  action: string,
  { prefix = '', useCache }: Pick<ReadParams, 'prefix' | 'useCache'>,
  args: readonly ActionArg[],
): Promise<readonly StreamRecord[] | Cached<readonly StreamRecord[]>> {
  if (!/^\w*$/.test(prefix)) throw invalidArgument(`prefix is "${prefix}", expected letters, digits and underscores`)
  const table = await callAction(client, prefix + action, useCache === undefined ? args : [...args, useCache])
  const data = readRows(table, { event_time: 'int', value: 'decimal' }).map(({ eventTime, value }) => ({
    date: eventTime,
    value,
  }))
  return useCache === undefined ? data : { data, cache: parseCacheLog(table.logs) }
}
