/** Ranges of indices in DNP3 headers: their octets, and the range that runs backwards. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import { putRange, takeRange } from '#grid/protocols/dnp3-range.ts'

describe('takeRange() and putRange()', () => {
  it.each([
    ['range8', 0x00, 0, 255, '0000ff'],
    ['range16', 0x01, 1, 0x1234, '0101003412'],
  ] as const)('agree on %s', (qualifier, code, start, stop, hex) => {
    const writer = writeOctets('range')
    putRange(writer, qualifier, start, stop)
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
