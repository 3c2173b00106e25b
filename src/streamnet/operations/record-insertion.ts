/** Inserting records into streams of the signer. */

import { encodeExecution } from '../codec/payload.ts'
import { numeric } from '../codec/value.ts'
import { parseStreamId } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { checkDate, type RecordBatch, type RecordInput, recordArgs } from '../record-args.ts'
import { sendPayload, sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertFilled, ownProvider } from './parameters.ts'

/**
 * Inserts one record into one's own primitive stream. A zero is dropped unless the stream allows zeros.
 *
 * @param params - `record.date` is Unix time in seconds, `record.value` decimal text or a number.
 * @throws StreamNetError invalid_argument when an id, a date or a value is malformed, or the client has no
 * signer.
 *
 * @example
 * await insertRecord(client, { streamId, record: { date: 1_760_000_400, value: '12.75' } })
 */
export async function insertRecord(
  client: Client,
  params: { readonly streamId: string; readonly record: RecordInput } & SendOptions,
): Promise<TxHash> {
  const { streamId, record } = params
  const args = [ownProvider(client), parseStreamId(streamId), checkDate(record), numeric(record.value)]
  return sendTransaction(client, 'insert_record', [args], params)
}

/**
 * Inserts records into one of one's own primitive streams, in one transaction.
 *
 * @param params - `records` in any order, dates in Unix seconds; newer networks take 10 at once.
 * @throws StreamNetError invalid_argument when an id, a date or a value is malformed, or the client has no
 * signer.
 *
 * @example
 * const records = [
 *   { date: 1_760_000_400, value: '12.75' },
 *   { date: 1_760_000_500, value: '13' },
 * ]
 * await insertRecords(client, { streamId, records })
 */
export async function insertRecords(
  client: Client,
  params: { readonly streamId: string; readonly records: readonly RecordInput[] } & SendOptions,
): Promise<TxHash> {
  assertFilled(params.records, 'records')
  const batches = [{ streamId: params.streamId, inputs: params.records }]
  return sendRecords(client, batches, params)
}

/**
 * Inserts records into many of one's own primitive streams, in one transaction.
 *
 * @param params - `batches` of records by stream; newer networks take 10 records at once.
 * @throws StreamNetError invalid_argument when an id, a date or a value is malformed, or the client has no
 * signer.
 *
 * @example
 * const inputs = [{ date: 1_760_000_400, value: '12.75' }]
 * await batchInsertRecords(client, { batches: [{ streamId, inputs }] })
 */
export async function batchInsertRecords(
  client: Client,
  params: { readonly batches: readonly RecordBatch[] } & SendOptions,
): Promise<TxHash> {
  return sendRecords(client, params.batches, params)
}

function sendRecords(client: Client, batches: readonly RecordBatch[], options: SendOptions): Promise<TxHash> {
  const bytes = encodeExecution('insert_records', [recordArgs(ownProvider(client), batches)])
  return sendPayload(client, { type: 'execute', bytes }, options)
}
