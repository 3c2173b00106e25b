import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'

describe('encodeHex()', () => {
  it('writes two lower-case digits a byte', () => {
    expect(encodeHex(new Uint8Array([0, 10, 255]))).toBe('000aff')
  })
})

describe('decodeHex()', () => {
  it('reads digits of either case', () => {
    expect(decodeHex('000AfF')).toEqual(new Uint8Array([0, 10, 255]))
  })

  it.each(['0', 'zz', '0x00', '00 '])('refuses %j', (text) => {
    expect(() => decodeHex(text)).toThrow(/even number of hex digits/)
  })
})
