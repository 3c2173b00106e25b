/** Signatures and hashes made at once, by noble's own SHA-256 and HMAC: for nodes, and for programs that sign much. */

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hashes, sign } from '@noble/secp256k1'
import { canonicalJson, type ExactJson } from '../../base/canonical-json.ts'
import { decodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { encodeTransaction, toTxHash } from '../codec/transaction.ts'
import type { SignedTransaction, TxHash, UnsignedTransaction } from '../types.ts'
import { digestPersonalMessage, recoveryByteLast } from './digest.ts'
import { digestLocalAuth } from './local-auth.ts'
import { callMessage, transactionMessage } from './message.ts'
import { createSigner, type DigestSigner } from './signer.ts'

/** A signer that does not make one wait. */
export interface SyncSigner extends DigestSigner {
  /** @returns 65 bytes R, S, V with V 0 or 1. */
  signMessage(message: string): Uint8Array
  /** @returns 65 bytes R, S, V with V 0 or 1. */
  signDigest(digest: Uint8Array): Uint8Array
}

/**
 * Makes a signer that needs no WebCrypto and half the processor time of `createSigner`, in 2 kB more. Its signatures
 * are the same.
 *
 * @param privateKey - 64 hex digits, with or without `0x`.
 * @throws StreamNetError invalid_argument when it is not a key of the curve; the message never repeats it.
 */
export function createSyncSigner(privateKey: string): SyncSigner {
  const { address } = createSigner(privateKey)
  const key = decodeHex(privateKey.replace(/^0x/i, ''))
  return {
    address,
    signMessage: (message) => signDigestSync(digestPersonalMessage(message), key),
    signDigest: (digest) => signDigestSync(digest, key),
  }
}

/** Signs a digest (RFC 6979, low S): 65 bytes R, S and the recovery byte 0 or 1. */
export function signDigestSync(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  // The curve library asks for the hash it draws nonces with. Set on use, so that importing this costs nothing.
  hashes.hmacSha256 = (secret, message) => hmac(sha256, secret, message)
  return recoveryByteLast(sign(digest, privateKey, { prehash: false, format: 'recovered' }))
}

/** The text that the sender of a transaction signs. */
export function transactionMessageSync(transaction: UnsignedTransaction): string {
  return transactionMessage(transaction, sha256(transaction.payload))
}

/** The text of a view call to a node in private mode; the challenge is lower-case hex. */
export function callMessageSync(namespace: string, action: string, payload: Uint8Array, challenge: string): string {
  return callMessage(namespace, action, sha256(payload), challenge)
}

/** The digest that proves to a local node who asks; `ts` is Unix time in milliseconds. */
export function digestLocalAuthSync(method: string, params: ExactJson, ts: number): Uint8Array {
  return digestLocalAuth(method, sha256(encodeUtf8(canonicalJson(params))), ts)
}

/**
 * The hash of a signed transaction.
 *
 * @param bytes - the binary form, where it is known already.
 */
export function hashTransactionSync(transaction: SignedTransaction, bytes = encodeTransaction(transaction)): TxHash {
  return toTxHash(sha256(bytes))
}
