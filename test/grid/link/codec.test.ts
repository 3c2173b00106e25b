/** Descriptions of octets: one description writes and reads, in its own order, and stops at a fault. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { fields, number, takeEach } from '#grid/link/codec.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'

const point = fields({ flags: number('u8', 'flags'), time: number('u48le', 'time'), value: number('f32', 'value') })

describe('fields()', () => {
  const value = { flags: 129, time: 0x010203040506, value: 1.5 }

  it('writes the fields in the order of the description', () => {
    const writer = writeOctets('point')
    point.put(writer, { value: 1.5, time: 0x010203040506, flags: 129 })
    expect(encodeHex(writer.done())).toBe('810605040302013fc00000')
  })

  it('reads what it wrote', () => {
    const reader = readOctets(decodeHex('810605040302013fc00000'), 'point')
    expect(reader.finish(point.take(reader))).toEqual({ ok: true, value })
  })

  it('names the field that is not there', () => {
    const reader = readOctets(decodeHex('8106'), 'point')
    expect(reader.finish(point.take(reader))).toMatchObject({ ok: false, fault: { code: 'truncated', field: 'time' } })
  })

  it('refuses a number that does not fit', () => {
    expect(() => point.put(writeOctets('point'), { ...value, flags: 256 })).toThrow('flags is 256, expected')
  })
})

describe('takeEach()', () => {
  it('reads as many items as are announced', () => {
    const reader = readOctets(decodeHex('0102'), 'list')
    expect(takeEach(reader, 2, () => reader.u8('item'))).toEqual([1, 2])
  })

  it('stops at the first fault', () => {
    const reader = readOctets(decodeHex('01'), 'list')
    expect(takeEach(reader, 1e9, () => reader.u8('item'))).toEqual([1, 0])
  })
})
