import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8, writeUtf8 } from '#base/utf8.ts'

const text = fc.string({ unit: 'binary' })

test('decodeUtf8() undoes encodeUtf8() and refuses bytes that are not text', () => {
  fc.assert(
    fc.property(text, (text) => {
      expect(decodeUtf8(encodeUtf8(text))).toBe(text)
    }),
    { seed: 5 },
  )
  expect(() => decodeUtf8(Uint8Array.of(0xff))).toThrow(TypeError)
})

test('writeUtf8() writes what encodeUtf8() makes, and no more than fits', () => {
  fc.assert(
    fc.property(text, (text) => {
      const target = new Uint8Array(3 * text.length + 1)
      const length = writeUtf8(text, target)
      expect(target.slice(0, length)).toEqual(encodeUtf8(text))
    }),
    { seed: 5 },
  )
  expect(writeUtf8('aä', new Uint8Array(2))).toBe(1)
})
