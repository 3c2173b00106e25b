/** Typed values, made from plain ones. */

import { formatDecimal, quantizeDecimal } from '../../base/decimal.ts'
import { invalidArgument } from '../errors.ts'
import type { ActionArg, DataType, PlainArg, Scalar, TypedValue, TypeName } from '../types.ts'

/**
 * Makes a type; precision and scale are for `numeric`.
 *
 * @param name - the type's name on the wire.
 * @param isArray - true for a list of it.
 * @param precision - digits of a `numeric`, 0 for all others.
 * @param scale - digits after the point of a `numeric`, 0 for all others.
 *
 * @example
 * const wei = { type: dataType('numeric', false, 78, 0), value: '1000000000000000000' }
 */
export function dataType(name: TypeName, isArray = false, precision = 0, scale = 0): DataType {
  return { name, isArray, precision, scale }
}

/**
 * Makes a decimal argument of numeric(precision, scale): text with exactly `scale` fractional digits.
 *
 * The network's stream values are numeric(36,18), its token amounts numeric(78,0).
 *
 * @param value - decimal text, or a finite number, which enters in its shortest form; or a list of them.
 * @param precision - digits in all.
 * @param scale - digits after the point.
 * @throws StreamNetError invalid_argument when a value is not a decimal, or needs more digits than the type
 * has.
 *
 * @example
 * const price = numeric('101.5')
 * const wei = numeric('1000000000000000000', 78, 0)
 */
export function numeric(value: string | number | readonly (string | number)[], precision = 36, scale = 18): TypedValue {
  const toText = (one: string | number) => writeNumeric(String(one), precision, scale)
  const isArray = typeof value === 'object'
  return { type: dataType('numeric', isArray, precision, scale), value: isArray ? value.map(toText) : toText(value) }
}

function writeNumeric(text: string, precision: number, scale: number): string {
  // Nearly every value of a stream fits and needs only its zeros.
  const parts = precision === 36 && scale === 18 ? fitting.exec(text) : null
  if (parts) return `${parts[1]}.${(parts[2] ?? '').padEnd(18, '0')}`
  try {
    return formatDecimal(quantizeDecimal(text, precision, scale), scale)
  } catch (cause) {
    // What the decimal reader throws are Errors.
    throw invalidArgument((cause as Error).message)
  }
}

const fitting = /^(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/

/**
 * Makes a uuid argument from its canonical text.
 *
 * @param text - 8-4-4-4-12 hex digits.
 * @throws StreamNetError invalid_argument when it has another form.
 *
 * @example
 * const rowId = uuid('6ba7b810-9dad-11d1-80b4-00c04fd430c8')
 */
export function uuid(text: string): TypedValue {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    throw invalidArgument(`Cannot encode uuid: "${text}", expected 8-4-4-4-12 hex digits`)
  }
  return { type: dataType('uuid'), value: text.toLowerCase() }
}

/** A null of no type, as every optional argument that is left out. */
export const nullValue: TypedValue = { type: dataType('null'), value: null }

/**
 * Gives a plain argument its wire type: string text, bigint and number int8, boolean bool, bytes bytea. A
 * list has the type of its first element that is not null.
 *
 * @throws StreamNetError invalid_argument when a number is not a safe integer, an integer has more than 64
 * bits, or a list is empty or of mixed types.
 */
export function toTypedValue(arg: ActionArg): TypedValue {
  if (isTyped(arg)) return arg
  if (!isList(arg)) return arg === null ? nullValue : { type: dataType(requireTypeName(arg)), value: toScalar(arg) }
  if (arg.length === 0) throw invalidArgument('Cannot encode argument: the list is empty, expected an element')
  const names = new Set(arg.filter((one) => one !== null).map(requireTypeName))
  if (names.size > 1) throw invalidArgument(`Cannot encode argument: the list mixes ${[...names].join(' and ')}`)
  const [name = 'null'] = names
  return { type: dataType(name, true), value: arg.map(toScalar) }
}

function isTyped(arg: ActionArg): arg is TypedValue {
  return typeof arg === 'object' && arg !== null && 'type' in arg
}

function isList(arg: PlainArg | readonly PlainArg[]): arg is readonly PlainArg[] {
  return Array.isArray(arg)
}

const plainNames: Readonly<Record<string, TypeName>> = {
  string: 'text',
  bigint: 'int8',
  number: 'int8',
  boolean: 'bool',
}

function requireTypeName(arg: PlainArg): TypeName {
  const name = arg instanceof Uint8Array ? 'bytea' : plainNames[typeof arg]
  if (name === undefined) throw invalidArgument(`Cannot encode argument: a ${typeof arg} has no type on the wire`)
  return name
}

function toScalar(arg: PlainArg): Scalar {
  if (typeof arg !== 'number' && typeof arg !== 'bigint') return arg
  if (typeof arg === 'number' && !Number.isSafeInteger(arg)) {
    throw invalidArgument(`Cannot encode argument: ${arg} is not a safe integer, expected a bigint or numeric()`)
  }
  const integer = BigInt(arg)
  if (BigInt.asIntN(64, integer) !== integer) {
    throw invalidArgument(`Cannot encode argument: ${integer} is beyond 64 bits`)
  }
  return integer
}
