/** From a signed transaction to the pool of a node, also when the connection breaks in the middle. */

import { messageOf } from '../../base/errors.ts'
import { assertGoing } from '../call-options.ts'
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
 * @throws StreamNetError aborted when the client's signal ended it; with `hash` once it was sent.
 */
export async function broadcastTransaction(client: Client, transaction: SignedTransaction): Promise<TxHash> {
  const hash = await hashTransaction(transaction)
  const tx = transactionToJson(transaction)
  assertGoing(client.signal, 'user.broadcast')
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
    throw unsettled(hash, error)
  }
}

/** Tells whether the request may have been accepted although it failed. */
function isAmbiguous(error: unknown): error is StreamNetError {
  if (!isStreamNetError(error)) return false
  const { code } = error
  return code === 'connection_lost' || code === 'timeout' || code === 'aborted' || code === 'malformed_response'
}

/** An error for a transaction that a node may have: no answer says so, and none denies it. */
function unsettled(hash: TxHash, cause: unknown): StreamNetError<'timeout' | 'aborted' | 'connection_lost'> {
  const isEnded = isStreamNetError(cause) && (cause.code === 'timeout' || cause.code === 'aborted')
  const code = isEnded ? cause.code : 'connection_lost'
  const message = messageOf(cause)
  return new StreamNetError(code, `${message}; transaction ${hash} may still land`, { hash }, { cause })
}

/**
 * Sends a transaction that may have been sent before, as it was signed: it takes effect once at most.
 *
 * @returns the hash, also when the node refuses the transaction because it has it already.
 * @throws StreamNetError invalid_nonce when this transaction has not used its nonce and may be signed anew.
 * @throws StreamNetError connection_lost when the node refuses it and does not say whether it has it; with `hash`.
 * @throws StreamNetError timeout when it refuses it and does not say so in time; with `hash`.
 * @throws StreamNetError as `broadcastTransaction` does otherwise.
 */
export async function broadcastAgain(client: Client, transaction: SignedTransaction): Promise<TxHash> {
  try {
    return await broadcastTransaction(client, transaction)
  } catch (error) {
    // A node refuses a transaction that it has already without a separate code.
    if (!isStreamNetError(error, 'invalid_nonce') && !isStreamNetError(error, 'broadcast_refused')) throw error
    const hash = await hashTransaction(transaction)
    const isTaken = await lookUp(client, hash).catch((cause) => Promise.reject(unsettled(hash, cause)))
    if (isTaken) return hash
    throw error
  }
}

/** Tells whether a node knows a transaction; false also when it does not answer that. */
export async function isKnown(client: Client, hash: TxHash): Promise<boolean> {
  try {
    return await lookUp(client, hash)
  } catch {
    return false
  }
}

/** Looks for a transaction three times, a second apart; false when the node says at last that it is unknown. */
async function lookUp(client: Client, hash: TxHash): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.request('user.tx_query', { tx_hash: hash })
      return true
    } catch (error) {
      if (attempt === 3 && isStreamNetError(error, 'transaction_not_found')) return false
      if (attempt === 3) throw error
      await client.platform.sleep(1000)
    }
  }
}
