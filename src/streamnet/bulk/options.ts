/** Options of a bulk insertion: sizes of chunks, attempts and waits. */

import { messageOf } from '../../base/errors.ts'
import type { RetryBudget } from '../../base/retry.ts'
import { isStreamNetError } from '../errors.ts'
import { assertInteger } from '../operations/parameters.ts'
import { findCodeInText } from '../rpc/errors.ts'

/** Sizes of the chunks of a bulk insertion, its attempts and its waits. */
export interface BulkOptions {
  /** Records in a transaction, 1 to 10: the network's own cap. */
  readonly batchSize: number
  /** Transactions broadcast before their confirmations are awaited. */
  readonly maxInflight: number
  /** Attempts of a chunk when the nonce is taken or the pool is full; waits of 2 s, 4 s, ... */
  readonly maxAttempts: number
  /** The wait while the node catches up grows by this many seconds. */
  readonly catchupBackoffSeconds: number
  /** Attempts of a chunk while the node catches up. */
  readonly catchupMaxAttempts: number
  /** Attempts of a chunk when no node was reached; waits of 2 s, 4 s, ... */
  readonly infraMaxAttempts: number
  /** Chunks between two progress lines; 0 for none. */
  readonly progressLogEveryN: number
  /** True to fail when a transaction is in a block but failed there; false to ask only for inclusion. */
  readonly failOnChainError: boolean
  /** Seconds to wait for one transaction's block. */
  readonly confirmTimeoutSeconds: number
}

/** The defaults. */
export const bulkDefaults: BulkOptions = {
  batchSize: 10,
  maxInflight: 200,
  maxAttempts: 15,
  catchupBackoffSeconds: 15,
  catchupMaxAttempts: 20,
  infraMaxAttempts: 10,
  progressLogEveryN: 500,
  failOnChainError: false,
  confirmTimeoutSeconds: 600,
}

/** The reaction to a failed attempt: try again soon, after the node has caught up, once a node is reachable, or never. */
export type RetryClass = 'transient' | 'catchup' | 'infrastructure' | 'fatal'

/**
 * Checks bulk options and fills in the defaults.
 *
 * @param options - what differs from `bulkDefaults`.
 * @throws StreamNetError invalid_argument when an option is out of range.
 *
 * @example
 * const options = parseBulkOptions({ batchSize: 5, failOnChainError: true })
 */
export function parseBulkOptions(options: Partial<BulkOptions>): BulkOptions {
  const all = { ...bulkDefaults, ...options }
  assertInteger(all.batchSize, 1, 10, 'batch_size must be between 1 and 10')
  for (const [name, value] of Object.entries(all)) {
    const min = name === 'progressLogEveryN' || name === 'catchupBackoffSeconds' ? 0 : 1
    if (typeof value === 'number') assertInteger(value, min, 1e9, `${name} must be at least ${min}`)
  }
  return all
}

/** Tells what a failed attempt means. */
export function retryClass(error: unknown): RetryClass {
  if (isStreamNetError(error)) return classes[error.code] ?? 'fatal'
  const text = messageOf(error)
  if (text.includes('node is catching up')) return 'catchup'
  return findCodeInText(text) ? 'infrastructure' : 'fatal'
}

const classes: Readonly<Record<string, RetryClass>> = {
  invalid_nonce: 'transient',
  mempool_full: 'transient',
  node_catching_up: 'catchup',
  no_backend: 'infrastructure',
  connection_refused: 'infrastructure',
}

/** The budget of a class; a fatal failure has one attempt. */
export function retryBudget(retry: RetryClass, options: BulkOptions): RetryBudget {
  if (retry === 'transient') return { maxAttempts: options.maxAttempts, delayMs: 2000 }
  if (retry === 'infrastructure') return { maxAttempts: options.infraMaxAttempts, delayMs: 2000 }
  const delayMs = options.catchupBackoffSeconds * 1000
  return retry === 'catchup' ? { maxAttempts: options.catchupMaxAttempts, delayMs } : { maxAttempts: 1, delayMs: 0 }
}
