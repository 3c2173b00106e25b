import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { keccak256 } from '#streamnet/codec/keccak.ts'
import { messagesUpTo } from './hashes.ts'

// Published with the first submission of Keccak, and in EIP-1052.
test.each([
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
])('keccak256() of "%s" is the published one', (text, digest) => {
  expect(encodeHex(keccak256(encodeUtf8(text)))).toBe(digest)
})

test('keccak256() gives what noble gives, up to three blocks and more', () => {
  for (const message of messagesUpTo(420)) expect(keccak256(message)).toEqual(keccak_256(message))
})
