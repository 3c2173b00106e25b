/** Reading one record of a stream: the first, the last, the highest or the lowest. */

import { parseStreamId } from '../ids.ts'
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
import { requireProvider } from './parameters.ts'

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
  return readSingle(client, 'get_first_record', params, params.afterDate)
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
  return readSingle(client, 'get_last_record', params, params.beforeDate)
}

/** A stream and the window in which an extreme is looked for. */
export type ExtremeParams = RecordRange

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

async function readSingle(
  client: Client,
  action: string,
  { streamId, dataProvider, frozenAt, useCache }: Omit<FirstRecordParams, 'afterDate'>,
  date: number | undefined,
) {
  const args = [requireProvider(client, dataProvider), parseStreamId(streamId), date || null, frozenAt ?? null]
  const { data, cache } = await queryRecords(client, action, args, useCache)
  return asAsked({ data: data[0] ?? null, cache })
}

async function readExtreme(client: Client, action: string, params: ExtremeParams): Promise<StreamRecord | null> {
  const { data } = await queryRecords(client, action, rangeArgs(client, params))
  return data[0] ?? null
}
