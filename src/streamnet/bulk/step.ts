/** The steps of a bulk insertion: sign a chunk, broadcast it, or look for confirmations. */

import { delayAfter } from '../../base/retry.ts'
import { encodeExecution } from '../codec/payload.ts'
import { hashTransaction } from '../codec/transaction.ts'
import { isStreamNetError, StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { recordArgs } from '../record-args.ts'
import type { TransactionJson } from '../rpc/methods.ts'
import { transactionFromJson, transactionToJson } from '../rpc/transaction-json.ts'
import { broadcastAgain, isKnown } from '../transaction/broadcast.ts'
import { buildTransaction, readNextNonce, requireSigner } from '../transaction/build.ts'
import { signTransaction } from '../transaction/sign.ts'
import { assertSuccess, findReceipt } from '../transaction/wait.ts'
import type { TxHash } from '../types.ts'
import { chunkFailure, drainFailure } from './failures.ts'
import type { BulkRow, BulkState } from './job.ts'
import { type BulkOptions, retryBudget, retryClass } from './options.ts'

/** A job's next state, and how long to wait before its next step. */
export interface BulkStep {
  readonly state: BulkState
  readonly delayMs: number
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
  if (isConfirmationNext(state, options)) return confirmNext(client, state, options)
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
  return (await isKnown(client, state.sending.hash as TxHash)) ? afterBroadcast(state, state.sending.hash) : state
}

/** Tells whether a confirmation comes next: all is sent, a drain is under way, or as much as allowed is outstanding. */
export function isConfirmationNext(state: BulkState, { maxInflight }: BulkOptions): boolean {
  const outstanding = state.txHashes.length - state.confirmed
  if (state.sending || outstanding === 0) return false
  return state.nextChunk === state.totalChunks || state.draining === true || outstanding >= maxInflight
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
  return { state: afterBroadcast(state, hash), delayMs: 0 }
}

function afterBroadcast(state: BulkState, hash: string): BulkState {
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

/** Confirmations that are asked for side by side; a drain is nothing but waiting. */
const confirmedAtOnce = 16

async function confirmNext(client: Client, state: BulkState, options: BulkOptions): Promise<BulkStep> {
  const confirmed = state.confirmed + (await countConfirmed(client, state, options))
  const draining = confirmed < state.txHashes.length
  if (confirmed > state.confirmed) return { state: { ...state, confirmed, draining, polls: 0 }, delayMs: 0 }
  if (state.polls >= options.confirmTimeoutSeconds) {
    const hash = state.txHashes[confirmed] ?? ''
    const late = new StreamNetError('timeout', `in no block after ${state.polls} s, it may still land`, { hash })
    throw drainFailure(state, hash, late)
  }
  return { state: { ...state, draining, polls: state.polls + 1 }, delayMs: 1000 }
}

/** Counts the next transactions that are in blocks, up to the first that is not. */
async function countConfirmed(client: Client, state: BulkState, options: BulkOptions): Promise<number> {
  const hashes = state.txHashes.slice(state.confirmed, state.confirmed + confirmedAtOnce)
  // Hashes of ours, pushed when their transactions were accepted.
  const receipts = await Promise.allSettled(hashes.map((hash) => findReceipt(client, hash as TxHash)))
  for (const [index, receipt] of receipts.entries()) {
    try {
      if (!isConfirmed(receipt, options)) return index
    } catch (error) {
      throw drainFailure(state, hashes[index] ?? '', error)
    }
  }
  return receipts.length
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
