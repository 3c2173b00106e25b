/** Plain YAML scalars as the reference's dialect reads them (Go yaml.v2: YAML 1.1 with a few deviations). */

/** Meaning of a scalar before a type is expected of it. */
export type ScalarMeaning =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** -2^63 to 2^64 - 1. */
  | { readonly kind: 'int'; readonly value: bigint }
  /** Decimal digits beyond 64 bits, or a fraction or exponent. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'merge' }
  | { readonly kind: 'string' }

const words: ReadonlyMap<string, ScalarMeaning> = new Map<string, ScalarMeaning>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, { kind: 'null' }] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map(
    (word) => [word, { kind: 'bool', value: true }] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map(
    (word) => [word, { kind: 'bool', value: false }] as const,
  ),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { kind: 'float', value: Number.NaN }] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(
    (word) => [word, { kind: 'float', value: Number.POSITIVE_INFINITY }] as const,
  ),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, { kind: 'float', value: Number.NEGATIVE_INFINITY }] as const),
  ['<<', { kind: 'merge' }],
])

const integer = /^([+-]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/
const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/

const leastInt = -(2n ** 63n)

/** The most that a signed integer of 64 bits holds. */
export const mostInt = 2n ** 63n - 1n

const mostUnsigned = 2n ** 64n - 1n

/**
 * Reads a plain (unquoted) scalar.
 *
 * Differs from YAML 1.1 as its library implementations usually have it: `0o10` is 8, `1:30` and dates are text,
 * `1e3` needs no sign in the exponent, and an integer beyond 64 bits is a float, or text with a prefix such as `0x`.
 */
export function scalarMeaning(source: string): ScalarMeaning {
  const word = words.get(source)
  if (word !== undefined) return word
  if (!/^[-+.0-9]/.test(source)) return { kind: 'string' }
  const plain = source.replaceAll('_', '')
  const [, sign, digits] = integer.exec(plain) ?? []
  const integral = digits === undefined ? null : integerMeaning(sign ?? '', digits)
  if (integral !== null) return integral
  // Beyond the range of a double Go reads text.
  const value = float.test(plain) ? Number(plain) : Number.NaN
  return Number.isFinite(value) ? { kind: 'float', value } : { kind: 'string' }
}

/** Null beyond 64 bits, of which only a number without a sign uses all. */
function integerMeaning(sign: string, digits: string): ScalarMeaning | null {
  // A leading zero means octal; BigInt wants it spelled out.
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase())
  const value = sign === '-' ? -magnitude : magnitude
  const most = sign === '' ? mostUnsigned : mostInt
  return value < leastInt || value > most ? null : { kind: 'int', value }
}
