/** Measurements of C37.118: the same phasors in all four forms, counts of their scale, and channels that do not match. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import type { C37118Configuration, C37118Format } from '#grid/protocols/c37118-configuration.ts'
import { type C37118Measurement, putData, takeData, toPolar, toRectangular } from '#grid/protocols/c37118-data.ts'
import { configurationOf } from '../../support/grid-capture.ts'
import { must, mustDecode } from '../../support/must.ts'

/** One unit with a voltage of 9.15527 V a count, one analogue and a word of bits. */
function stream(format: Partial<C37118Format>): C37118Configuration {
  const { pmus, ...rest } = configurationOf(4, format)
  const [unit] = pmus.map((pmu) => ({
    ...pmu,
    phasors: pmu.phasors.slice(0, 1),
    analogs: pmu.analogs.slice(0, 1),
    digitals: pmu.digitals.slice(0, 1),
  }))
  return { ...rest, pmus: [must(unit)] }
}

const integer = { phasorNumber: 'integer', frequencyNumber: 'integer', analogNumber: 'integer' } as const

/** 14635 counts, 62.5 Hz at 60 nominal, -1.25 Hz/s. */
const measurement: C37118Measurement = {
  status: 0x8001,
  phasors: [{ real: 14_635 * 9.15527, imaginary: 0 }],
  frequencyHz: 62.5,
  rocofHzPerS: -1.25,
  analogs: [100],
  digitals: [0x3c12],
}

function hexOf(units: readonly C37118Measurement[], configuration: C37118Configuration): string {
  const writer = writeOctets('data')
  putData(writer, units, configuration)
  return encodeHex(writer.done())
}

function read(hex: string, configuration: C37118Configuration): readonly C37118Measurement[] {
  const reader = readOctets(decodeHex(hex), 'data')
  return mustDecode(reader.finish(must(takeData(reader, configuration))))
}

describe('toPolar()', () => {
  it.each([
    [3, 4, 5, Math.atan2(4, 3)],
    [-1, 0, 1, Math.PI],
    [0, -2, 2, -Math.PI / 2],
    [0, 0, 0, 0],
  ])('of %d + %dj is %d at %d rad', (real, imaginary, magnitude, angle) => {
    expect(toPolar({ real, imaginary })).toEqual({ magnitude, angle: expect.closeTo(angle, 15) })
    const back = toRectangular({ magnitude, angle })
    expect([back.real, back.imaginary]).toEqual([expect.closeTo(real, 14), expect.closeTo(imaginary, 14)])
  })
})

describe('putData()', () => {
  it('writes integers as counts: 392b is 14635, 09c4 is 2500 mHz above nominal', () => {
    expect(hexOf([measurement], stream({ ...integer, phasors: 'rectangular' }))).toBe(
      '8001' + '392b0000' + '09c4' + 'ff83' + '0064' + '3c12',
    )
  })

  it('writes an integer angle in 10^-4 rad', () => {
    const turned = { ...measurement, phasors: [{ magnitude: 9.15527, angle: -Math.PI }] }
    // -31416 is 8548 in two's complement.
    expect(hexOf([turned], stream({ ...integer, phasors: 'polar' })).slice(4, 12)).toBe('00018548')
  })

  it('writes floats as they are', () => {
    const real = { ...measurement, phasors: [{ real: 1.5, imaginary: -2 }] }
    expect(hexOf([real], stream({ phasors: 'rectangular' }))).toBe(
      '8001' + '3fc00000c0000000' + '427a0000' + 'bfa00000' + '42c80000' + '3c12',
    )
  })

  it.each([
    ['frequency', { frequencyHz: 60 + 32.768 }],
    ['phasor', { phasors: [{ real: 40_000 * 9.15527, imaginary: 0 }] }],
    ['analogue', { analogs: [40_000] }],
  ])('refuses a %s beyond its 16 bits', (_, change) => {
    const configuration = stream({ ...integer, phasors: 'rectangular' })
    expect(() => hexOf([{ ...measurement, ...change }], configuration)).toThrow(
      expect.objectContaining({ code: 'malformed_frame' }),
    )
  })

  it.each([
    ['phasors', { phasors: [] }],
    ['analogues', { analogs: [1, 2] }],
    ['digital words', { digitals: [] }],
  ])('refuses other %s than configured', (_, change) => {
    expect(() => hexOf([{ ...measurement, ...change }], stream({}))).toThrow('do not match its configuration')
  })

  it('refuses data of more or fewer units than configured', () => {
    expect(() => hexOf([measurement, measurement], stream({}))).toThrow('data of 2 PMUs, 1 are configured')
    expect(() => hexOf([], stream({}))).toThrow('data of 0 PMUs')
  })

  it('refuses an integer phasor of a channel without a scale', () => {
    const { pmus, ...rest } = stream(integer)
    const unit = must(pmus[0])
    const flat = { ...rest, pmus: [{ ...unit, phasors: unit.phasors.map((each) => ({ ...each, scale: 0 })) }] }
    expect(() => hexOf([measurement], flat)).toThrow('needs a scale above 0')
  })
})

describe('takeData()', () => {
  const forms = (['polar', 'rectangular'] as const).flatMap((phasors) =>
    (['float', 'integer'] as const).map((number) => [phasors, number] as const),
  )

  it.each(forms)('reads the same measurement in the form %s %s, within a count', (phasors, number) => {
    const configuration = stream({ phasors, phasorNumber: number, frequencyNumber: number, analogNumber: number })
    const slanted = { ...measurement, phasors: [{ magnitude: 70_000, angle: 2.5 }] }
    const got = must(read(hexOf([slanted], configuration), configuration)[0])
    const phasor = toPolar(must(got.phasors[0]))
    expect(Math.abs(phasor.magnitude - 70_000)).toBeLessThan(9.2)
    expect(phasor.angle).toBeCloseTo(2.5, 3)
    expect({ ...got, phasors: [] }).toEqual({ ...measurement, phasors: [] })
  })

  it('names the form of the configuration that has nothing to do with the octets', () => {
    const hex = hexOf([measurement], stream({ phasors: 'rectangular' }))
    const reader = readOctets(decodeHex(hex), 'data')
    takeData(reader, stream(integer))
    expect(reader.refuse().fault).toMatchObject({
      code: 'length',
      message: 'Cannot decode data: the body has 24 octets, 14 are configured',
    })
  })

  it('cannot read data before its configuration', () => {
    const reader = readOctets(decodeHex('00'), 'data')
    expect(takeData(reader, undefined)).toBeUndefined()
    expect(reader.refuse().fault).toMatchObject({ code: 'unsupported', field: 'configuration' })
  })
})
