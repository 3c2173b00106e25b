/** The binary form of a transaction, and its hash. */

import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../base/bytes.ts'
import { encodeHex } from '../../base/hex.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes, addressToBytes } from '../ids.ts'
import type { SignedTransaction, TxHash } from '../types.ts'
import {
  encodeBigInt,
  encodeCompactBytes,
  encodeCompactString,
  encodeUvarint,
  readBigInt,
  readCompactBytes,
  readCompactString,
  readUvarint,
} from './compact.ts'
import { encodeUint, type Reader, readBytes } from './layout.ts'
import { assertVersion } from './value.ts'

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

/**
 * Decodes a signed transaction; a fee of null is 0, as it is when signed.
 *
 * @throws StreamNetError malformed_bytes when a part has another form, or the signature type, the
 * serialization or the sender is another.
 */
export function decodeTransaction(bytes: Uint8Array): SignedTransaction {
  const reader = readBytes(bytes, 'transaction')
  assertVersion(reader.uint(2), 'transaction')
  const signed = readBytes(required(reader), 'transaction signature')
  const signature = signed.take(readUvarint(signed)).slice()
  const type = readCompactString(signed)
  signed.end()
  const body = readBytes(required(reader), 'transaction body')
  const fields = {
    description: readCompactString(body),
    payload: required(body).slice(),
    payloadType: readCompactString(body),
    fee: readBigInt(body) ?? 0n,
    nonce: body.uint(8),
    chainId: readCompactString(body),
  }
  body.end()
  const serialization = readCompactString(reader)
  const sender = required(reader)
  reader.end()
  if (type !== signatureType || serialization !== serializationType || sender.length !== 20) {
    throw malformedBytes(
      `Cannot decode transaction: "${type}", "${serialization}" and ${sender.length} bytes of sender, expected "${signatureType}", "${serializationType}" and 20`,
    )
  }
  return { ...fields, sender: addressFromBytes(sender), signature }
}

/** The hash of a signed transaction: SHA-256 of its binary form. It covers the signature, recovery byte included. */
export function hashTransaction(transaction: SignedTransaction): TxHash {
  // 32 bytes make 64 lower-case hex digits.
  return encodeHex(sha256(encodeTransaction(transaction))) as TxHash
}

function required(reader: Reader): Uint8Array {
  return readCompactBytes(reader) ?? new Uint8Array()
}
