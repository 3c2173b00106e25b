import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { divideRounded } from '#base/decimal.ts'
import {
  assertNumeric,
  divide,
  divideExactly,
  multiply,
  numericText,
  one,
  percentInEngine,
  percentOf,
  subtractInEngine,
} from '#devnode/numeric.ts'

const numeric = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })

describe('divideExactly()', () => {
  // By the rule of select_div_scale: sixteen minus four for each digit of base 10000 that the quotient has.
  const cases: readonly (readonly [dividend: bigint, divisor: bigint, scale: number])[] = [
    [1n * one, 3n * one, 20],
    [3n * one, 1n * one, 18],
    [15n * 10n ** 17n, 12n * 10n ** 17n, 20],
    [1n * one, 20_000n * one, 24],
    [20_000n * one, 1n * one, 18],
    [0n, 5n * one, 20],
    [1n, 9n * one, 36],
  ]
  for (const [dividend, divisor, scale] of cases) {
    test(`${numericText(dividend)} / ${numericText(divisor)} keeps ${scale} fractional digits`, () => {
      expect(divideExactly(dividend, divisor).scale).toBe(scale)
    })
  }

  test('keeps at least sixteen significant digits and at least the scale of its operands', () => {
    fc.assert(
      fc.property(numeric, numeric, (dividend, divisor) => {
        fc.pre(dividend !== 0n && divisor !== 0n)
        const { coefficient, scale } = divideExactly(dividend, divisor)
        expect(scale).toBeGreaterThanOrEqual(18)
        const digits = `${coefficient < 0n ? -coefficient : coefficient}`.length
        expect(scale > 18 ? digits : 16).toBeGreaterThanOrEqual(13)
        const error = coefficient * divisor - dividend * 10n ** BigInt(scale)
        expect(2n * (error < 0n ? -error : error)).toBeLessThanOrEqual(divisor < 0n ? -divisor : divisor)
      }),
      { seed: 6 },
    )
  })
})

describe('numeric(36,18)', () => {
  test('divide() and percentOf() by zero fail as the database does', () => {
    expect(() => divide(one, 0n)).toThrow('division by zero (SQLSTATE 22012)')
    expect(() => percentOf(0n)).toThrow('division by zero (SQLSTATE 22012)')
  })

  test('multiply() rounds half away from zero', () => {
    expect(multiply(15n * 10n ** 17n, 1n)).toBe(2n)
    expect(multiply(-15n * 10n ** 17n, 1n)).toBe(-2n)
    expect(multiply(14n * 10n ** 17n, 1n)).toBe(1n)
  })

  test('assertNumeric() takes eighteen whole digits and no more', () => {
    expect(assertNumeric(10n ** 36n - 1n)).toBe(10n ** 36n - 1n)
    expect(() => assertNumeric(10n ** 36n)).toThrow('numeric field overflow')
    expect(() => assertNumeric(-(10n ** 36n))).toThrow('numeric field overflow')
  })

  // Pairs of which the quotient is near a half of its last digit, where rounding twice is not rounding once.
  const pair = fc.oneof(
    fc.tuple(numeric, numeric),
    fc.tuple(fc.bigInt(-2000n, 2000n), fc.bigInt(-2000n, 2000n)),
    fc
      .tuple(fc.bigInt(1n, 10n ** 12n), fc.bigInt(1n, 10n ** 32n), fc.integer({ min: -3, max: 3 }))
      .map(([whole, base, off]): [bigint, bigint] => [((2n * whole + 1n) * base) / (200n * one) + BigInt(off), base]),
  )

  test('percentOf() rounds to 36 digits and then to 18', () => {
    fc.assert(
      fc.property(pair, ([value, base]) => {
        fc.pre(base !== 0n)
        const twice = divideRounded(divideRounded(value * 100n * 10n ** 36n, base), one)
        if (twice < 10n ** 36n && twice > -(10n ** 36n)) expect(percentOf(base)(value)).toBe(twice)
        else expect(() => percentOf(base)(value)).toThrow('numeric field overflow')
      }),
      { seed: 6, numRuns: 5000 },
    )
  })

  // The quotients end at a half less a half of the 10^18th part of the last digit, and less a little more.
  const nearHalf: readonly (readonly [value: bigint, base: bigint, percent: bigint])[] = [
    [5n * 10n ** 14n, 10n ** 35n + 1n, 1n],
    [33_333_333_333_333_333_333_500_000_000_000_001n, 10n ** 35n + 3n, 33_333_333_333_333_333_334n],
    [5n * 10n ** 14n - 1n, 10n ** 35n, 0n],
  ]
  test.each(nearHalf)('percentOf() of %s in %s carries after the first rounding only', (value, base, percent) => {
    expect(percentOf(base)(value)).toBe(percent)
    expect(percentOf(-base)(value)).toBe(-percent)
    expect(percentOf(base)(-value)).toBe(-percent)
  })

  test('divide() rounds as often as the database does', () => {
    fc.assert(
      fc.property(pair, ([dividend, divisor]) => {
        fc.pre(divisor !== 0n)
        const { coefficient, scale } = divideExactly(dividend, divisor)
        const quotient = divideRounded(coefficient, 10n ** BigInt(scale - 18))
        if (quotient < 10n ** 36n && quotient > -(10n ** 36n)) expect(divide(dividend, divisor)).toBe(quotient)
        else expect(() => divide(dividend, divisor)).toThrow('numeric field overflow')
      }),
      { seed: 6, numRuns: 5000 },
    )
  })
})

describe('the arithmetic of the engine', () => {
  // A real node answers -300 "invalid operation" to the index of such a value, though the quotient would fit.
  test('percentInEngine() refuses a product that is too large, and a quotient', () => {
    const largest = 10n ** 36n - 1n
    expect(() => percentInEngine(largest, 1001n * 10n ** 17n)).toThrow('invalid operation')
    expect(() => percentInEngine(1_234_567n * one, 1n)).toThrow('invalid operation')
    expect(percentInEngine(10n ** 34n - 1n, 100n * one)).toBe(10n ** 34n - 1n)
  })

  test('subtractInEngine() refuses a difference that is too large', () => {
    expect(() => subtractInEngine(10n ** 36n - 1n, -1n)).toThrow('invalid operation')
    expect(subtractInEngine(5n, 7n)).toBe(-2n)
  })

  test('percentInEngine() rounds once, half away from zero', () => {
    expect(percentInEngine(one, 3n * one)).toBe(33_333_333_333_333_333_333n)
    expect(percentInEngine(-2n * one, 3n * one)).toBe(-66_666_666_666_666_666_667n)
  })
})
