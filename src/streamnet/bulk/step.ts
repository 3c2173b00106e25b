/** Bulk insertion as a job: plain state, and one function that takes it a step further. */

import { messageOf } from '../base/errors.ts'
import { delayAfter } from '../base/retry.ts'
import { type BulkOptions, type RetryClass, retryBudget, retryClass } from './bulk-options.ts'
import { encodeExecution } from './codec/payload.ts'
import { hashTransaction } from './codec/transaction.ts'
import { numeric } from './codec/value.ts'
import { BulkInsertError, invalidArgument, isStreamNetError, StreamNetError } from './errors.ts'
import { parseStreamId } from './ids.ts'
import type { Client } from './ports.ts'
import { checkDate, type RecordBatch, recordArgs } from './record-args.ts'
import type { TransactionJson } from './rpc/methods.ts'
import { transactionFromJson, transactionToJson } from './rpc/transaction-json.ts'
import { broadcastAgain, isKnown } from './transaction/broadcast.ts'
import { buildTransaction, readNextNonce, requireSigner } from './transaction/build.ts'
import { signTransaction } from './transaction/sign.ts'
import { assertSuccess, findReceipt } from './transaction/wait.ts'
import type { TxHash } from './types.ts'

/** A record on its way: checked, its value exact. */
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

/** A job's next state, and how long to wait before its next step. */
export interface BulkStep {
  readonly state: BulkState
  readonly delayMs: number
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
 * A job that has done nothing yet.
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

/**
 * Takes a job one step further: signs the next chunk, broadcasts what is signed, or looks for a confirmation.
 * Keep the state after every step; nothing is sent that was not signed, and kept, one step before.
 *
 * @param state - as the last step left it.
 * @param chunk - the records of chunk `state.nextChunk`; unused in a step that confirms.
 * @param options - all of them, see `parseBulkOptions`.
 * @returns the next state, and the milliseconds to wait before the next step.
 * @throws BulkInsertError bulk_insert_failed when the chunk or the drain fails for good.
 *
 * @example
 * const chunks = planChunks([{ streamId, inputs: [{ date: 1_760_000_400, value: '12.75' }] }], 10)
 * let state = startBulk(chunks.length)
 * while (!isBulkDone(state)) {
 *   const step = await stepBulk(client, state, chunks[state.nextChunk] ?? [], bulkDefaults)
 *   // Keep the state here, where another process finds it.
 *   state = step.state
 *   await client.platform.sleep(step.delayMs)
 * }
 */
export async function stepBulk(
  client: Client,
  state: BulkState,
  chunk: readonly BulkRow[],
  options: BulkOptions,
): Promise<BulkStep> {
  const outstanding = state.txHashes.length - state.confirmed
  const isSent = state.nextChunk === state.totalChunks
  if (outstanding > 0 && (isSent || state.draining || outstanding >= options.maxInflight) && !state.sending) {
    return confirmNext(client, state, options)
  }
  try {
    return await (state.sending
      ? broadcastNext(client, state, state.sending.transaction)
      : signNext(client, state, chunk))
  } catch (error) {
    return afterFailure(state, error, options)
  }
}

/**
 * Settles what a job was sending when its process ended: a transaction the node knows counts as sent, any
 * other is sent again as it was signed, which can take effect once at most.
 *
 * @param state - as it was kept after the last step.
 *
 * @example
 * const kept = JSON.stringify(startBulk(12))
 * const state = await resumeBulk(client, JSON.parse(kept))
 */
export async function resumeBulk(client: Client, state: BulkState): Promise<BulkState> {
  if (!state.sending) return state
  // A hash of ours, computed before sending.
  return (await isKnown(client, state.sending.hash as TxHash)) ? sent(state, state.sending.hash) : state
}

async function signNext(client: Client, state: BulkState, chunk: readonly BulkRow[]): Promise<BulkStep> {
  const signer = requireSigner(client)
  const nonce = state.nonce ?? (await readNextNonce(client))
  const batches = chunk.map(({ streamId, ...record }) => ({ streamId, inputs: [record] }))
  const bytes = encodeExecution('insert_records', [recordArgs(signer.address, batches)])
  const signed = await signTransaction(await buildTransaction(client, { type: 'execute', bytes }, nonce), signer)
  const sending = { hash: await hashTransaction(signed), transaction: transactionToJson(signed) }
  return { state: { ...state, nonce, sending }, delayMs: 0 }
}

async function broadcastNext(client: Client, state: BulkState, transaction: TransactionJson): Promise<BulkStep> {
  const hash = await broadcastAgain(client, transactionFromJson(transaction))
  return { state: sent(state, hash), delayMs: 0 }
}

function sent(state: BulkState, hash: string): BulkState {
  return {
    ...state,
    nextChunk: state.nextChunk + 1,
    nonce: (state.sending?.transaction.body.nonce ?? 0) + 1,
    sending: undefined,
    txHashes: [...state.txHashes, hash],
    failures: {},
  }
}

function afterFailure(state: BulkState, error: unknown, options: BulkOptions): BulkStep {
  const retry = retryClass(error)
  const failed = (state.failures[retry] ?? 0) + 1
  const delayMs = delayAfter(failed, retryBudget(retry, options))
  if (delayMs === undefined) throw chunkFailure(state, error)
  const failures = { ...state.failures, [retry]: failed }
  // A refused nonce is asked for again and the chunk signed anew; any other refusal leaves the bytes good.
  const isStale = isStreamNetError(error, 'invalid_nonce')
  return {
    state: isStale ? { ...state, failures, nonce: undefined, sending: undefined } : { ...state, failures },
    delayMs,
  }
}

// Asked for side by side, because a drain is nothing but waiting; counted in order.
const confirmedAtOnce = 16

async function confirmNext(client: Client, state: BulkState, options: BulkOptions): Promise<BulkStep> {
  const hashes = state.txHashes.slice(state.confirmed, state.confirmed + confirmedAtOnce)
  // Hashes of ours, pushed when their transactions were accepted.
  const receipts = await Promise.allSettled(hashes.map((hash) => findReceipt(client, hash as TxHash)))
  let confirmed = state.confirmed
  for (const [index, receipt] of receipts.entries()) {
    try {
      if (!isConfirmed(receipt, options)) break
      confirmed++
    } catch (error) {
      throw drainFailure(state, hashes[index] ?? '', error)
    }
  }
  const hasMoved = confirmed > state.confirmed
  if (!hasMoved && state.polls >= options.confirmTimeoutSeconds) {
    const hash = hashes[0] ?? ''
    const late = new StreamNetError('timeout', `in no block after ${state.polls} s, it may still land`, { hash })
    throw drainFailure(state, hash, late)
  }
  const draining = confirmed < state.txHashes.length
  const polls = hasMoved ? 0 : state.polls + 1
  return { state: { ...state, confirmed, draining, polls }, delayMs: hasMoved ? 0 : 1000 }
}

/** Tells whether a transaction is in a block; throws when the node did not say, or the transaction failed there. */
function isConfirmed(
  receipt: PromiseSettledResult<Awaited<ReturnType<typeof findReceipt>>>,
  { failOnChainError }: BulkOptions,
): boolean {
  if (receipt.status === 'rejected') throw receipt.reason
  if (receipt.value === undefined) return false
  if (failOnChainError) assertSuccess(receipt.value)
  return true
}

function chunkFailure(state: BulkState, cause: unknown): BulkInsertError {
  const isUnresolved = isStreamNetError(cause, 'connection_lost') || isStreamNetError(cause, 'timeout')
  return new BulkInsertError(
    `bulk insert failed at chunk ${state.nextChunk}: ${messageOf(cause)}`,
    {
      txHashes: state.txHashes,
      drainFailure: false,
      failedChunkIndex: state.nextChunk,
      unresolvedTxHash: isUnresolved ? state.sending?.hash : undefined,
    },
    cause,
  )
}

function drainFailure(state: BulkState, hash: string, cause: unknown): BulkInsertError {
  return new BulkInsertError(
    `bulk insert drain failed after ${state.nextChunk} chunks broadcast: wait for tx ${hash}: ${messageOf(cause)}`,
    { txHashes: state.txHashes, drainFailure: true, failedChunkIndex: state.nextChunk, unresolvedTxHash: undefined },
    cause,
  )
}
