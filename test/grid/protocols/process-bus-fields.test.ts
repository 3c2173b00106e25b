/** Primitive fields of GOOSE and sampled values: UTC time in 2^-24 s, and integers that do not fit. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { integer, toUtcTime, utcTime } from '#grid/protocols/process-bus-fields.ts'

describe('toUtcTime()', () => {
  it('counts fractions in 2^-24 s', () => {
    expect(toUtcTime(1_795_190_400_500_000)).toEqual({ seconds: 1_795_190_400, fraction: 0x800000, quality: 0x0a })
  })

  it('never rounds up into the next second', () => {
    expect(toUtcTime(1_999_999)).toMatchObject({ seconds: 1, fraction: Math.floor(0.999_999 * 2 ** 24) })
  })
})

describe('utcTime.encode()', () => {
  it('writes seconds, fraction and quality', () => {
    expect(encodeHex(utcTime.encode({ seconds: 1, fraction: 0x020304, quality: 0xff }, 't'))).toBe('00000001020304ff')
  })
})

describe('integer.encode()', () => {
  it.each([-1, 4_294_967_296, 1.5, Number.NaN])('refuses %d', (value) => {
    expect(() => integer.encode(value, 'stNum')).toThrow(
      `Cannot encode GOOSE PDU: stNum is ${value}, expected 0 to 4294967295`,
    )
  })
})
