/** Digests and recoverable signatures over secp256k1, in the order wallets use: R, S, then the recovery byte. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { getPublicKey, recoverPublicKey, Signature, signAsync } from '@noble/secp256k1'
import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes } from '../ids.ts'
import type { Address } from '../types.ts'

/** Digest of a personal message (EIP-191): Keccak-256 of a prefix, the length in bytes, and the text. */
export function digestPersonalMessage(message: string): Uint8Array {
  const text = encodeUtf8(message)
  return keccak_256(concatBytes(encodeUtf8(`\x19Ethereum Signed Message:\n${text.length}`), text))
}

/**
 * Signs a digest (RFC 6979, low S). The nonce is drawn by noble's `hashes.hmacSha256Async`, which asks the platform's
 * WebCrypto unless a program gives it another.
 *
 * @returns 65 bytes R, S and the recovery byte 0 or 1.
 */
export async function signDigest(digest: Uint8Array, privateKey: Uint8Array): Promise<Uint8Array> {
  return recoveryByteLast(await signAsync(digest, privateKey, { prehash: false, format: 'recovered' }))
}

/** The library puts the recovery byte first, every wallet and node expects it last. */
export function recoveryByteLast(recovered: Uint8Array): Uint8Array {
  return concatBytes(recovered.subarray(1), recovered.subarray(0, 1))
}

/** Finds a public key, uncompressed, from the recovery byte followed by R and S, and a digest of 32 bytes. */
type RecoverPublicKey = (recovered: Uint8Array, digest: Uint8Array) => Uint8Array

/**
 * Finds who signed a digest.
 *
 * @param signature - 65 bytes R, S, V with V 0 or 1, or 27 or 28 as wallets write it.
 * @param recover - the library that finds the key; the small one that also signs when left out.
 * @throws StreamNetError malformed_bytes when the length or the recovery byte is another, or no key fits.
 */
export function recoverAddress(
  digest: Uint8Array,
  signature: Uint8Array,
  recover: RecoverPublicKey = (recovered, hash) =>
    recoverPublicKey(recovered, hash, { prehash: false, isCompressed: false }),
): Address {
  const byte = signature[64] ?? 0
  const recovery = byte < 27 ? byte : byte - 27
  if (signature.length !== 65 || recovery > 1) {
    throw malformedBytes(
      `Cannot recover signer: ${signature.length} bytes with recovery byte ${byte}, expected 65 with 0, 1, 27 or 28`,
    )
  }
  try {
    const recovered = concatBytes(Uint8Array.of(recovery), signature.subarray(0, 64))
    return deriveAddress(recover(recovered, digest))
  } catch {
    throw malformedBytes('Cannot recover signer: no public key fits the signature')
  }
}

/**
 * Finds who signed a personal message.
 *
 * @param message - the text that was signed.
 * @param signature - 65 bytes R, S, V.
 * @throws StreamNetError as `recoverAddress` does.
 *
 * @example
 * const signature = await createSigner('11'.repeat(32)).signMessage('hello')
 * const address = recoverPersonalMessage('hello', signature)
 */
export function recoverPersonalMessage(message: string, signature: Uint8Array): Address {
  return recoverAddress(digestPersonalMessage(message), signature)
}

/**
 * Tells whether a signature is in its one canonical form: s in the lower half of the curve's order.
 *
 * With s replaced by the order minus s, and the other recovery byte, the same key signs the same digest. A
 * receiver that remembers signatures to accept each of them once must refuse the second form.
 *
 * @param signature - 65 bytes R, S, V.
 */
export function isCanonicalSignature(signature: Uint8Array): boolean {
  try {
    return !Signature.fromBytes(signature.subarray(0, 64), 'compact').hasHighS()
  } catch {
    // R or S is 0, or not below the order.
    return false
  }
}

/** The address of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Address {
  return deriveAddress(getPublicKey(privateKey, false))
}

// Last 20 bytes of the hash of both coordinates, without the byte that says there are two.
function deriveAddress(publicKey: Uint8Array): Address {
  return addressFromBytes(keccak_256(publicKey.subarray(1)).subarray(12))
}
