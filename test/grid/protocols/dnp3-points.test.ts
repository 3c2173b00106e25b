/** Points behind DNP3 headers: each kind and each qualifier octet by octet. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import { type Dnp3PointObject, putPoints, putRange, takePoints, takeRange } from '#grid/protocols/dnp3-points.ts'

function hexOf(object: Dnp3PointObject): string {
  const writer = writeOctets('points')
  putPoints(writer, object)
  return encodeHex(writer.done())
}

/** Reads a header of three octets and the points behind it, all of the text. */
function read(hex: string) {
  const reader = readOctets(decodeHex(hex), 'points')
  const header = { group: reader.u8('group'), variation: reader.u8('variation'), qualifier: reader.u8('qualifier') }
  const object = takePoints(reader, header)
  return object === undefined ? undefined : reader.finish(object)
}

/** One point of each kind with its octets behind the index, as IEEE 1815 annex A lays them out. */
const kinds = [
  { kind: 'binary_input', header: '0102', point: { flags: 0x81 }, hex: '81' },
  { kind: 'binary_input_event', header: '0202', point: { flags: 0x01, time: 0x0102_0304_0506 }, hex: '01060504030201' },
  {
    kind: 'control',
    header: '0c01',
    point: { code: 0x81, count: 2, onTimeMs: 100, offTimeMs: 0x0403_0201, status: 4 },
    hex: '8102' + '64000000' + '01020304' + '04',
  },
  { kind: 'analog_input', header: '1e05', point: { flags: 1, value: -0.25 }, hex: '01' + '000080be' },
  {
    kind: 'analog_input_event',
    header: '2007',
    point: { flags: 1, value: 1.5, time: 0xffff_ffff_ffff },
    hex: '010000c03f' + 'ffffffffffff',
  },
] as const

/** A point with an index by each qualifier: what lies between header and point. */
const qualifiers = [
  ['range8', '00' + '0505'],
  ['range16', '01' + '05000500'],
  ['index8', '17' + '01' + '05'],
  ['index16', '28' + '0100' + '0500'],
] as const

const every = kinds.flatMap(({ kind, header, point, hex }) =>
  qualifiers.map(([qualifier, between]) => {
    // The kind and its point belong together in the table above.
    const object = { kind, qualifier, points: [{ index: 5, ...point }] } as unknown as Dnp3PointObject
    return [`${kind} by ${qualifier}`, `${header}${between}${hex}`, object] as const
  }),
)

describe('putPoints()', () => {
  it.each(every)('writes %s as %s', (_, hex, object) => {
    expect(hexOf(object)).toBe(hex)
  })

  it.each([
    ['no point', []],
    ['a hole', [3, 5]],
    ['two points in the wrong order', [4, 3]],
    ['the same point twice', [3, 3]],
  ])('refuses a range with %s', (_, indices) => {
    const points = indices.map((index) => ({ index, flags: 1 }))
    for (const qualifier of ['range8', 'range16'] as const) {
      expect(() => hexOf({ kind: 'binary_input', qualifier, points })).toThrow(
        expect.objectContaining({
          code: 'malformed_frame',
          message: expect.stringContaining('the points of a range do not follow each other'),
        }),
      )
    }
    expect(() => hexOf({ kind: 'binary_input', qualifier: 'index8', points })).not.toThrow()
  })

  it('refuses an index and a count that do not fit one octet', () => {
    const wide = { index: 256, flags: 1 }
    const many = Array.from({ length: 256 }, () => ({ index: 1, flags: 1 }))
    expect(() => hexOf({ kind: 'binary_input', qualifier: 'index8', points: [wide] })).toThrow(/index is 256/)
    expect(() => hexOf({ kind: 'binary_input', qualifier: 'index8', points: many })).toThrow(/count is 256/)
    expect(hexOf({ kind: 'binary_input', qualifier: 'index16', points: many }).slice(0, 10)).toBe('0102280001')
  })
})

describe('takePoints()', () => {
  it.each(every)('reads %s', (_, hex, object) => {
    expect(read(hex)).toEqual({ ok: true, value: object })
  })

  it.each([
    ['group', '030200' + '0505' + '81'],
    ['variation', '010100' + '0505' + '81'],
    ['qualifier', '010206'],
    ['qualifier', '010218' + '01' + '05' + '81'],
  ])('leaves an unknown %s to its caller', (_, hex) => {
    expect(read(hex)).toBeUndefined()
  })

  it.each(['01020005', '0102000506' + '81', '01021702' + '0581', '0c012801000500' + '8101'])(
    'finds %s truncated',
    (hex) => {
      expect(read(hex)).toMatchObject({ ok: false, fault: { code: 'truncated' } })
    },
  )

  it('stops at the end of the octets, however many points a header promises', () => {
    const reader = readOctets(decodeHex('ffff' + '0100' + '81'), 'points')
    const object = takePoints(reader, { group: 1, variation: 2, qualifier: 0x28 })
    expect(object?.points.length).toBeLessThanOrEqual(2)
    expect(reader.failed()).toBe(true)
  })

  it('reads back any points with any qualifier', () => {
    const point = fc.record({ flags: fc.nat(255), value: fc.float({ noNaN: true }) })
    const qualifier = fc.constantFrom('range8', 'range16', 'index8', 'index16')
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), qualifier, fc.nat(235), (list, by, start) => {
        const points = list.map((one, at) => ({ index: start + at, ...one }))
        const object: Dnp3PointObject = { kind: 'analog_input', qualifier: by, points }
        expect(read(hexOf(object))).toEqual({ ok: true, value: object })
      }),
      { seed: 15, numRuns: 80 },
    )
  })
})

describe('takeRange() and putRange()', () => {
  it.each([
    ['range8', 0x00, 0, 255, '0000ff'],
    ['range16', 0x01, 1, 0x1234, '0101003412'],
  ] as const)('agree on %s', (qualifier, code, start, stop, hex) => {
    const writer = writeOctets('range')
    putRange(writer, { qualifier, start, stop })
    expect(encodeHex(writer.done())).toBe(hex)
    const reader = readOctets(decodeHex(hex.slice(2)), 'range')
    expect(takeRange(reader, code)).toEqual({ qualifier, start, stop })
  })

  it('finds the fault length in a range that runs backwards', () => {
    const reader = readOctets(decodeHex('0504'), 'range')
    takeRange(reader, 0)
    expect(reader.refuse().fault).toMatchObject({
      code: 'length',
      field: 'stop',
      message: expect.stringContaining('range runs from 5 to 4'),
    })
  })

  it.each([0x06, 0x07, 0x17, 0x28])('leaves the qualifier %i to its caller, with its octets', (qualifier) => {
    const reader = readOctets(decodeHex('0505'), 'range')
    expect(takeRange(reader, qualifier)).toBeUndefined()
    expect(reader.u16('rest')).toBe(0x0505)
  })
})
