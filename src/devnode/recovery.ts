/**
 * Who signed what reached the node. Recovery is most of what a transaction costs, and noble's large curve library
 * (which splits a scalar in two, GLV) does it in half the time of the small one that the client carries.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { recoverAddress } from '../streamnet/signing/digest.ts'
import type { Address } from '../streamnet/types.ts'

/**
 * Finds who signed a digest.
 *
 * @param signature - 65 bytes R, S, V with V 0 or 1, or 27 or 28 as wallets write it.
 * @returns undefined where no key fits, or the signature is not one.
 */
export function findSigner(digest: Uint8Array, signature: Uint8Array): Address | undefined {
  try {
    return recoverAddress(digest, signature, recoverPublicKey)
  } catch {
    // No key fits the signature, or its recovery byte is out of range.
    return undefined
  }
}

/**
 * Finds a public key, uncompressed, from the recovery byte followed by R and S, and a digest of 32 bytes.
 *
 * @throws Error when no key fits.
 */
export function recoverPublicKey(recovered: Uint8Array, digest: Uint8Array): Uint8Array {
  return secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(digest).toBytes(false)
}
