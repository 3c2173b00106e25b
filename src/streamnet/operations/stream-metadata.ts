/** Metadata of streams beside their visibility: the owner, the base time of the index, and rows by height. */

import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import type { TxHash } from '../types.ts'
import { insertMetadata, readMetadata, type StreamParams } from './metadata.ts'
import { assertInteger, checkHeights, checkPage, type HeightRange, requireFirst } from './parameters.ts'

const rowShape = {
  stream_id: 'text',
  data_provider: 'text',
  row_id: 'text',
  value_i: 'int8?',
  value_f: 'decimal?',
  value_b: 'bool?',
  value_s: 'text?',
  value_ref: 'text?',
  created_at: 'int',
} as const

/** A row of metadata, of whose values one is not null; `createdAt` is a block height. */
export type MetadataEntry = Row<typeof rowShape>

/**
 * Lists rows of metadata of a key that were written within a range of heights, oldest first. Disabled rows are left out.
 *
 * @param params - `key` such as `stream_owner`; `ref` only rows that refer to it; `limit` is 1 to 10,000 rows, 1000
 * when left out; without heights all are listed.
 * @throws StreamNetError invalid_argument when a height or the page is out of range.
 *
 * @example
 * const owned = await listMetadataByHeight(client, { key: 'stream_owner', ref: provider })
 */
export async function listMetadataByHeight(
  client: Client,
  params: HeightRange & { readonly key: string; readonly ref?: string | undefined },
): Promise<readonly MetadataEntry[]> {
  const args = [params.key, params.ref ?? null, ...checkHeights(params), ...checkPage(params, 1000, 10_000)]
  return readRows(await callAction(client, 'list_metadata_by_height', args), rowShape)
}

/**
 * The owner of a stream, which its provider is unless the ownership was transferred.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits, the caller when left out.
 * @returns `0x` and 40 lower-case hex digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed.
 * @throws StreamNetError not_found when there is no such stream.
 *
 * @example
 * const owner = await getStreamOwner(client, { streamId })
 */
export async function getStreamOwner(client: Client, params: StreamParams): Promise<string> {
  const { valueRef } = requireFirst(
    await readMetadata(client, params, ['stream_owner', null, 1]),
    'stream owner not found',
  )
  return parseAddress(valueRef ?? '', 'stream_owner')
}

/**
 * Sets the time from which the index of one's own stream counts where a reader names none.
 *
 * @param params - `baseTime` is Unix time in seconds.
 * @throws StreamNetError invalid_argument when the id is malformed or the time is not a whole number.
 *
 * @example
 * await setDefaultBaseTime(client, { streamId, baseTime: 1_760_000_050 })
 */
export async function setDefaultBaseTime(
  client: Client,
  params: { readonly streamId: string; readonly baseTime: number } & SendOptions,
): Promise<TxHash> {
  const { baseTime } = params
  assertInteger(baseTime, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'base_time must be a whole number')
  return insertMetadata(client, params, ['default_base_time', `${baseTime}`, 'int'])
}
