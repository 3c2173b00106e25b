/**
 * Arithmetic on numeric(36,18) as PostgreSQL does it, over integers scaled by 10^18.
 *
 * The network computes composed values in PostgreSQL, so its roundings are part of every result: a quotient is
 * first rounded to a scale that depends on its operands and then, where the query casts it, to 18 digits.
 */

import { divideRounded, formatDecimal } from '../base/decimal.ts'
import { engineError, sqlError } from './errors.ts'

/** Fractional digits of every stream value, weight and index. */
export const scale = 18

/** Powers of ten that a read needs again and again; raising a bigint anew is a third of a read's time. */
const powers = Array.from({ length: 128 }, (_, exponent) => 10n ** BigInt(exponent))

/** One, scaled. */
export const one = powerOfTen(scale)

const limit36 = powerOfTen(36)

const fits = (scaled: bigint) => scaled < limit36 && scaled > -limit36

/** Casts a scaled integer to numeric(36,18); action_failed beyond 18 whole digits. */
export function assertNumeric(scaled: bigint): bigint {
  if (fits(scaled)) return scaled
  throw sqlError('numeric field overflow', '22003')
}

/** Multiplies two numerics and rounds to 18 digits, half away from zero. */
export function multiply(left: bigint, right: bigint): bigint {
  return assertNumeric(divideRounded(left * right, one))
}

/** A quotient as PostgreSQL gives it: an integer, and how many of its digits are fractional. */
interface Quotient {
  readonly coefficient: bigint
  readonly scale: number
}

/**
 * Divides two numbers of the same number of fractional digits and keeps as many as PostgreSQL does: at least the
 * operands', and about sixteen significant ones (`select_div_scale` of its numeric type); action_failed for a divisor
 * of zero.
 */
export function divideExactly(dividend: bigint, divisor: bigint, operandScale = scale): Quotient {
  if (divisor === 0n) throw sqlError('division by zero', '22012')
  const quotientScale = Math.max(operandScale, significantScale(dividend, divisor, operandScale))
  return { coefficient: divideRounded(dividend * powerOfTen(quotientScale), divisor), scale: quotientScale }
}

/** Divides two numerics and casts the quotient to numeric(36,18): two roundings, as the network's queries do. */
export function divide(dividend: bigint, divisor: bigint): bigint {
  // A quotient of 2 or more keeps 18 digits (`significantScale` is at most 16), so one rounding is both.
  if (isAtLeastTwice(dividend, divisor)) return assertNumeric(divideRounded(dividend * one, divisor))
  const quotient = divideExactly(dividend, divisor)
  if (quotient.scale === scale) return assertNumeric(quotient.coefficient)
  return assertNumeric(divideRounded(quotient.coefficient, powerOfTen(quotient.scale - scale)))
}

/**
 * Makes a function that computes `value * 100 / base`, rounded to 36 digits and then to 18.
 *
 * Both roundings carry a remainder up from base/2 - base/(2 * 10^18) on: the first lifts it to a half. `carry` is what
 * is missing from there to the base, so that the division, which truncates, carries too.
 *
 * @throws DevnodeError action_failed when the base is zero; the function it returns, when a result is too large.
 */
export function percentOf(base: bigint): (value: bigint) => bigint {
  if (base === 0n) throw sqlError('division by zero', '22012')
  const carry = (base * (one + 1n)) / (2n * one)
  return (value) => {
    const dividend = value * hundred
    return assertNumeric((value < 0n === base < 0n ? dividend + carry : dividend - carry) / base)
  }
}

/** One hundred, scaled. */
const hundred = 100n * one

/** The difference of two numerics as the network's engine computes it; engine_failed beyond 18 whole digits. */
export function subtractInEngine(left: bigint, right: bigint): bigint {
  return assertInEngine(left - right)
}

/**
 * `value * 100 / base`, of a base that is not 0, as the network's engine computes it: the product must be a
 * numeric(36,18) as well, and engine_failed where it, or the quotient, has more than 18 whole digits.
 */
export function percentInEngine(value: bigint, base: bigint): bigint {
  return assertInEngine(divideRounded(assertInEngine(value * 100n) * one, base))
}

function assertInEngine(scaled: bigint): bigint {
  if (fits(scaled)) return scaled
  throw engineError('invalid operation')
}

/** A numeric(36,18) as the network's database prints it. */
export function numericText(scaled: bigint): string {
  return formatDecimal(scaled, scale)
}

/** PostgreSQL counts in base 10000: the exponent of the first such digit, and that digit. */
function leadingDigit(value: bigint, valueScale: number): { weight: number; digit: bigint } {
  if (value === 0n) return { weight: 0, digit: 0n }
  const magnitude = value < 0n ? -value : value
  const weight = Math.floor((findExponent(magnitude) - valueScale) / 4)
  const shift = valueScale + weight * 4
  return { weight, digit: shift >= 0 ? magnitude / powerOfTen(shift) : magnitude * powerOfTen(-shift) }
}

/** The exponent of ten of a positive integer's first digit: of its logarithm, corrected where that is rounded. */
function findExponent(magnitude: bigint): number {
  const guess = Math.floor(Math.log10(Number(magnitude)))
  if (magnitude < powerOfTen(guess)) return guess - 1
  return magnitude >= powerOfTen(guess + 1) ? guess + 1 : guess
}

function isAtLeastTwice(dividend: bigint, divisor: bigint): boolean {
  const [above, below] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor]
  return below !== 0n && above >= 2n * below
}

function powerOfTen(exponent: number): bigint {
  return powers[exponent] ?? 10n ** BigInt(exponent)
}

function significantScale(dividend: bigint, divisor: bigint, operandScale: number): number {
  const above = leadingDigit(dividend, operandScale)
  const below = leadingDigit(divisor, operandScale)
  const quotientWeight = above.weight - below.weight - (above.digit <= below.digit ? 1 : 0)
  return 16 - quotientWeight * 4
}
