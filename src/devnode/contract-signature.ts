/** Signatures of attestations and epochs, as contracts of other chains verify them. */

import { decodeHex } from '../base/hex.ts'
import { signDigestSync } from '../streamnet/signing/sync-signer.ts'

/** Signs a digest of 32 bytes for a contract by a key of 64 hex digits: 65 bytes R, S, V with V 27 or 28. */
export function signForContract(digest: Uint8Array, key: string): Uint8Array {
  const signature = signDigestSync(digest, decodeHex(key))
  signature[64] = (signature[64] ?? 0) + 27
  return signature
}
