/** C37.118 frames: commands and headers octet by octet, time in counts of its base, and faults of the envelope. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  type C37118CommandName,
  c37118Command,
  decodeC37118,
  encodeC37118,
  fromC37118Time,
  toC37118Time,
} from '#grid/protocols/c37118.ts'
import { crcCcitt } from '#grid/protocols/crc.ts'
import { sweep } from '../../support/sweep.ts'

const time = { seconds: 0x448527f0, fraction: 0x071098, quality: 0x56 }

/** Octets with the checksum that they need. */
function sealed(hex: string): Uint8Array {
  const octets = decodeHex(hex)
  const sum = crcCcitt(octets)
  return concatBytes(octets, Uint8Array.of(sum >>> 8, sum & 0xff))
}

const none = new Uint8Array(0)
const command = (name: C37118CommandName, extension = none) =>
  ({ kind: 'command', idCode: 0x1e36, time, command: name, extension }) as const

describe('toC37118Time()', () => {
  it('counts the fraction in units of the base, rounded down', () => {
    expect(toC37118Time(1_795_190_400_123_456, 1_000_000, 0x0f)).toEqual({
      seconds: 1_795_190_400,
      fraction: 123_456,
      quality: 0x0f,
    })
    expect(toC37118Time(1_795_190_400_999_999, 600)).toMatchObject({ fraction: 599 })
  })

  it('is read back to the microsecond, and within half a count of a coarser base', () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000), fc.nat(999_999), (seconds, micro) => {
        const timeUs = seconds * 1e6 + micro
        expect(fromC37118Time(toC37118Time(timeUs))).toBe(timeUs)
        const coarse = fromC37118Time(toC37118Time(timeUs, 1000), 1000)
        expect(timeUs - coarse).toBeGreaterThanOrEqual(0)
        expect(timeUs - coarse).toBeLessThan(1000)
      }),
      { seed: 19, numRuns: sweep(100) },
    )
  })
})

describe('encodeC37118()', () => {
  it.each([
    ['data_off', '0001'],
    ['data_on', '0002'],
    ['send_header', '0003'],
    ['send_configuration_1', '0004'],
    ['send_configuration_2', '0005'],
    ['send_configuration_3', '0006'],
    ['extended', '0008'],
  ] as const)('writes the command %s as %s of table 15', (name, word) => {
    const bytes = encodeC37118(command(name))
    expect(bytes).toEqual(sealed(`aa4100121e36448527f056071098${word}`))
    expect(decodeC37118(bytes)).toEqual({ ok: true, value: command(name) })
    expect(Object.keys(c37118Command)).toContain(name)
  })

  it('carries the extension of a command and the text of a header', () => {
    const extended = command('extended', Uint8Array.of(1, 2, 3))
    expect(encodeHex(encodeC37118(extended)).slice(4, 8)).toBe('0015')
    expect(decodeC37118(encodeC37118(extended))).toEqual({ ok: true, value: extended })
    const header = { kind: 'header', idCode: 7, time, text: 'PMU 7' } as const
    expect(encodeC37118(header)).toEqual(sealed('aa1100150007448527f056071098504d552037'))
    expect(decodeC37118(encodeC37118(header))).toEqual({ ok: true, value: header })
  })

  it('refuses a data frame without its configuration, and a frame that is longer than its size can say', () => {
    expect(() => encodeC37118({ kind: 'data', idCode: 1, time, pmus: [] })).toThrow(
      'Cannot encode C37.118 frame: a data frame needs its configuration',
    )
    const head = { kind: 'header', idCode: 1, time } as const
    expect(encodeC37118({ ...head, text: ' '.repeat(65_519) })).toHaveLength(65_535)
    expect(() => encodeC37118({ ...head, text: ' '.repeat(65_520) })).toThrow('65536 octets do not fit FRAMESIZE')
  })
})

describe('decodeC37118()', () => {
  const whole = sealed('aa4100121e36448527f0560710980002')

  it('refuses a command after a flip of any bit', () => {
    for (let at = 0; at < whole.length * 8; at++) {
      const flipped = whole.slice()
      flipped[at >>> 3] = (flipped[at >>> 3] ?? 0) ^ (1 << (at & 7))
      expect(decodeC37118(flipped).ok, `bit ${at}`).toBe(false)
    }
  })

  it.each([
    ['protocol', 'SYNC', 'ab4100121e36448527f0560710980002'],
    ['length', 'FRAMESIZE', 'aa4100131e36448527f0560710980002'],
    ['unsupported', 'CMD', 'aa4100121e36448527f0560710980007'],
    ['unsupported', 'SYNC', 'aa5100121e36448527f0560710980000'],
    ['unsupported', 'configuration', 'aa0100121e36448527f0560710980000'],
    ['value', 'header', 'aa1100111e36448527f05607109807'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(decodeC37118(sealed(hex))).toMatchObject({ ok: false, fault: { code, field } })
  })

  it.each([0, 1, 13, 15, 17])('refuses the first %d octets', (length) => {
    expect(decodeC37118(whole.subarray(0, length)).ok).toBe(false)
  })
})
