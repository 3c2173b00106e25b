/** Transactions and account ids as the JSON of the node, written and read. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { decodeHex } from '../../base/hex.ts'
import { serializationType, signatureType } from '../codec/transaction.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes } from '../ids.ts'
import type { Address, SignedTransaction, UnsignedTransaction } from '../types.ts'
import type { AccountIdJson, TransactionJson } from './methods.ts'

/** Writes an account's id as JSON. */
export function accountIdToJson(address: Address): AccountIdJson {
  return { identifier: address.slice(2), key_type: 'secp256k1' }
}

/** Writes a signed transaction as JSON. */
export function transactionToJson(transaction: SignedTransaction): TransactionJson {
  return toJson(transaction, encodeBase64(transaction.signature), `${transaction.fee}`, transaction.nonce)
}

/** Writes a transaction without signature, fee and nonce, to ask what it would cost. */
export function estimateToJson(transaction: Omit<UnsignedTransaction, 'fee' | 'nonce'>): TransactionJson {
  return toJson(transaction, null, null, null)
}

function toJson(
  transaction: Omit<UnsignedTransaction, 'fee' | 'nonce'>,
  sig: string | null,
  fee: string | null,
  nonce: number | null,
): TransactionJson {
  return {
    signature: { sig, type: signatureType },
    body: {
      desc: transaction.description,
      payload: encodeBase64(transaction.payload),
      type: transaction.payloadType,
      fee,
      nonce,
      chain_id: transaction.chainId,
    },
    serialization: serializationType,
    sender: transaction.sender.slice(2),
  }
}

/**
 * Reads a signed transaction from JSON.
 *
 * @throws StreamNetError malformed_bytes when a member is missing, of the wrong type, or not the encoding it
 * should be; a sender with `0x` is one of those.
 */
export function transactionFromJson(json: unknown): SignedTransaction {
  try {
    // Every member is checked below before it is used; a missing object throws and is caught.
    const { signature, body, sender, serialization } = json as TransactionJson
    const [fee, nonce] = [body.fee ?? '0', body.nonce]
    const isShaped =
      signature.type === signatureType &&
      serialization === serializationType &&
      /^[0-9a-fA-F]{40}$/.test(sender) &&
      /^\d{1,100}$/.test(fee) &&
      Number.isSafeInteger(nonce) &&
      [body.desc, body.type, body.chain_id].every((text) => typeof text === 'string')
    if (!isShaped) throw new TypeError('a member has another form')
    return {
      description: body.desc,
      payload: decodeBase64(body.payload),
      payloadType: body.type,
      fee: BigInt(fee),
      nonce: Number(nonce),
      chainId: body.chain_id,
      sender: addressFromBytes(decodeHex(sender)),
      signature: decodeBase64(signature.sig ?? ''),
    }
  } catch (cause) {
    // The decoders and the check above throw Errors.
    throw malformedBytes(`Cannot read transaction: ${(cause as Error).message}`)
  }
}

/** A challenge or signature in base64, from hex or bytes. */
export function hexToBase64(hex: string): string {
  return encodeBase64(decodeHex(hex))
}
