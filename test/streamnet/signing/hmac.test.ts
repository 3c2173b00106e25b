import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeHex } from '../../../src/base/hex.ts'
import { encodeUtf8 } from '../../../src/base/utf8.ts'
import { hmacSha256 } from '../../../src/streamnet/signing/hmac.ts'

// RFC 4231, sections 4.2 to 4.5.
test.each([
  [
    new Uint8Array(20).fill(0x0b),
    encodeUtf8('Hi There'),
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  ],
  [
    encodeUtf8('Jefe'),
    encodeUtf8('what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    new Uint8Array(20).fill(0xaa),
    new Uint8Array(50).fill(0xdd),
    '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  ],
])('hmacSha256() follows RFC 4231, case %#', (key, message, expected) => {
  expect(encodeHex(hmacSha256(key, message))).toBe(expected)
})

test('hmacSha256() agrees with the library for every key of one block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.uint8Array({ maxLength: 200 }), (key, message) => {
      expect(hmacSha256(key, message)).toEqual(hmac(sha256, key, message))
    }),
    { seed: 5 },
  )
})
