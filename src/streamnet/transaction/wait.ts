/** Waiting until a transaction is in a block. */

import { isStreamNetError, StreamNetError } from '../errors.ts'
import type { Client, WaitOptions } from '../ports.ts'
import type { rpcErrorCodes } from '../rpc/codes.ts'
import type { TxHash, TxReceipt } from '../types.ts'

// Checked against the table by the compiler; the table stays out of bundles.
const nodeInternal: (typeof rpcErrorCodes)['nodeInternal'] = -700

/**
 * Waits until a transaction is in a block, also as a failed one. Asks at once, then every second; a
 * hash the node does not know yet is waited for.
 *
 * @throws StreamNetError timeout when it is in no block in time; `hash` may still land.
 */
export async function waitForReceipt(client: Client, hash: TxHash, options: WaitOptions = {}): Promise<TxReceipt> {
  const { timeoutMs = 120_000 } = options
  const end = client.platform.now() + Number(timeoutMs)
  for (;;) {
    const receipt = await findReceipt(client, hash)
    if (receipt) return receipt
    // So that a time that is not a number ends the wait.
    if (!(client.platform.now() < end)) {
      throw new StreamNetError(
        'timeout',
        `Transaction ${hash} is in no block after ${timeoutMs} ms, it may still land`,
        { hash },
      )
    }
    await client.platform.sleep(1000)
  }
}

/**
 * Waits until a transaction is in a block and has succeeded there.
 *
 * @throws StreamNetError transaction_failed when it failed in its block.
 * @throws StreamNetError timeout when it is in no block in time.
 */
export async function waitForSuccess(client: Client, hash: TxHash, options?: WaitOptions): Promise<TxReceipt> {
  const receipt = await waitForReceipt(client, hash, options)
  assertSuccess(receipt)
  return receipt
}

/** Refuses a receipt of failure: transaction_failed. */
export function assertSuccess({ hash, height, code, log }: TxReceipt): void {
  if (code === 0) return
  const reason = /^ERROR: (.*)$/m.exec(log)?.[1] ?? log
  const data = { hash, height, txCode: code, log, reason }
  // The network has no other words for it than the name of a constraint.
  const hint = log.includes('"streams_provider_stream_idx"') ? 'The stream exists already.' : undefined
  throw new StreamNetError('transaction_failed', `transaction failed: ${log}`, data, hint ? { hint } : {})
}

/** Looks for a transaction's receipt; undefined while it is in no block. */
export async function findReceipt(client: Client, hash: TxHash): Promise<TxReceipt | undefined> {
  try {
    const { height, tx_result: result } = await client.request('user.tx_query', { tx_hash: hash })
    return height > 0 && result ? { hash, height, code: result.code, log: result.log ?? '' } : undefined
  } catch (error) {
    const isPending =
      isStreamNetError(error, 'transaction_not_found') ||
      // Right after a commit some nodes cannot read what they have just written.
      (isStreamNetError(error, 'rpc_error') && error.data.rpcCode === nodeInternal)
    if (isPending) return undefined
    throw error
  }
}
