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
 * @throws StreamNetError invalid_nonce when the nonce is not the next one.
 * @throws StreamNetError mempool_full when the pool of the node is full.
 * @throws StreamNetError node_catching_up when the node reads old blocks.
 * @throws StreamNetError insufficient_balance when the account cannot pay.
 * @throws StreamNetError wrong_chain when it was signed for another chain.
 * @throws StreamNetError unauthenticated when the gateway does not accept who asks.
 * @throws StreamNetError broadcast_refused when the node refuses it for another reason.
 * @throws StreamNetError connection_refused when it never reached a node.
 * @throws StreamNetError no_backend when the gateway has no node behind it.
 * @throws StreamNetError connection_lost when it is unknown whether it was accepted; with `hash`.
 * @throws StreamNetError timeout when no answer came in time; with `hash`.
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
