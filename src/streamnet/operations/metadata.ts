/** A stream's metadata, in which visibility and permissions are kept; operations are built on these. */

import { uuid } from '../codec/value.ts'
import { parseStreamId } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { ownProvider, requireFirst, requireProvider } from './parameters.ts'

const metadataShape = { row_id: 'text', value_i: 'int?', value_ref: 'text?' } as const

/** The stream whose metadata is meant. */
export interface StreamParams {
  readonly streamId: string
  /** One's own when left out; only the owner may write. */
  readonly dataProvider?: string | undefined
}

/** Removes the row that refers to something; not_found when none does. */
export async function removeRef(
  client: Client,
  params: StreamParams & SendOptions,
  reference: readonly [key: string, ref: string],
): Promise<TxHash> {
  const own = { streamId: params.streamId, dataProvider: ownProvider(client) }
  const { rowId } = requireFirst(await readMetadata(client, own, [...reference, 1]), 'metadata value not found')
  return sendTransaction(client, 'disable_metadata', [[own.dataProvider, own.streamId, uuid(rowId)]], params)
}

/** A row to write: its key, its value as text, and the column that gets it. */
type NewRow = readonly [key: string, value: string, type: 'int' | 'ref' | 'string']

/** Writes a row of one's own stream; invalid_argument when the id is malformed or the client has no signer. */
export async function insertMetadata(client: Client, params: StreamParams & SendOptions, row: NewRow): Promise<TxHash> {
  const args = [ownProvider(client), parseStreamId(params.streamId), ...row]
  return sendTransaction(client, 'insert_metadata', [args], params)
}

/** Reads rows of a key, newest first; invalid_argument for a malformed stream, or without provider and signer. */
export async function readMetadata(
  client: Client,
  params: StreamParams,
  rows: readonly [key: string, ref: string | null, limit: number | null],
): Promise<readonly Row<typeof metadataShape>[]> {
  const provider = requireProvider(client, params.dataProvider)
  const args = [provider, parseStreamId(params.streamId), ...rows, null, 'created_at DESC']
  return readRows(await callAction(client, 'get_metadata', args), metadataShape)
}
