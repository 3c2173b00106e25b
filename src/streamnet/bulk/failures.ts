/** Errors of a bulk insertion that has failed for good: while it sent a chunk, or while it waited for blocks. */

import { messageOf } from '../../base/errors.ts'
import { BulkInsertError, isStreamNetError } from '../errors.ts'
import type { BulkState } from './job.ts'

/** A chunk that was not accepted. Its hash is in the error where a node may have taken it. */
export function chunkFailure(state: BulkState, cause: unknown): BulkInsertError {
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

/** A transaction that was broadcast and is not confirmed; chunks that are not broadcast yet may be left. */
export function drainFailure(state: BulkState, hash: string, cause: unknown): BulkInsertError {
  const { nextChunk: failedChunkIndex, totalChunks, txHashes } = state
  return new BulkInsertError(
    `bulk insert drain failed after ${failedChunkIndex} chunks broadcast: wait for tx ${hash}: ${messageOf(cause)}`,
    { txHashes, drainFailure: failedChunkIndex === totalChunks, failedChunkIndex, unresolvedTxHash: undefined },
    cause,
  )
}
