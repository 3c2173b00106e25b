/** Every way the stream network client fails: a closed set of codes, each with the data it carries. */

import { CodedError, type CodedErrorOptions } from '../base/errors.ts'

/** The data each code carries; a code's row is also its documentation. */
export interface StreamNetErrorData {
  /** A parameter is missing, malformed or out of range; nothing was sent. The description's `ValueError`. */
  invalid_argument: undefined
  /** Bytes or JSON do not have the form they claim: a payload, a signature, query components. */
  malformed_bytes: undefined
  /** The node answered something that is not an answer: HTML, half a body, another id, a wrong column. */
  malformed_response: { readonly status?: number }
  /** The node answered with a JSON-RPC error without a separate code here. */
  rpc_error: { readonly rpcCode: number; readonly data: unknown }
  /** A view action raised an error; `reason` is its text. */
  action_failed: { readonly action: string; readonly reason: string }
  /** The caller may not read or change this. */
  permission_denied: { readonly reason: string }
  /** The node or gateway does not accept who is asking; `reason` is the node's. */
  unauthenticated: { readonly reason: string }
  /** Asked for something that does not exist. */
  not_found: { readonly reason: string }
  /** No transaction of this hash is known to the node. */
  transaction_not_found: undefined
  /** The transaction is in a block and failed there. Its nonce is used up. */
  transaction_failed: {
    readonly hash: string
    readonly height: number
    readonly txCode: number
    readonly log: string
    readonly reason: string
  }
  /** The node refused the transaction before its pool, for a reason without a separate code here. */
  broadcast_refused: { readonly txCode: number; readonly hash: string }
  /** The nonce is not the next one; both numbers are the node's, undefined when its answer has none. */
  invalid_nonce: { readonly got: number | undefined; readonly expected: number | undefined; readonly hash: string }
  /** The account cannot pay. */
  insufficient_balance: { readonly txCode: number; readonly hash: string }
  /** The transaction was signed for another chain. */
  wrong_chain: { readonly hash: string }
  /** The node's pool of waiting transactions is full. */
  mempool_full: { readonly hash: string }
  /** The node is reading old blocks and takes no transactions. */
  node_catching_up: { readonly hash: string }
  /** The gateway has no node behind it. */
  no_backend: undefined
  /** The address did not answer; nothing was sent. */
  connection_refused: undefined
  /** The connection broke in the middle: the request may have been accepted. `hash` when it was a transaction. */
  connection_lost: { readonly hash?: string }
  /** Too many requests. */
  rate_limited: undefined
  /** No answer in time. `hash` when it was about a transaction, which may still land. */
  timeout: { readonly hash?: string }
  /** The caller ended it by its signal. `hash` when a transaction was on its way, which may still land. */
  aborted: { readonly hash?: string }
  /** A chunk of a bulk insertion failed for good. */
  bulk_insert_failed: undefined
}

/** The closed set of codes. */
export type StreamNetErrorCode = keyof StreamNetErrorData

/** The one error of this client. Narrow it with `isStreamNetError(error, code)` to get at typed `data`. */
export class StreamNetError<Code extends StreamNetErrorCode = StreamNetErrorCode> extends CodedError<Code> {
  readonly code: Code
  readonly data: StreamNetErrorData[Code]

  /**
   * @param code - why it failed, for programs.
   * @param message - the action that failed, a colon, the state, what would be right.
   * @param data - the row of `StreamNetErrorData` for this code.
   * @param options - `cause`, the error behind this one.
   */
  constructor(code: Code, message: string, data: StreamNetErrorData[Code], options?: CodedErrorOptions) {
    super(message, options)
    this.code = code
    this.data = data
  }

  // A minifier renames classes; the name people see in a log must not change with the bundler.
  override get name(): string {
    return 'StreamNetError'
  }
}

/**
 * Tells whether a thrown value is this client's error, and of one code when one is given.
 *
 * @param error - what was caught.
 * @param code - one code, any when left out.
 *
 * @example
 * try {
 *   await operations.getMarketInfo(client, { queryId: 99 })
 * } catch (error) {
 *   if (!isStreamNetError(error, 'not_found')) throw error
 *   console.log(error.data.reason)
 * }
 */
export function isStreamNetError<Code extends StreamNetErrorCode>(
  error: unknown,
  code?: Code,
): error is StreamNetError<Code> {
  return error instanceof StreamNetError && (code === undefined || error.code === code)
}

/** An error for a parameter that cannot be used; thrown before anything is sent. */
export function invalidArgument(message: string): StreamNetError<'invalid_argument'> {
  return new StreamNetError('invalid_argument', message, undefined)
}

/** An error for an answer that is not one of the protocol. */
export function malformedResponse(message: string): StreamNetError<'malformed_response'> {
  return new StreamNetError('malformed_response', message, {})
}

/** An error for bytes that do not have the form they claim. */
export function malformedBytes(message: string): StreamNetError<'malformed_bytes'> {
  return new StreamNetError('malformed_bytes', message, undefined)
}

/**
 * A bulk insertion that gave up. Resume at record `failedChunkIndex * batchSize` when `drainFailure` is false;
 * when it is true everything was broadcast, and `txHashes` can be asked for one by one.
 */
export class BulkInsertError extends StreamNetError<'bulk_insert_failed'> {
  /** Hashes broadcast before the failure, in the order of their chunks. */
  readonly txHashes: readonly string[]
  /** True when all chunks were broadcast and only their confirmation failed. */
  readonly drainFailure: boolean
  /** The chunk that failed, from 0; the number of chunks broadcast when the drain failed. */
  readonly failedChunkIndex: number
  /** The failing chunk's transaction when it is unknown whether it was accepted: ask for it before resuming. */
  readonly unresolvedTxHash: string | undefined

  /**
   * @param message - which chunk failed, and why.
   * @param details - the fields of this error.
   * @param cause - the error of the last attempt.
   */
  constructor(
    message: string,
    details: Pick<BulkInsertError, 'txHashes' | 'drainFailure' | 'failedChunkIndex' | 'unresolvedTxHash'>,
    cause: unknown,
  ) {
    super('bulk_insert_failed', message, undefined, { cause })
    this.txHashes = details.txHashes
    this.drainFailure = details.drainFailure
    this.failedChunkIndex = details.failedChunkIndex
    this.unresolvedTxHash = details.unresolvedTxHash
  }

  override get name(): string {
    return 'BulkInsertError'
  }
}
