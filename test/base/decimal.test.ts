import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  divideRounded,
  formatDecimal,
  formatScientific,
  formatTrimmed,
  parseDecimal,
  quantizeDecimal,
  rescaleDecimal,
} from '#base/decimal.ts'
import vectors from '../vectors/streams-vectors.json' with { type: 'json' }

interface DecimalVector {
  readonly id: string
  readonly input: { readonly text: string; readonly precision: number; readonly scale: number }
  readonly expected: { readonly text?: string; readonly error?: true }
}

// The file's rows have one shape per group; the group says which.
const ofGroup = (group: string) => vectors.vectors.filter((vector) => vector.group === group) as unknown[]

for (const { id, input, expected } of ofGroup('decimal') as DecimalVector[]) {
  test(`quantizeDecimal() follows vector ${id}`, () => {
    const { text, precision, scale } = input
    if (expected.error) expect(() => quantizeDecimal(text, precision, scale)).toThrow(/Cannot/)
    else expect(formatDecimal(quantizeDecimal(text, precision, scale), scale)).toBe(expected.text)
  })
}

interface FixedPointVector {
  readonly id: string
  readonly input: { readonly value: string; readonly decimals: number }
  readonly expected: string
}

for (const { id, input, expected } of ofGroup('fixed_point') as FixedPointVector[]) {
  test(`formatTrimmed() follows vector ${id}`, () => {
    expect(formatTrimmed(BigInt(input.value), input.decimals)).toBe(expected)
  })
}

test('parseDecimal() reads every form of one number', () => {
  for (const text of ['12.5', '+12.5', '012.5', '1.25e1', '125E-1', '.125e+2']) {
    expect(rescaleDecimal(parseDecimal(text), 3)).toBe(12_500n)
  }
  expect(parseDecimal('1e5')).toEqual({ coefficient: 1n, scale: -5 })
  expect(parseDecimal('7.')).toEqual({ coefficient: 7n, scale: 0 })
})

test.each(['', '.', '-', 'NaN', 'Infinity', '1,5', '0x10', ' 1', '1 ', '1e', '--1', '1.2.3', '1e1.5', '٣'])(
  'parseDecimal() refuses %j',
  (text) => {
    expect(() => parseDecimal(text)).toThrow(TypeError)
  },
)

test('parseDecimal() refuses text that would cost more than its length', () => {
  expect(() => parseDecimal('1e999999999')).toThrow(RangeError)
  expect(() => parseDecimal('1e-999999999')).toThrow(RangeError)
  expect(() => parseDecimal('9'.repeat(4097))).toThrow(RangeError)
})

test('parseDecimal() takes every finite number in its shortest form', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const { coefficient, scale } = parseDecimal(String(value))
      expect(Number(`${coefficient}e${-scale}`)).toBe(value === 0 ? 0 : value)
    }),
    { seed: 5 },
  )
})

test('quantizeDecimal() refuses a value with too many whole digits', () => {
  expect(() => quantizeDecimal('123.456', 4, 2)).toThrow(RangeError)
  expect(() => quantizeDecimal('999999999999999999.9999999999999999999', 36, 18)).toThrow(RangeError)
  expect(quantizeDecimal('999999999999999999.999999999999999999', 36, 18)).toBe(10n ** 36n - 1n)
})

test('quantizeDecimal() rounds half away from zero on both sides', () => {
  expect(quantizeDecimal('0.5', 10, 0)).toBe(1n)
  expect(quantizeDecimal('-0.5', 10, 0)).toBe(-1n)
  expect(quantizeDecimal('0.49', 10, 0)).toBe(0n)
  expect(quantizeDecimal('-0.0000000000000000004', 36, 18)).toBe(0n)
})

test('formatDecimal() is undone by parseDecimal()', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.integer({ min: 0, max: 40 }), (scaled, scale) => {
      expect(rescaleDecimal(parseDecimal(formatDecimal(scaled, scale)), scale)).toBe(scaled)
      expect(rescaleDecimal(parseDecimal(formatTrimmed(scaled, scale)), scale)).toBe(scaled)
      expect(rescaleDecimal(parseDecimal(formatScientific(scaled, scale)), scale)).toBe(scaled)
    }),
    { seed: 5 },
  )
})

test('formatScientific() turns scientific below one millionth and keeps zero plain', () => {
  expect(formatScientific(10n ** 11n, 18)).toBe('1.00000000000E-7')
  expect(formatScientific(-1n, 18)).toBe('-1E-18')
  expect(formatScientific(10n ** 12n, 18)).toBe('0.000001000000000000')
  expect(formatScientific(0n, 18)).toBe('0.000000000000000000')
  expect(formatScientific(100n * 10n ** 18n, 18)).toBe('100.000000000000000000')
})

test('divideRounded() is the nearest integer, half away from zero', () => {
  expect(divideRounded(7n, 2n)).toBe(4n)
  expect(divideRounded(-7n, 2n)).toBe(-4n)
  expect(divideRounded(7n, -2n)).toBe(-4n)
  expect(divideRounded(-7n, -2n)).toBe(4n)
  expect(divideRounded(10n, 4n)).toBe(3n)
  expect(divideRounded(10n, 3n)).toBe(3n)
  expect(divideRounded(0n, -3n)).toBe(0n)
  expect(() => divideRounded(1n, 0n)).toThrow(RangeError)
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (dividend, divisor) => {
      fc.pre(divisor !== 0n)
      const size = (value: bigint) => (value < 0n ? -value : value)
      const quotient = divideRounded(dividend, divisor)
      const rest = size(dividend) - size(quotient) * size(divisor)
      expect(2n * rest < size(divisor) && 2n * rest >= -size(divisor)).toBe(true)
      expect(quotient === 0n || quotient < 0n === (dividend < 0n !== divisor < 0n)).toBe(true)
    }),
    { seed: 6 },
  )
})
