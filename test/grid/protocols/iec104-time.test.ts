/** CP56Time2a: moments whose octets a hand can write, bits beside the numbers, and faults. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import { type Cp56Time, putTime, takeTime, toCp56Time } from '#grid/protocols/iec104-time.ts'

function write(time: Cp56Time): string {
  const writer = writeOctets('time')
  putTime(writer, time)
  return encodeHex(writer.done())
}

function read(hex: string) {
  const reader = readOctets(decodeHex(hex), 'time')
  return reader.finish(takeTime(reader))
}

describe('toCp56Time()', () => {
  it.each([
    // 24 November 2025 is a Monday: 1 in three bits, then 24 in five. 40.123 s are 40123 ms, 0x9cbb.
    ['2025-11-24T16:05:40.123Z', 'bb9c0510380b19'],
    // A Sunday is 7; the last millisecond of a minute is 59999, 0xea5f.
    ['2000-12-31T23:59:59.999Z', '5fea3b17ff0c00'],
    ['2099-01-01T00:00:00.000Z', '00000000810163'],
    // The year is that of its century: 70 is 0x46. 1 January 1970 was a Thursday, 1 January 2100 is a Friday.
    ['1970-01-01T00:00:00.000Z', '00000000810146'],
    ['2100-01-01T00:00:00.000Z', '00000000a10100'],
  ])('gives %s as %s', (moment, hex) => {
    expect(write(toCp56Time(Date.parse(moment)))).toBe(hex)
  })

  it('is read back for any moment of the century', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) - 1 }), (timeMs) => {
        const value = toCp56Time(timeMs)
        expect(read(write(value))).toEqual({ ok: true, value })
        const { year, month, dayOfMonth, hour, minute, milliseconds } = value
        expect(Date.UTC(2000 + year, month - 1, dayOfMonth, hour, minute, 0, milliseconds)).toBe(timeMs)
      }),
    )
  })
})

describe('takeTime()', () => {
  it('reads the bits for an invalid time and for summer time', () => {
    expect(read('00008590380b19')).toMatchObject({
      value: { minute: 5, hour: 16, isInvalid: true, isSummerTime: true },
    })
  })

  it.each([
    ['60000 ms', '60ea0510380b19'],
    ['a reserved bit of the minute', '00004510380b19'],
    ['a reserved bit of the hour', '00000530380b19'],
    ['minute 60', '00003c10380b19'],
    ['hour 24', '00000518380b19'],
    ['month 13', '00000510380d19'],
    ['year 100', '00000510380b64'],
  ])('refuses %s', (_, hex) => {
    expect(read(hex)).toMatchObject({ ok: false, fault: { code: 'value', field: 'CP56Time2a' } })
  })

  it('finds a time that is cut short', () => {
    expect(read('00000510380b')).toMatchObject({ ok: false, fault: { code: 'truncated', field: 'year' } })
  })
})
