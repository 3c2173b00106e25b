/** From a signed transaction to the pool of a node, also when the connection breaks in the middle. */

import { hashTransaction } from '../codec/transaction.ts'
import { isStreamNetError, malformedResponse, StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { transactionToJson } from '../rpc/transaction-json.ts'
import type { SignedTransaction, TxHash } from '../types.ts'

/**
 * Sends a transaction. It is sent once: when the answer does not arrive, the node is asked for the hash, which
 * is known before sending. Found, the transaction counts as sent; not found, the error says which hash to ask
 * for later, and nothing is sent again.
 *
 * @returns the hash, once the transaction is in the node's pool.
 * @throws invalid_nonce, mempool_full, node_catching_up, insufficient_balance, wrong_chain, unauthenticated,
 * broadcast_refused when the node refuses it: it is in no pool.
 * @throws connection_refused, no_backend when it never reached a node.
 * @throws connection_lost, timeout with `hash` when it is unknown.
 */
export async function broadcastTransaction(client: Client, transaction: SignedTransaction): Promise<TxHash> {
  const hash = hashTransaction(transaction)
  const tx = transactionToJson(transaction)
  client.onSigned?.(hash, tx)
  try {
    const answer = await client.request('user.broadcast', { tx, sync: 0 })
    // The node has the last word about the hash, should it ever write the signature in another form.
    if (!/^[0-9a-f]{64}$/.test(answer.tx_hash)) {
      throw malformedResponse('Cannot broadcast: the node answered no hash')
    }
    // It has just matched the form of a hash.
    return answer.tx_hash as TxHash
  } catch (error) {
    if (!isAmbiguous(error)) throw error
    if (await isKnown(client, hash)) return hash
    const code = error.code === 'timeout' ? 'timeout' : 'connection_lost'
    throw new StreamNetError(
      code,
      `${error.message}; transaction ${hash} may still land`,
      { hash },
      { cause: error },
    )
  }
}

/** Tells whether the request may have been accepted although it failed. */
function isAmbiguous(error: unknown): error is StreamNetError {
  if (!isStreamNetError(error)) return false
  const { code } = error
  return code === 'connection_lost' || code === 'timeout' || code === 'malformed_response'
}

/**
 * Tells whether a node knows a transaction. Asks three times, a second apart: one that was just accepted can
 * need a moment to be found.
 */
export async function isKnown(client: Client, hash: TxHash): Promise<boolean> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      await client.request('user.tx_query', { tx_hash: hash })
      return true
    } catch {
      if (attempt < 3) await client.platform.sleep(1000)
    }
  }
  return false
}
