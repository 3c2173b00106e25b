/** DNP3 objects: headers and points octet by octet as IEEE 1815 annex A lays them out, and faults. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import { type Dnp3Object, putObject, takeObject } from '#grid/protocols/dnp3-objects.ts'
import { dnp3ControlCode } from '#grid/protocols/dnp3-points.ts'
import { must } from '../../support/must.ts'
import { sweep } from '../../support/sweep.ts'

function hexOf(object: Dnp3Object): string {
  const writer = writeOctets('object')
  putObject(writer, object)
  return encodeHex(writer.done())
}

function read(hex: string, withoutValues = false) {
  const reader = readOctets(decodeHex(hex), 'object')
  const object = takeObject(reader, withoutValues)
  return object === undefined ? reader.refuse() : reader.finish(object)
}

const trip = { index: 3, code: dnp3ControlCode.trip, count: 1, onTimeMs: 100, offTimeMs: 0x01020304, status: 0 }

const objects: readonly (readonly [hex: string, object: Dnp3Object])[] = [
  ['3c0206', { kind: 'all', group: 60, variation: 2 }],
  ['0102000204' + '810102', { kind: 'binary_input', qualifier: 'range8', points: flags(2) }],
  ['010201ff000101810102', { kind: 'binary_input', qualifier: 'range16', points: flags(255) }],
  [
    '0202170107' + '81' + 'f6e5d4c3b2a1',
    { kind: 'binary_input_event', qualifier: 'index8', points: [{ index: 7, flags: 0x81, time: 0xa1b2c3d4e5f6 }] },
  ],
  [
    '0c01280100' + '0300' + '8101' + '64000000' + '04030201' + '00',
    { kind: 'control', qualifier: 'index16', points: [trip] },
  ],
  [
    '1e050005' + '05' + '01' + '0000c03f',
    { kind: 'analog_input', qualifier: 'range8', points: [{ index: 5, flags: 1, value: 1.5 }] },
  ],
  [
    '2007280100' + '2c01' + '01' + '000080bf' + '0100000000' + '00',
    { kind: 'analog_input_event', qualifier: 'index16', points: [{ index: 300, flags: 1, value: -1, time: 1 }] },
  ],
  ['32010701f6e5d4c3b2a1', { kind: 'time', time: 0xa1b2c3d4e5f6 }],
  ['340207018813', { kind: 'time_delay', delayMs: 5000 }],
  ['50010007' + '0700', { kind: 'internal_indication', index: 7, isSet: false }],
]

/** Three binaries from an index on, with different flags. */
function flags(index: number) {
  return [0x81, 0x01, 0x02].map((each, at) => ({ index: index + at, flags: each }))
}

describe('putObject()', () => {
  it.each(objects)('writes %s', (hex, object) => {
    expect(hexOf(object)).toBe(hex)
  })

  it('writes a range without values as a read asks for it', () => {
    const range = { kind: 'range', group: 30, variation: 5, start: 1, stop: 300 } as const
    expect(hexOf({ ...range, qualifier: 'range16' })).toBe('1e050101002c01')
  })

  it.each(['range8', 'range16'] as const)('refuses a %s whose points do not follow each other', (qualifier) => {
    const [first, third] = [must(flags(2)[0]), must(flags(2)[2])]
    for (const points of [[], [first, third], [third, first], [first, first]]) {
      expect(() => hexOf({ kind: 'binary_input', qualifier, points })).toThrow(
        expect.objectContaining({
          code: 'malformed_frame',
          message:
            'Cannot encode DNP3 object: the points of a range do not follow each other, expected an index qualifier',
        }),
      )
    }
  })

  it('refuses an index that its qualifier cannot carry', () => {
    const points = [{ index: 256, flags: 1 }]
    for (const qualifier of ['range8', 'index8'] as const) {
      expect(() => hexOf({ kind: 'binary_input', qualifier, points })).toThrow(/is 256, expected/)
    }
  })
})

describe('takeObject()', () => {
  it.each(objects)('reads %s', (hex, object) => {
    expect(read(hex)).toEqual({ ok: true, value: object })
  })

  it('reads the ranges of a read without values, those of groups without values included', () => {
    const range = { kind: 'range', group: 40, variation: 2, start: 3, stop: 9 } as const
    expect(read('2802000309', true)).toEqual({ ok: true, value: { ...range, qualifier: 'range8' } })
    expect(read('28020103000900', true)).toEqual({ ok: true, value: { ...range, qualifier: 'range16' } })
  })

  it.each([
    ['unsupported', 'object', '2802000309', 'g40v2 with qualifier 0x00'],
    ['unsupported', 'object', '010203', 'g1v2 with qualifier 0x03'],
    ['unsupported', 'object', '330107010000', 'g51v1 with qualifier 0x07'],
    ['length', 'count', '32010702000000000000', 'counts 2, expected 1'],
    ['length', 'stop', '0102000504', 'range runs from 5 to 4'],
    ['length', 'stop', '500100070800', 'g80v1 names 7 to 8'],
    ['value', 'state', '500100070702', 'indication state is 2'],
    ['truncated', 'flags', '010200010281', 'flags needs 1 octets'],
    ['truncated', 'qualifier', '0102', 'qualifier needs'],
  ])('finds the fault %s in the %s of %s', (code, field, hex, text) => {
    expect(read(hex)).toMatchObject({ ok: false, fault: { code, field, message: expect.stringContaining(text) } })
  })

  it('stops where the octets end, not where the range does', () => {
    const reader = readOctets(decodeHex('01020100' + '00ffff' + '81'), 'object')
    const object = takeObject(reader, false)
    expect(object?.kind === 'binary_input' ? object.points.length : 0).toBeLessThanOrEqual(2)
    expect(reader.refuse().fault.code).toBe('truncated')
  })

  it('reads back any points with any qualifier that carries them', () => {
    const point = fc.record({
      flags: fc.nat(255),
      value: fc.float({ noNaN: true }),
      time: fc.nat(Number.MAX_SAFE_INTEGER).map((time) => time % 2 ** 48),
    })
    const qualifier = fc.constantFrom('range8', 'range16', 'index8', 'index16')
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), qualifier, fc.nat(200), (list, by, start) => {
        const points = list.map((each, at) => ({ index: start + at, ...each }))
        const object: Dnp3Object = { kind: 'analog_input_event', qualifier: by, points }
        expect(read(hexOf(object))).toEqual({ ok: true, value: object })
      }),
      { seed: 11, numRuns: sweep(100) },
    )
  })
})
