/** The writer: every width in both orders, values that do not fit, growth, and its end. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { expectField, writeOctets } from '#grid/link/octet-writer.ts'

const widths = [
  ['u8', 0xf1, 'f1', 0, 0xff],
  ['u16', 0xf102, 'f102', 0, 0xffff],
  ['u16le', 0xf102, '02f1', 0, 0xffff],
  ['i16', -2, 'fffe', -0x8000, 0x7fff],
  ['u24', 0xf10203, 'f10203', 0, 0xffffff],
  ['u24le', 0xf10203, '0302f1', 0, 0xffffff],
  ['u32', 0xf1020304, 'f1020304', 0, 0xffffffff],
  ['u32le', 0xf1020304, '040302f1', 0, 0xffffffff],
  ['i32', -2, 'fffffffe', -0x80000000, 0x7fffffff],
  ['u48le', 0xf10203040506, '0605040302f1', 0, 0xffffffffffff],
] as const

describe('writeOctets()', () => {
  it.each(widths)('writes %s of %d as %s', (width, value, hex) => {
    const writer = writeOctets('test frame').u8(0xaa, 'first')[width](value, 'field')
    expect(writer.length()).toBe(1 + hex.length / 2)
    expect(encodeHex(writer.done())).toBe(`aa${hex}`)
  })

  it.each(widths)('takes the least and the most of %s, and nothing beyond', (width, _, hex, low, high) => {
    const writer = writeOctets('test frame')
    writer[width](low, 'field')[width](high, 'field')
    for (const value of [low - 1, high + 1, low + 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => writer[width](value, 'reactor')).toThrow(
        expect.objectContaining({
          code: 'malformed_frame',
          message: `Cannot encode test frame: reactor is ${value}, expected an integer from ${low} to ${high}`,
        }),
      )
    }
    expect(writer.done()).toHaveLength(hex.length)
  })

  it('writes floats in both orders', () => {
    expect(encodeHex(writeOctets('frame').f32(1.5).f32le(1.5).done())).toBe('3fc000000000c03f')
  })

  it('grows past the room that it begins with, and keeps what is written', () => {
    const writer = writeOctets('frame').bytes(new Uint8Array(511).fill(7)).u32(0x01020304, 'field')
    const octets = writer.bytes(new Uint8Array(5000).fill(9)).u8(8, 'last').done()
    expect(octets).toHaveLength(5516)
    expect([octets[0], octets[510], octets[511], octets[514], octets[515], octets[5515]]).toEqual([7, 7, 1, 4, 9, 8])
  })

  it('gives octets that later frames do not change', () => {
    const first = writeOctets('frame').u16(0x0102, 'field').done()
    writeOctets('frame').u16(0xffff, 'field').done()
    expect(encodeHex(first)).toBe('0102')
  })

  it('is not to be used after it was done', () => {
    const writer = writeOctets('frame')
    writer.done()
    expect(() => writer.u8(1, 'field')).toThrow('used after it was done')
    expect(() => writer.done()).toThrow('used after it was done')
  })
})

describe('expectField()', () => {
  it.each([0, 1, 255])('takes %d of 255', (value) => {
    expect(() => expectField('frame', 'field', value, 255)).not.toThrow()
  })

  it.each([-1, 256, 0.5, Number.NaN])('refuses %d of 255', (value) => {
    expect(() => expectField('frame', 'field', value, 255)).toThrow(
      expect.objectContaining({
        code: 'malformed_frame',
        message: `Cannot encode frame: field is ${value}, expected an integer from 0 to 255`,
      }),
    )
  })
})
