/** A bulk insertion as plain data: the records in chunks, and the state that is kept between two steps. */

import { numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { parseStreamId } from '../ids.ts'
import { checkDate, type RecordBatch } from '../record-args.ts'
import type { TransactionJson } from '../rpc/methods.ts'
import type { RetryClass } from './options.ts'

/** A record of a chunk: checked, its value exact. */
export interface BulkRow {
  readonly streamId: string
  readonly date: number | bigint
  readonly value: string
}

/** The position of a job. Plain data: it can be kept, and taken up again by another process. */
export interface BulkState {
  /** The next chunk to broadcast. */
  readonly nextChunk: number
  readonly totalChunks: number
  /** The next nonce; asked for when unknown. */
  readonly nonce?: number | undefined
  /** Signed but not known to be accepted. Its hash is known, so that it can be asked for. */
  readonly sending?: { readonly hash: string; readonly transaction: TransactionJson } | undefined
  /** Hashes broadcast so far, in order; the first `confirmed` of them are in blocks. */
  readonly txHashes: readonly string[]
  readonly confirmed: number
  /** True while all that is outstanding is confirmed before anything else is sent. */
  readonly draining?: boolean | undefined
  /** Failed attempts of the current chunk by class, and polls of the current confirmation. */
  readonly failures: Readonly<Partial<Record<RetryClass, number>>>
  readonly polls: number
}

/**
 * Flattens batches in order and cuts them into chunks; a chunk may hold records of many streams.
 *
 * @param batches - records by stream, dates in Unix seconds.
 * @param batchSize - records in a chunk, 1 to 10.
 * @throws StreamNetError invalid_argument when a record cannot be inserted, for the first such; nothing has
 * been sent.
 *
 * @example
 * const inputs = [{ date: 1_760_000_400, value: '12.75' }]
 * const chunks = planChunks([{ streamId, inputs }], 10)
 */
export function planChunks(batches: readonly RecordBatch[], batchSize: number): readonly (readonly BulkRow[])[] {
  const rows = batches.flatMap(({ streamId, inputs }) => {
    if (!streamId) throw invalidArgument('batch is missing stream_id')
    const id = parseStreamId(streamId)
    // Made decimal text by numeric().
    return inputs.map((record) => ({
      streamId: id,
      date: checkDate(record),
      value: numeric(record.value).value as string,
    }))
  })
  return Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, index) =>
    rows.slice(index * batchSize, (index + 1) * batchSize),
  )
}

/**
 * Begins a job, of which nothing is done yet.
 *
 * @param totalChunks - how many chunks `planChunks` made.
 *
 * @example
 * const state = startBulk(12)
 */
export function startBulk(totalChunks: number): BulkState {
  return { nextChunk: 0, totalChunks, txHashes: [], confirmed: 0, failures: {}, polls: 0 }
}

/**
 * Tells whether everything is broadcast and confirmed.
 *
 * @param state - as the last step left it.
 *
 * @example
 * const isDone = isBulkDone(startBulk(12))
 */
export function isBulkDone(state: BulkState): boolean {
  return state.nextChunk === state.totalChunks && state.confirmed === state.txHashes.length
}
