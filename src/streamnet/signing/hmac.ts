/** The keyed hash from which a signature's nonce is drawn. */

import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../base/bytes.ts'

/**
 * HMAC-SHA-256 (RFC 2104). Nonces (RFC 6979) have keys of 32 bytes, so the rule for keys beyond one block is left
 * out; the library's own, made for every hash and for streams, would be a fiftieth of a small bundle.
 *
 * @param key - at most 64 bytes.
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): ReturnType<typeof sha256> {
  const inner = new Uint8Array(64).fill(0x36)
  const outer = new Uint8Array(64).fill(0x5c)
  key.forEach((byte, at) => {
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  })
  return sha256(concatBytes(outer, sha256(concatBytes(inner, message))))
}
