/** Exact decimals: text on one side, a bigint scaled by a power of ten on the other, never a float between. */

/** An exact decimal: `coefficient` times ten to the power of minus `scale`. The scale of `1e5` is -5. */
export interface Decimal {
  readonly coefficient: bigint
  readonly scale: number
}

/** The largest precision and scale a numeric type may have, in digits. */
const maxPrecision = 1000

// Both bound the work hostile text can cause: "1e999999999" is ten characters and a billion digits.
const maxTextLength = 4096
const maxExponent = 4096

/**
 * Reads decimal text: a sign, digits with an optional fraction, an optional exponent. Nothing is rounded.
 *
 * `String(number)` of every finite number is valid input, so a float enters in its shortest form.
 *
 * @throws TypeError when the text is not a decimal number ("NaN", "1,5", "").
 * @throws RangeError when the text is longer than 4096 characters or its exponent is beyond 4096.
 */
export function parseDecimal(text: string): Decimal {
  if (text.length > maxTextLength) {
    throw new RangeError(`Cannot read decimal: ${text.length} characters, expected at most ${maxTextLength}`)
  }
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts ?? []
  if (whole === '' && fraction === '') {
    throw new TypeError(`Cannot read decimal: "${text.slice(0, 64)}" is not a decimal number`)
  }
  if (Math.abs(Number(exponent)) > maxExponent) {
    throw new RangeError(`Cannot read decimal: exponent ${exponent}, expected at most ${maxExponent}`)
  }
  const magnitude = BigInt(whole + fraction)
  return { coefficient: sign === '-' ? -magnitude : magnitude, scale: fraction.length - Number(exponent) }
}

/**
 * Fits a decimal into numeric(precision, scale) and returns it as an integer scaled by `scale`.
 *
 * Rounds twice, each time half away from zero: first to `precision` significant digits, then to `scale`
 * fractional digits. So 123.449 in numeric(5,1) is 123.5, by way of 123.45. This is what the network's own
 * decimal library does, and stored values depend on it.
 *
 * @param decimal - decimal text, or a decimal already read.
 * @returns the value times ten to the power of `scale`.
 * @throws TypeError when the text is not a decimal number.
 * @throws RangeError when precision and scale are not `0 <= scale <= precision <= 1000` with at least one
 * digit of precision, or the rounded value needs more digits than the precision has.
 */
export function quantizeDecimal(decimal: string | Decimal, precision: number, scale: number): bigint {
  assertNumericType(precision, scale)
  const exact = typeof decimal === 'string' ? parseDecimal(decimal) : decimal
  const limited = limitPrecision(exact, precision)
  const scaled = rescaleDecimal(limited, scale)
  if (countDigits(scaled) > precision) {
    throw new RangeError(
      `Cannot fit decimal: ${formatDecimal(scaled, scale)} has ${countDigits(scaled)} digits, expected at most ${precision} with ${scale} of them fractional`,
    )
  }
  return scaled
}

/** Changes the number of fractional digits, rounding half away from zero where digits are lost. */
export function rescaleDecimal(decimal: Decimal, scale: number): bigint {
  const shift = scale - decimal.scale
  if (shift >= 0) return decimal.coefficient * powerOfTen(shift)
  return divideRounded(decimal.coefficient, powerOfTen(-shift))
}

/**
 * Divides integers and rounds to the nearest one, half away from zero.
 *
 * @throws RangeError when the divisor is zero.
 */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  // Half of the divisor, with the sign of the dividend: the division cuts the rest off. An odd divisor has no ties.
  const half = divisor / 2n
  return (dividend < 0n === divisor < 0n ? dividend + half : dividend - half) / divisor
}

/** Writes a scaled integer with exactly `scale` fractional digits: `formatDecimal(15n, 1)` is `1.5`. */
export function formatDecimal(scaled: bigint, scale: number): string {
  return formatDigits(scaled.toString(), scale)
}

/** Puts the point into the digits of an integer, which may have a sign. */
function formatDigits(integer: string, scale: number): string {
  if (scale === 0) return integer
  const sign = integer.startsWith('-') ? '-' : ''
  const digits = integer.slice(sign.length).padStart(scale + 1, '0')
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Writes a scaled integer without trailing fractional zeros: `formatTrimmed(80n, 1)` is `8`. */
export function formatTrimmed(scaled: bigint, scale: number): string {
  const text = formatDecimal(scaled, scale)
  return scale === 0 ? text : text.replace(/\.?0+$/, '')
}

/**
 * Writes a scaled integer as the network's nodes print a result: with all its fractional digits, except that
 * a value below one millionth is written in scientific form with all its digits (`1.00000000000E-7` for 1e-7
 * at scale 18). Zero is always plain.
 */
export function formatScientific(scaled: bigint, scale: number): string {
  // The digits are asked for once: they cost more than all that is done with them.
  const integer = scaled.toString()
  const sign = integer.startsWith('-') ? '-' : ''
  const exponent = integer.length - sign.length - 1 - scale
  if (exponent >= -6 || integer === '0') return formatDigits(integer, scale)
  const digits = integer.slice(sign.length)
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${sign}${digits.slice(0, 1)}${fraction}E${exponent}`
}

/** Ten to the power of a whole number that is not negative. */
export function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}

function assertNumericType(precision: number, scale: number): void {
  const isWhole = Number.isInteger(precision) && Number.isInteger(scale)
  if (isWhole && precision >= 1 && precision <= maxPrecision && scale >= 0 && scale <= precision) return
  throw new RangeError(
    `Cannot use numeric(${precision},${scale}): expected 1 <= precision <= ${maxPrecision} and 0 <= scale <= precision`,
  )
}

function limitPrecision(decimal: Decimal, precision: number): Decimal {
  const excess = countDigits(decimal.coefficient) - precision
  if (excess <= 0) return decimal
  const scale = decimal.scale - excess
  return { coefficient: rescaleDecimal(decimal, scale), scale }
}

function countDigits(value: bigint): number {
  return magnitudeOf(value).toString().length
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value
}
