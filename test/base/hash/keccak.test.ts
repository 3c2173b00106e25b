/** Keccak-256: published digests, and noble's at every length of some blocks. */

import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { keccak256 } from '#base/hash/keccak.ts'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

describe('keccak256()', () => {
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ])('of %j is the digest that Ethereum has', (message, digest) => {
    expect(encodeHex(keccak256(encodeUtf8(message)))).toBe(digest)
  })

  it('is noble’s at every length of three blocks, and of a view into a larger buffer', () => {
    const bytes = Uint8Array.from({ length: 420 }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 24)
    for (let length = 0; length <= 3 * 136 + 1; length++) {
      const start = length % 11
      const message = bytes.subarray(start, start + length)
      expect(keccak256(message)).toEqual(keccak_256(message))
    }
  })
})
