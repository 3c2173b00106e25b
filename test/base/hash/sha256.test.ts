/** SHA-256 and its HMAC: examples of the standards, and noble's digests at every length of some blocks. */

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { hmacSha256, sha256 } from '#base/hash/sha256.ts'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** Bytes without a pattern that a block repeats. */
function bytesOf(length: number, seed = 1): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => Math.imul(at + seed, 0x9e3779b1) >>> 24)
}

describe('sha256()', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('of %j is the digest of FIPS 180-4', (message, digest) => {
    expect(encodeHex(sha256(encodeUtf8(message)))).toBe(digest)
  })

  it('is noble’s at every length of four blocks, and of a view into a larger buffer', () => {
    for (let length = 0; length <= 256; length++) {
      const message = bytesOf(length)
      expect(sha256(message)).toEqual(nobleSha256(message))
    }
    const view = bytesOf(300).subarray(17, 212)
    expect(sha256(view)).toEqual(nobleSha256(view))
  })
})

describe('hmacSha256()', () => {
  it('of the second case of RFC 4231 is its code', () => {
    const code = hmacSha256(encodeUtf8('Jefe'), encodeUtf8('what do ya want for nothing?'))
    expect(encodeHex(code)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
  })

  it('is noble’s with keys below, at and beyond a block', () => {
    for (let length = 0; length <= 130; length++) {
      const [key, message] = [bytesOf(length, 7), bytesOf(130 - length)]
      expect(hmacSha256(key, message)).toEqual(hmac(nobleSha256, key, message))
    }
  })
})
