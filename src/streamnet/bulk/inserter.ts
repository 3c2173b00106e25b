/** Inserts many records of one signer: cut into chunks, broadcast one after the other, confirmed in groups. */

import { invalidArgument } from '../errors.ts'
import type { Client } from '../ports.ts'
import type { RecordBatch } from '../record-args.ts'
import type { TxHash } from '../types.ts'
import { type BulkState, isBulkDone, planChunks, startBulk } from './job.ts'
import { type BulkOptions, parseBulkOptions } from './options.ts'
import { stepBulk } from './step.ts'

/** The progress of a bulk insertion. */
export interface BulkProgress {
  readonly chunksDone: number
  readonly chunksTotal: number
  readonly rowsDone: number
  readonly elapsedSec: number
  readonly chunksPerSec: number
  readonly etaSec: number
}

/** Options of a bulk insertion, and callbacks for its progress. */
export interface BulkInserterOptions extends Partial<BulkOptions> {
  /** Takes each progress line; printed as information when left out. */
  readonly log?: (line: string, progress: BulkProgress) => void
}

/**
 * Inserts many records. Use one inserter for each key, and one run at a time, because it keeps the key's nonce.
 * Inserters of different keys may run side by side. A program that must survive a restart takes the same steps with
 * `stepBulk` and keeps the state after each.
 *
 * @example
 * const inserter = new BulkInserter(client, { log: (line) => console.log(line) })
 * const inputs = [{ date: 1_760_000_400, value: '12.75' }]
 * const txHashes = await inserter.insertAll([{ streamId, inputs }])
 */
export class BulkInserter {
  readonly #client: Client
  readonly #options: BulkOptions
  readonly #log: (line: string, progress: BulkProgress) => void
  #nonce: number | undefined

  /**
   * @param client - must have a signer.
   * @param options - as of `bulkDefaults` where left out.
   * @throws StreamNetError invalid_argument when there is no client or signer, or an option is out of range.
   */
  constructor(client: Client, options: BulkInserterOptions = {}) {
    const { log, ...rest } = options
    if (!client) throw invalidArgument('expected a client')
    if (!client.signer) throw invalidArgument('could not resolve data provider for the current signer')
    this.#client = client
    this.#options = parseBulkOptions(rest)
    this.#log = log ?? client.platform.log
  }

  /**
   * Inserts all records of all batches.
   *
   * @param batches - records by stream, dates in Unix seconds.
   * @returns the transactions' hashes in the order of the chunks.
   * @throws StreamNetError invalid_argument when a record cannot be inserted; nothing was sent.
   * @throws BulkInsertError bulk_insert_failed when a chunk or the final confirmation fails for good.
   */
  async insertAll(batches: readonly RecordBatch[]): Promise<readonly TxHash[]> {
    const { platform } = this.#client
    const chunks = planChunks(batches, this.#options.batchSize)
    const rows = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const startedAt = platform.now()
    let state: BulkState = { ...startBulk(chunks.length), nonce: this.#nonce }
    // Forgotten on any exit with an error: the node is asked again.
    this.#nonce = undefined
    while (!isBulkDone(state)) {
      const before = state.nextChunk
      const step = await stepBulk(this.#client, state, chunks[before] ?? [], this.#options)
      state = step.state
      if (state.nextChunk > before) this.#report(state.nextChunk, chunks.length, rows, platform.now() - startedAt)
      if (step.delayMs > 0) await platform.sleep(step.delayMs)
    }
    this.#nonce = state.nonce
    // Every one came from broadcastTransaction().
    return state.txHashes as readonly TxHash[]
  }

  #report(chunksDone: number, chunksTotal: number, rows: number, elapsedMs: number): void {
    const every = this.#options.progressLogEveryN
    if (every === 0 || (chunksDone % every !== 0 && chunksDone !== chunksTotal)) return
    const rowsDone = Math.min(rows, chunksDone * this.#options.batchSize)
    const progress = computeProgress({ chunksDone, chunksTotal, rowsDone }, elapsedMs)
    this.#log(progressLine(progress), progress)
  }
}

/** Works out rates from counts and the time passed, in milliseconds. */
export function computeProgress(
  counts: Pick<BulkProgress, 'chunksDone' | 'chunksTotal' | 'rowsDone'>,
  elapsedMs: number,
): BulkProgress {
  const { chunksDone, chunksTotal } = counts
  const elapsedSec = elapsedMs / 1000
  // Before the clock has moved there is no rate yet.
  const chunksPerSec = elapsedSec > 0 ? chunksDone / elapsedSec : 0
  const etaSec = chunksPerSec > 0 ? (chunksTotal - chunksDone) / chunksPerSec : 0
  return { ...counts, elapsedSec, chunksPerSec, etaSec }
}

/** Writes progress as one line. */
export function progressLine(progress: BulkProgress): string {
  const { chunksDone, chunksTotal, rowsDone, elapsedSec, chunksPerSec, etaSec } = progress
  return `bulk insert progress chunks_done=${chunksDone} chunks_total=${chunksTotal} rows_done=${rowsDone} elapsed_sec=${elapsedSec.toFixed(1)} chunks_per_sec=${chunksPerSec.toFixed(1)} eta_sec=${etaSec.toFixed(1)}`
}
