/**
 * Recovery of the signers of transactions and calls. It is most of the cost of a transaction, and noble's large curve
 * library (which splits a scalar in two, GLV) does it in half the time of the small one that the client carries.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js'
import { recoverAddress } from '../streamnet/signing/digest.ts'
import type { Address } from '../streamnet/types.ts'

/** Finds who signed a digest by R, S, V (V of 0, 1, 27 or 28); undefined for anything else than a signature. */
export function findSigner(digest: Uint8Array, signature: Uint8Array): Address | undefined {
  return recover(digest, signature)?.signer
}

/** Finds the public key (65 bytes) that signed a digest, where it is that of the address; undefined otherwise. */
export function recoverKey(address: string, digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const found = recover(digest, signature)
  return found?.signer === address ? found.key : undefined
}

function recover(digest: Uint8Array, signature: Uint8Array) {
  let key: Uint8Array | undefined
  try {
    const signer = recoverAddress(digest, signature, (recovered, hash) => {
      key = secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(hash).toBytes(false)
      return key
    })
    return { signer, key }
  } catch {
    // No key fits the signature, or its recovery byte is out of range.
    return undefined
  }
}

/** Writes a public key in 33 bytes, as the network names its validators: whether Y is odd, and X. */
export function compressKey(key: Uint8Array): Uint8Array {
  return Uint8Array.from([2 + ((key[64] ?? 0) & 1), ...key.subarray(1, 33)])
}
