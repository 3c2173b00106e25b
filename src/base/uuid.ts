/** Name-based UUIDs: the same namespace and name give the same identifier, everywhere and for ever. */

import { sha1 } from '@noble/hashes/legacy.js'
import { concatBytes } from './bytes.ts'
import { decodeHex, encodeHex } from './hex.ts'
import { encodeUtf8 } from './utf8.ts'

/** Makes a UUID of version 5 (RFC 9562 section 5.5) in a namespace that is a UUID, or throws a TypeError. */
export function uuidV5(namespace: string, name: string): string {
  const space = decodeHex(namespace.replaceAll('-', ''))
  if (space.length !== 16) throw new TypeError('Cannot make UUID: the namespace is not one, expected 32 hex digits')
  const octets = sha1(concatBytes(space, encodeUtf8(name))).subarray(0, 16)
  // The version in octet 6, the variant in octet 8 (sections 4.2 and 4.1).
  octets[6] = ((octets[6] ?? 0) & 0x0f) | 0x50
  octets[8] = ((octets[8] ?? 0) & 0x3f) | 0x80
  const hex = encodeHex(octets)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
