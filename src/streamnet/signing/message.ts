/** The exact texts a key signs: a transaction, a view call, a query, a sign-in at a gateway. */

import { encodeHex } from '../../base/hex.ts'
import type { UnsignedTransaction } from '../types.ts'

/**
 * The text of a transaction. A description of nothing leaves two empty lines at the start.
 *
 * @param payloadHash - SHA-256 of the payload.
 */
export function transactionMessage(transaction: UnsignedTransaction, payloadHash: Uint8Array): string {
  return `${transaction.description}

PayloadType: ${transaction.payloadType}
PayloadDigest: ${payloadDigest(payloadHash)}
Fee: ${transaction.fee}
Nonce: ${transaction.nonce}

Kwil Chain ID: ${transaction.chainId}
`
}

/**
 * The text of a view call to a node in private mode.
 *
 * @param payloadHash - SHA-256 of the payload.
 * @param challenge - lower-case hex.
 */
export function callMessage(namespace: string, action: string, payloadHash: Uint8Array, challenge: string): string {
  return `Kwil view call.

Namespace: ${namespace}
Method: ${action}
Digest: ${payloadDigest(payloadHash)}
Challenge: ${challenge}
`
}

/** The message by which a client signs in at a gateway. */
export interface SignInRequest {
  readonly nonce: string
  readonly statement?: string
  readonly issue_at: string
  readonly expiration_time: string
  readonly chain_id: string
  readonly domain: string
  readonly version: string
  readonly uri: string
}

/** The text of a sign-in at a gateway. */
export function signInMessage(request: SignInRequest): string {
  const statement = request.statement ? `${request.statement}\n\n` : '\n'
  return `${request.domain} wants you to sign in with your account:

${statement}URI: ${request.uri}
Version: ${request.version}
Chain ID: ${request.chain_id}
Nonce: ${request.nonce}
Issue At: ${request.issue_at}
Expiration Time: ${request.expiration_time}
`
}

// The first 20 bytes of the hash identify the payload: a wallet shows them to a person.
function payloadDigest(payloadHash: Uint8Array): string {
  return encodeHex(payloadHash.subarray(0, 20))
}
