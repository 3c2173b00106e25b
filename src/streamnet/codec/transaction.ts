/** The binary form of a transaction, and its hash. */

import { sha256 } from '@noble/hashes/webcrypto.js'
import { concatBytes } from '../../base/bytes.ts'
import { encodeHex } from '../../base/hex.ts'
import { addressToBytes } from '../ids.ts'
import type { SignedTransaction, TxHash } from '../types.ts'
import { encodeBigInt, encodeCompactBytes, encodeCompactString, encodeUvarint } from './compact.ts'
import { encodeUint } from './layout.ts'

/** The signature type of personal messages over secp256k1, the only one this client makes. */
export const signatureType = 'secp256k1_ep'
/** The only way to turn a transaction into text that nodes still accept. */
export const serializationType = 'concat'

/**
 * Encodes a signed transaction.
 *
 * - u16 0, the version
 * - compact bytes: signature (varint length, data), signature type (varint length, text)
 * - compact bytes: description (compact text), payload (compact bytes), payload type (compact text), fee
 *   (big integer), nonce (u64), chain id (compact text)
 * - serialization (compact text), sender (compact bytes)
 */
export function encodeTransaction(transaction: SignedTransaction): Uint8Array {
  const signature = concatBytes(
    encodeUvarint(transaction.signature.length),
    transaction.signature,
    encodeCompactString(signatureType),
  )
  const body = concatBytes(
    encodeCompactString(transaction.description),
    encodeCompactBytes(transaction.payload),
    encodeCompactString(transaction.payloadType),
    encodeBigInt(transaction.fee),
    encodeUint(transaction.nonce, 8),
    encodeCompactString(transaction.chainId),
  )
  return concatBytes(
    encodeUint(0, 2),
    encodeCompactBytes(signature),
    encodeCompactBytes(body),
    encodeCompactString(serializationType),
    encodeCompactBytes(addressToBytes(transaction.sender)),
  )
}

/** The hash of a signed transaction: SHA-256 of its binary form. It covers the signature, recovery byte included. */
export async function hashTransaction(transaction: SignedTransaction): Promise<TxHash> {
  return toTxHash(await sha256(encodeTransaction(transaction)))
}

/** Writes the SHA-256 of a transaction as its hash. */
export function toTxHash(hash: Uint8Array): TxHash {
  // 32 bytes make 64 lower-case hex digits.
  return encodeHex(hash) as TxHash
}
