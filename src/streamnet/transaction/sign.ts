/** From a transaction to a signed one. */

import { sha256 } from '@noble/hashes/webcrypto.js'
import { encodeUtf8 } from '../../base/utf8.ts'
import { invalidArgument, malformedBytes } from '../errors.ts'
import { transactionMessage } from '../signing/message.ts'
import type { Signer } from '../signing/signer.ts'
import type { SignedTransaction, UnsignedTransaction } from '../types.ts'

/**
 * Signs a transaction. The signature's recovery byte stays as the signer writes it, because the hash covers it.
 *
 * @throws StreamNetError invalid_argument when the description has more than 200 bytes.
 * @throws StreamNetError malformed_bytes when the signer answers something else than 65 bytes.
 */
export async function signTransaction(
  transaction: UnsignedTransaction,
  signer: Pick<Signer, 'signMessage'>,
): Promise<SignedTransaction> {
  if (encodeUtf8(transaction.description).length > 200) {
    throw invalidArgument('Cannot sign transaction: the description has more than 200 bytes')
  }
  const signature = await signer.signMessage(transactionMessage(transaction, await sha256(transaction.payload)))
  if (signature.length !== 65) {
    throw malformedBytes(`Cannot sign transaction: the signer answered ${signature.length} bytes, expected 65`)
  }
  return { ...transaction, signature }
}
