/** Configurations of C37.118: where each field lies, the bits of FORMAT, signed scales, and names that do not fit. */

import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '#base/utf8.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import {
  type C37118Configuration,
  type C37118Format,
  type C37118Pmu,
  putConfiguration,
  takeConfiguration,
} from '#grid/protocols/c37118-configuration.ts'
import { mustDecode } from '../../support/must.ts'

const names = Array.from({ length: 16 }, (_, bit) => `BREAKER ${bit}`)
const unit: C37118Pmu = {
  stationName: 'Station A',
  idCode: 7734,
  format: { phasors: 'rectangular', phasorNumber: 'integer', analogNumber: 'float', frequencyNumber: 'integer' },
  phasors: [
    { name: 'VA', unit: 'volt', scale: 915_527 },
    { name: 'I1', unit: 'ampere', scale: 45_776 },
  ],
  analogs: [{ name: 'ANALOG1', unit: 'peak', scale: -2 }],
  digitals: [{ names, normal: 0x0102, valid: 0xffff }],
  nominalHz: 50,
  configurationCount: 22,
}

function encode(pmus: readonly C37118Pmu[], change: Partial<C37118Configuration> = {}): Uint8Array {
  const writer = writeOctets('configuration')
  putConfiguration(writer, { timeBase: 1_000_000, dataRate: 30, pmus, ...change })
  return writer.done()
}

function decode(octets: Uint8Array): C37118Configuration {
  const reader = readOctets(octets, 'configuration')
  return mustDecode(reader.finish(takeConfiguration(reader)))
}

/** The fault of octets that are not a configuration. */
function faultOf(octets: Uint8Array) {
  const reader = readOctets(octets, 'configuration')
  takeConfiguration(reader)
  return reader.refuse().fault
}

const octets = encode([unit])
const view = new DataView(octets.buffer, octets.byteOffset, octets.length)

describe('putConfiguration()', () => {
  it('lays out time base, units, names of 16 characters and words as table 9 orders them', () => {
    // 6 of head; 16 name, 2 id, 2 format, 6 counts; 3 + 16 names; 3 * 4 units, 4 of digital; 4; 2 of rate.
    expect(octets).toHaveLength(6 + 26 + 19 * 16 + 16 + 4 + 2)
    expect([view.getUint32(0), view.getUint16(4)]).toEqual([1_000_000, 1])
    expect(decodeUtf8(octets.subarray(6, 22))).toBe('Station A       ')
    expect([22, 24, 26, 28, 30].map((at) => view.getUint16(at))).toEqual([7734, 4, 2, 1, 1])
    expect(decodeUtf8(octets.subarray(32, 80))).toBe('VA              I1              ANALOG1         ')
    expect(decodeUtf8(octets.subarray(80, 96))).toBe('BREAKER 0       ')
  })

  it('writes kind and scale of each channel, a negative scale in 24 bits', () => {
    const at = 32 + 19 * 16
    expect(view.getUint32(at)).toBe(915_527)
    expect(view.getUint32(at + 4)).toBe(0x0100_0000 + 45_776)
    expect(view.getUint32(at + 8)).toBe(0x02ff_fffe)
    expect([view.getUint16(at + 12), view.getUint16(at + 14)]).toEqual([0x0102, 0xffff])
    expect([view.getUint16(at + 16), view.getUint16(at + 18), view.getInt16(at + 20)]).toEqual([1, 22, 30])
  })

  it.each([
    [0, {}],
    [1, { phasors: 'polar' }],
    [2, { phasorNumber: 'float' }],
    [4, { analogNumber: 'float' }],
    [8, { frequencyNumber: 'float' }],
  ] as const)('writes FORMAT %d for %o', (word, change) => {
    const plain: C37118Format = {
      phasors: 'rectangular',
      phasorNumber: 'integer',
      analogNumber: 'integer',
      frequencyNumber: 'integer',
    }
    const bytes = encode([{ ...unit, format: { ...plain, ...change } }])
    expect([bytes[24], bytes[25]]).toEqual([0, word])
    expect(decode(bytes).pmus[0]?.format).toEqual({ ...plain, ...change })
  })

  it.each([
    ['has 17 characters', { stationName: 'S'.repeat(17) }],
    ['holds more than ASCII', { stationName: 'Z\u00fcrich' }],
    ['has 15 names, expected 16', { digitals: [{ names: names.slice(1), normal: 0, valid: 0 }] }],
  ])('refuses a unit that %s', (text, change) => {
    expect(() => encode([{ ...unit, ...change }])).toThrow(
      expect.objectContaining({ code: 'malformed_frame', message: expect.stringContaining(text) }),
    )
  })
})

describe('takeConfiguration()', () => {
  it('reads back two different units, and a rate of less than one frame in a second', () => {
    const other: C37118Pmu = {
      ...unit,
      idCode: 2,
      stationName: '',
      phasors: [],
      analogs: [],
      digitals: [],
      nominalHz: 60,
    }
    const configuration = { timeBase: 0xffffff, dataRate: -5, pmus: [unit, other] }
    expect(decode(encode(configuration.pmus, configuration))).toEqual(configuration)
  })

  it('leaves the reserved octet of the time base out', () => {
    const bytes = octets.slice()
    bytes[0] = 0xaa
    expect(decode(bytes).timeBase).toBe(1_000_000)
  })

  it('refuses a kind of analogue that it does not know, and a name with a control character', () => {
    const bytes = octets.slice()
    bytes[32 + 19 * 16 + 8] = 3
    expect(faultOf(bytes)).toMatchObject({ code: 'unsupported', field: 'ANUNIT' })
    bytes[6] = 7
    expect(faultOf(bytes)).toMatchObject({ code: 'value', field: 'STN' })
  })

  it('stops where the octets end, though 65535 units are announced', () => {
    const bytes = octets.slice()
    bytes.set([0xff, 0xff], 4)
    expect(faultOf(bytes).code).toBe('truncated')
  })
})
