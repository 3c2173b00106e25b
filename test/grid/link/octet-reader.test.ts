/** The reader: every width in both orders, the first fault that stays, and its end. */

import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { faulty, type OctetReader, readOctets } from '#grid/link/octet-reader.ts'

const open = (hex: string): OctetReader => readOctets(decodeHex(hex), 'test frame')

describe('readOctets()', () => {
  it.each([
    ['u8', 'f1', 0xf1],
    ['u16', 'f102', 0xf102],
    ['u16le', 'f102', 0x02f1],
    ['i16', 'fffe', -2],
    ['i16', '7fff', 32_767],
    ['u24', 'f10203', 0xf10203],
    ['u24le', '0102f3', 0xf30201],
    ['u32', 'f1020304', 0xf1020304],
    ['u32le', '010203f4', 0xf4030201],
    ['i32', 'fffffffe', -2],
    ['f32', '3fc00000', 1.5],
    ['f32le', '0000c03f', 1.5],
    ['u48le', '0102030405f6', 0xf60504030201],
  ] as const)('reads %s of %s', (width, hex, value) => {
    const reader = open(`00${hex}`)
    reader.u8('first')
    expect(reader[width]('field')).toBe(value)
    expect([reader.offset(), reader.remaining()]).toEqual([1 + hex.length / 2, 0])
    expect(reader.finish(value)).toEqual({ ok: true, value })
  })

  it('reads a part of a larger buffer, and no octet outside', () => {
    const reader = readOctets(decodeHex('aa0102bb').subarray(1, 3), 'part')
    expect(reader.u16('inside')).toBe(0x0102)
    expect(reader.u8('outside')).toBe(0)
    expect(reader.result(null)).toMatchObject({ ok: false, fault: { code: 'truncated', offset: 2 } })
  })

  it('takes a copy, which later changes of the frame do not reach', () => {
    const bytes = Uint8Array.of(1, 2, 3)
    const reader = readOctets(bytes, 'frame')
    const taken = reader.take(2, 'field')
    bytes.fill(9)
    expect([...taken]).toEqual([1, 2])
    reader.refuse()
  })

  it('keeps the first fault, and reads zeros from then on', () => {
    const reader = open('0102')
    expect(reader.u32('length')).toBe(0)
    expect([reader.u8('later'), reader.take(1, 'later').length, reader.failed()]).toEqual([0, 0, true])
    reader.fail('value', 'later', 'never seen')
    expect(reader.finish('value')).toEqual({
      ok: false,
      fault: {
        code: 'truncated',
        offset: 0,
        field: 'length',
        message: 'Cannot decode test frame: length needs 4 octets at 0, 2 are left',
      },
    })
  })

  it('refuses to take fewer octets than none', () => {
    const reader = open('0102')
    expect(reader.take(-1, 'rest')).toHaveLength(0)
    expect(reader.refuse().fault).toMatchObject({ code: 'truncated', field: 'rest' })
  })

  it('places a fault of a decoder at the cursor, or at the offset that it gives', () => {
    const here = open('0102')
    here.u8('first')
    here.fail('value', 'first', 'is 1')
    expect(here.refuse().fault.offset).toBe(1)
    const there = open('0102')
    there.fail('value', 'first', 'is 1', 7)
    expect(there.refuse().fault.offset).toBe(7)
  })

  it('finds octets that are left with `finish`, and allows them with `result`', () => {
    expect(open('01').finish(1)).toMatchObject({ ok: false, fault: { code: 'trailing', field: 'end' } })
    expect(open('01').result(1)).toEqual({ ok: true, value: 1 })
  })

  it('refuses without a fault as a frame of which nothing was decoded', () => {
    expect(open('').refuse()).toEqual(
      faulty('test frame', { code: 'value', offset: 0, field: 'frame' }, 'nothing was decoded'),
    )
  })

  it('is not to be used after its outcome, which another frame may have by then', () => {
    const reader = open('0102')
    reader.result(null)
    expect(() => reader.u8('field')).toThrow('used after it was done')
    expect(() => reader.result(null)).toThrow('used after it was done')
  })

  it('keeps frames apart that are read at the same time', () => {
    const outer = open('0102')
    outer.u8('first')
    const inner = open('ff')
    expect([inner.u8('only'), inner.u8('none'), outer.u8('second')]).toEqual([255, 0, 2])
    expect([inner.result(0).ok, outer.result(0).ok]).toEqual([false, true])
  })
})
