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

/** A transaction that may lack its signature, its fee and its nonce. */
type Draft = Omit<UnsignedTransaction, 'fee' | 'nonce'> &
  Partial<Pick<SignedTransaction, 'signature' | 'fee' | 'nonce'>>

/** Writes a transaction as JSON. Its signature, fee and nonce are null where it has none, as when its price is asked for. */
export function transactionToJson(transaction: Draft): TransactionJson {
  const { signature, fee } = transaction
  return {
    signature: { sig: signature ? encodeBase64(signature) : null, type: signatureType },
    body: {
      desc: transaction.description,
      payload: encodeBase64(transaction.payload),
      type: transaction.payloadType,
      fee: fee === undefined ? null : `${fee}`,
      nonce: transaction.nonce ?? null,
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
      Number(nonce) >= 0 &&
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

/** Writes hex as base64, the form of challenges. */
export function hexToBase64(hex: string): string {
  return encodeBase64(decodeHex(hex))
}
