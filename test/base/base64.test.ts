/** Base64: the vectors of RFC 4648, any bytes there and back, and what is refused. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from '#base/base64.ts'
import { encodeUtf8 } from '#base/utf8.ts'

// RFC 4648, section 10.
test.each([
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
])('encodeBase64() and decodeBase64() of "%s"', (text, base64) => {
  expect(encodeBase64(encodeUtf8(text))).toBe(base64)
  expect(decodeBase64(base64)).toEqual(encodeUtf8(text))
})

test('decodeBase64() reads what encodeBase64() writes, as Node does (property)', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      const base64 = encodeBase64(bytes)
      expect(base64).toBe(Buffer.from(bytes).toString('base64'))
      expect(decodeBase64(base64)).toEqual(bytes)
    }),
    { seed: 1 },
  )
})

test.each([8_191, 8_192, 8_193, 100_000])('encodeBase64() joins its parts at %d bytes', (length) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})

test.each(['Zg', 'Zg=', 'Zm9v\n', ' Zm9v', 'Zm9v Zm9v', 'Zm-v', 'Zm_v', 'Z===', '====', 'Zg==Zg=='])(
  'decodeBase64() refuses %j',
  (text) => {
    expect(() => decodeBase64(text)).toThrow(TypeError)
  },
)
