import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { encodeHex } from '../../../src/base/hex.ts'
import { encodeUtf8 } from '../../../src/base/utf8.ts'
import { keccak256 } from '../../../src/streamnet/signing/keccak.ts'

// Of the Keccak team's own vectors, before SHA-3 changed the padding.
test.each([
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
])('keccak256() of "%s"', (text, expected) => {
  expect(encodeHex(keccak256(encodeUtf8(text)))).toBe(expected)
})

test('keccak256() agrees with the library at every length of up to three blocks', () => {
  for (let length = 0; length <= 3 * 136; length++) {
    const message = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256)
    expect(encodeHex(keccak256(message))).toBe(encodeHex(keccak_256(message)))
  }
})
