/** BER: the examples of ITU-T X.690 for lengths and integers, and faults. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import {
  encodeElement,
  encodeInteger,
  encodeOptional,
  findTag,
  fromIntegerOctets,
  listElements,
  listInside,
  putElement,
  readInteger,
  takeElement,
  takeTagged,
  toIntegerOctets,
} from '#grid/protocols/ber.ts'

const element = (length: number) => encodeHex(putElement(writeOctets('element'), 0x30, new Uint8Array(length)).done())

describe('putElement()', () => {
  it.each([
    [0, '3000'],
    [38, '3026'],
    [127, '307f'],
    [128, '308180'],
    [201, '3081c9'],
    [255, '3081ff'],
    [256, '30820100'],
    [65_535, '3082ffff'],
  ])('writes a length of %i in the definite form of clauses 8.1.3.4 and 8.1.3.5', (length, head) => {
    expect(element(length)).toBe(head + '00'.repeat(length))
  })

  it('refuses contents of more than 65535 octets', () => {
    expect(() => element(65_536)).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
  })
})

describe('takeElement()', () => {
  it.each([0, 1, 127, 128, 255, 256, 65_535])('reads back contents of %i octets', (length) => {
    const contents = new Uint8Array(length).fill(5)
    const reader = readOctets(putElement(writeOctets('element'), 0x83, contents).done(), 'frame')
    const taken = takeElement(reader, 'field')
    expect([taken.tag, taken.contents.length, taken.offset]).toEqual([0x83, length, reader.offset() - length])
    expect(reader.finish(null).ok).toBe(true)
  })

  it.each([
    ['length', 'the indefinite form', '3080000000'],
    ['length', 'a length in three octets', '3083000001ff'],
    ['length', 'more octets than are left', '300301'],
    ['truncated', 'no length', '30'],
  ])('finds the fault %s: %s', (code, _, hex) => {
    const reader = readOctets(decodeHex(hex), 'frame')
    takeElement(reader, 'field')
    expect(reader.result(null)).toMatchObject({ ok: false, fault: { code } })
  })
})

describe('takeTagged()', () => {
  it('takes the contents of the tag, and refuses another at the place of the element', () => {
    const reader = readOctets(decodeHex('800101810102'), 'frame')
    expect([...takeTagged(reader, 0x80, 'first')]).toEqual([1])
    takeTagged(reader, 0x82, 'second')
    expect(reader.refuse().fault).toMatchObject({ code: 'value', field: 'second', offset: 3 })
  })
})

describe('encodeElement()', () => {
  it('writes contents behind each other, and leaves an absent part out', () => {
    const absent = encodeOptional<number>(undefined, (value) => encodeInteger(0x80, value))
    const present = encodeOptional(5, (value) => encodeInteger(0x81, value))
    expect(encodeHex(encodeElement(0xa0, ...absent, ...present, encodeInteger(0x02, -129)))).toBe(
      'a007810105' + '0202ff7f',
    )
  })
})

describe('listElements()', () => {
  const whole = () => readOctets(new Uint8Array(0), 'frame')

  it('lists what follows and what is inside, each to be found by its tag', () => {
    const reader = whole()
    const elements = listElements(reader, decodeHex('a003800107' + '8100'), 'part')
    expect(elements.map(({ tag }) => tag)).toEqual([0xa0, 0x81])
    const inside = listInside(reader, findTag(elements, 0xa0), 'part')
    expect(readInteger(reader, findTag(inside, 0x80), 'number')).toBe(7)
    expect(listInside(reader, findTag(elements, 0xa1), 'part')).toEqual([])
    expect(reader.finish(null).ok).toBe(true)
  })

  it('gives its fault to the reader of the whole', () => {
    const reader = whole()
    expect(listElements(reader, decodeHex('8100' + '820501'), 'part')).toEqual([])
    expect(reader.refuse().fault).toMatchObject({
      code: 'length',
      message: 'Cannot decode frame: part claims 5 octets, 1 are left',
    })
  })
})

describe('readInteger()', () => {
  it.each([
    ['is missing', undefined],
    ['has no octets', { tag: 0x80, contents: new Uint8Array(0), offset: 2 }],
  ])('finds an integer that %s', (_, element) => {
    const reader = readOctets(new Uint8Array(0), 'frame')
    expect(readInteger(reader, element, 'number')).toBe(0)
    expect(reader.refuse().fault).toMatchObject({ code: 'value', field: 'number' })
  })
})

describe('toIntegerOctets()', () => {
  it.each([
    [0, '00'],
    [1, '01'],
    [127, '7f'],
    [128, '0080'],
    [255, '00ff'],
    [256, '0100'],
    [32_768, '008000'],
    [4_294_967_295, '00ffffffff'],
    [-1, 'ff'],
    [-128, '80'],
    [-129, 'ff7f'],
    [-256, 'ff00'],
    [-32_768, '8000'],
  ])('writes %i as %s, in the fewest octets', (value, hex) => {
    expect(encodeHex(toIntegerOctets(value))).toBe(hex)
    expect(fromIntegerOctets(decodeHex(hex))).toBe(value)
  })

  it('is read back for every value of 48 bits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(2 ** 47), max: 2 ** 47 - 1 }), (value) => {
        const octets = toIntegerOctets(value)
        expect(fromIntegerOctets(octets)).toBe(value)
        // Clause 8.3.2: the first nine bits are neither all ones nor all zeros.
        const lead = ((octets[0] ?? 0) << 1) | ((octets[1] ?? 0) >>> 7)
        if (octets.length > 1) expect([0, 0x1ff]).not.toContain(lead)
      }),
    )
  })
})

describe('fromIntegerOctets()', () => {
  it.each(['', '00000000000000'])('reads no integer of the octets "%s"', (hex) => {
    expect(fromIntegerOctets(decodeHex(hex))).toBeUndefined()
  })
})
