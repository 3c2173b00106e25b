/** Name-based UUIDs: the same namespace and name give the same identifier, everywhere and for ever. */

import { concatBytes } from './bytes.ts'
import { decodeHex, encodeHex } from './hex.ts'
import { encodeUtf8 } from './utf8.ts'

/**
 * Computes SHA-1 (FIPS 180-4 section 6.1), which UUIDs of version 5 are made of. Not for secrets.
 *
 * Written here because it must answer at once: the platform's own digest is asynchronous.
 *
 * @returns 20 octets.
 */
export function sha1(message: Uint8Array): Uint8Array {
  const length = message.length
  const blocks = new Uint8Array(Math.ceil((length + 9) / 64) * 64)
  blocks.set(message)
  blocks[length] = 0x80
  const view = new DataView(blocks.buffer)
  view.setUint32(blocks.length - 8, Math.floor((length * 8) / 2 ** 32))
  view.setUint32(blocks.length - 4, (length * 8) >>> 0)
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  const words = new Uint32Array(80)
  for (let start = 0; start < blocks.length; start += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(start + at * 4)
    for (let at = 16; at < 80; at++) {
      words[at] = rotate(word(at - 3) ^ word(at - 8) ^ word(at - 14) ^ word(at - 16), 1)
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
    for (let at = 0; at < 80; at++) {
      const next = (rotate(a, 5) + mix(at, b, c, d) + e + word(at)) >>> 0
      e = d
      d = c
      c = rotate(b, 30)
      b = a
      a = next
    }
    for (const [at, value] of [a, b, c, d, e].entries()) state[at] = ((state[at] ?? 0) + value) >>> 0
  }
  const digest = new DataView(new ArrayBuffer(20))
  for (const [at, value] of state.entries()) digest.setUint32(at * 4, value)
  return new Uint8Array(digest.buffer)

  function word(at: number): number {
    return words[at] ?? 0
  }
}

function rotate(value: number, bits: number): number {
  return ((value << bits) | (value >>> (32 - bits))) >>> 0
}

/** The function and constant of one round of 20 steps. */
function mix(step: number, b: number, c: number, d: number): number {
  if (step < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (step < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (step < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}

/**
 * Makes a UUID of version 5 (RFC 9562 section 5.5).
 *
 * @param namespace - a UUID as text with hyphens.
 * @throws TypeError when the namespace is not a UUID.
 */
export function uuidV5(namespace: string, name: string): string {
  const space = decodeHex(namespace.replaceAll('-', ''))
  if (space.length !== 16) throw new TypeError('Cannot make UUID: the namespace is not one, expected 32 hex digits')
  const octets = sha1(concatBytes(space, encodeUtf8(name))).subarray(0, 16)
  octets[6] = ((octets[6] ?? 0) & 0x0f) | 0x50
  octets[8] = ((octets[8] ?? 0) & 0x3f) | 0x80
  const hex = encodeHex(octets)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
