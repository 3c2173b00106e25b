/** Queries of records: rows of a date and a value, with what the node's log says about its cache. */

import { invalidArgument } from './errors.ts'
import { parseStreamId } from './ids.ts'
import { requireProvider } from './operations/parameters.ts'
import type { Client } from './ports.ts'
import { callAction } from './rpc/call.ts'
import { readRows } from './rpc/table.ts'
import type { ActionArg } from './types.ts'

/** The source of an answer: the node's cache or not. */
export interface CacheInfo {
  readonly hit: boolean
  /** Height at which the cache was filled. */
  readonly cacheHeight: number | null
  /** True when the node has no cache for the stream. */
  readonly cacheDisabled?: true
}

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

/** The parameters that ask for an answer with cache information. */
export interface WithCache {
  readonly useCache: boolean
}

/** A part of a stream. */
export interface RecordRange {
  readonly streamId: string
  /** One's own when left out. */
  readonly dataProvider?: string | undefined
  /** Unix time in seconds, inclusive. Without both bounds only the latest record is read. */
  readonly dateFrom?: number | undefined
  readonly dateTo?: number | undefined
  /** Only records known at this block height. */
  readonly frozenAt?: number | undefined
}

/** Writes a range as arguments; invalid_argument when an id or an address is malformed, or it ends before it begins. */
export function rangeArgs(client: Client, range: RecordRange): readonly ActionArg[] {
  const { streamId, dataProvider, dateFrom = null, dateTo = null, frozenAt = null } = range
  if (dateFrom !== null && dateTo !== null && dateFrom > dateTo) {
    throw invalidArgument(`date_from is ${dateFrom}, after date_to ${dateTo}; expected date_from up to date_to`)
  }
  return [requireProvider(client, dataProvider), parseStreamId(streamId), dateFrom, dateTo, frozenAt]
}

/** An answer of the node; its cache is undefined when the caller did not ask for it. */
interface Answer<T> {
  readonly data: T
  readonly cache: CacheInfo | null | undefined
}

/** Reads records by an action; `useCache`, given true or false, is its last argument. */
export async function queryRecords(
  client: Client,
  action: string,
  args: readonly ActionArg[],
  useCache?: boolean,
): Promise<Answer<readonly StreamRecord[]>> {
  const table = await callAction(client, action, useCache === undefined ? args : [...args, useCache])
  const rows = readRows(table, { event_time: 'int', value: 'decimal' })
  const data = rows.map(({ eventTime: date, value }) => ({ date, value }))
  return { data, cache: useCache === undefined ? undefined : parseCacheLog(table.logs) }
}

/** Gives an answer as it was asked for: with what is known of the cache, or bare. */
export function asAsked<T>({ data, cache }: Answer<T>): T | Cached<T> {
  return cache === undefined ? data : { data, cache }
}

/** Finds the first notice about the cache among lines that may each be a JSON object; null for none. */
export function parseCacheLog(lines: readonly string[]): CacheInfo | null {
  for (const line of lines) {
    const notice = parseNotice(line)
    if (notice?.cache_disabled === true) return { hit: false, cacheHeight: null, cacheDisabled: true }
    if (typeof notice?.cache_hit !== 'boolean') continue
    const height = notice.cache_height
    return { hit: notice.cache_hit, cacheHeight: typeof height === 'number' ? height : null }
  }
  return null
}

function parseNotice(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
