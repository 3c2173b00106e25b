/** Typed values: made from plain ones, to bytes and back. */

import { concatBytes } from '../../base/bytes.ts'
import { formatDecimal, quantizeDecimal } from '../../base/decimal.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { invalidArgument, malformedBytes } from '../errors.ts'
import type { ActionArg, DataType, PlainArg, Scalar, TypedValue, TypeName } from '../types.ts'
import { encodeBytes, encodeUint, encodeUintBigEndian, readBytes } from './layout.ts'

/** Makes a type; precision and scale are for `numeric`. */
export function dataType(name: TypeName, isArray = false, precision = 0, scale = 0): DataType {
  return { name, isArray, precision, scale }
}

/**
 * Makes a decimal argument of numeric(precision, scale): text with exactly `scale` fractional digits.
 *
 * The network's stream values are numeric(36,18), its token amounts numeric(78,0).
 *
 * @param value - decimal text, or a finite number, which enters in its shortest form; or a list of them.
 * @throws invalid_argument when a value is no decimal, or needs more digits than the type has.
 */
export function numeric(
  value: string | number | readonly (string | number)[],
  precision = 36,
  scale = 18,
): TypedValue {
  const toText = (one: string | number): string => {
    try {
      return formatDecimal(quantizeDecimal(String(one), precision, scale), scale)
    } catch (cause) {
      // What the decimal reader throws are Errors.
      throw invalidArgument((cause as Error).message)
    }
  }
  const isArray = typeof value === 'object'
  return {
    type: dataType('numeric', isArray, precision, scale),
    value: isArray ? value.map(toText) : toText(value),
  }
}

/**
 * Makes a uuid argument from its canonical text.
 *
 * @throws invalid_argument
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
 * @throws invalid_argument when a number is not a safe integer, an integer has more than 64 bits, or a list
 * is empty or of mixed types.
 */
export function toTypedValue(arg: ActionArg): TypedValue {
  if (isTyped(arg)) return arg
  if (!isList(arg)) return arg === null ? nullValue : { type: dataType(nameOf(arg)), value: toScalar(arg) }
  if (arg.length === 0)
    throw invalidArgument('Cannot encode argument: the list is empty, expected an element')
  const names = new Set(arg.filter((one) => one !== null).map(nameOf))
  if (names.size > 1)
    throw invalidArgument(`Cannot encode argument: the list mixes ${[...names].join(' and ')}`)
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

function nameOf(arg: PlainArg): TypeName {
  const name = arg instanceof Uint8Array ? 'bytea' : plainNames[typeof arg]
  if (name === undefined)
    throw invalidArgument(`Cannot encode argument: a ${typeof arg} has no type on the wire`)
  return name
}

function toScalar(arg: PlainArg): Scalar {
  if (typeof arg !== 'number' && typeof arg !== 'bigint') return arg
  if (typeof arg === 'number' && !Number.isSafeInteger(arg)) {
    throw invalidArgument(
      `Cannot encode argument: ${arg} is not a safe integer, expected a bigint or numeric()`,
    )
  }
  const integer = BigInt(arg)
  if (BigInt.asIntN(64, integer) !== integer) {
    throw invalidArgument(`Cannot encode argument: ${integer} is beyond 64 bits`)
  }
  return integer
}

/** How a null of no type is written: without elements, or with one null element (as some JavaScript clients do). */
export type NullForm = 'empty' | 'element'

/**
 * Encodes a typed value.
 *
 * - u16 0, the version
 * - u32 length, then the type: u16 0, u32 length and name, u8 is-array, u16 precision, u16 scale, all big endian
 * - u16 count of elements
 * - each element: u32 length, then 0 for null, or 1 and the raw value
 *
 * Raw values: text UTF-8, int8 eight bytes big endian, bool one byte, bytea and uuid as they are, numeric its
 * decimal text. Integers without a byte order above are little endian.
 */
export function encodeValue({ type, value }: TypedValue, nullForm: NullForm = 'empty'): Uint8Array {
  // An array's value is a list, any other's is not.
  const list = (type.isArray ? value : [value]) as readonly Scalar[]
  const isEmpty = type.name === 'null' && !type.isArray && nullForm === 'empty'
  const elements = isEmpty ? [] : list.map((element) => encodeScalar(type.name, element))
  return concatBytes(
    encodeUint(0, 2),
    encodeBytes(encodeDataType(type)),
    encodeUint(elements.length, 2),
    encodeElements(elements),
  )
}

// One allocation for all: values have few bytes each and come in lists.
function encodeElements(elements: readonly (Uint8Array | null)[]): Uint8Array {
  const size = elements.reduce((sum, raw) => sum + 5 + (raw?.length ?? 0), 0)
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  let offset = 0
  for (const raw of elements) {
    view.setUint32(offset, 1 + (raw?.length ?? 0), true)
    if (raw !== null) {
      bytes[offset + 4] = 1
      bytes.set(raw, offset + 5)
    }
    offset += 5 + (raw?.length ?? 0)
  }
  return bytes
}

/** Encodes a type: u16 0, u32 length and name, u8 is-array, u16 precision, u16 scale, all big endian. */
export function encodeDataType({ name, isArray, precision, scale }: DataType): Uint8Array {
  const text = encodeUtf8(name)
  return concatBytes(
    encodeUint(0, 2),
    encodeUintBigEndian(text.length, 4),
    text,
    Uint8Array.of(isArray ? 1 : 0),
    encodeUintBigEndian(precision, 2),
    encodeUintBigEndian(scale, 2),
  )
}

function encodeScalar(name: TypeName, value: Scalar): Uint8Array | null {
  if (typeof value === 'bigint') {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, value)
    return bytes
  }
  if (typeof value === 'boolean') return Uint8Array.of(value ? 1 : 0)
  // Bytes as they are, and null.
  if (typeof value !== 'string') return value
  return name === 'uuid' ? decodeHex(value.replaceAll('-', '')) : encodeUtf8(value)
}

/**
 * Decodes a typed value; both forms of null are null, an array may be empty.
 *
 * @throws malformed_bytes for another version, an unknown type, a wrong element length, text that is not
 * UTF-8, or bytes left over.
 */
export function decodeValue(data: Uint8Array): TypedValue {
  const reader = readBytes(data, 'value')
  assertVersion(reader.uint(2), 'value')
  const type = decodeDataType(reader.bytes() ?? new Uint8Array())
  const count = reader.uint(2)
  const elements: Scalar[] = []
  for (let index = 0; index < count; index++) {
    elements.push(decodeElement(type.name, reader.bytes() ?? new Uint8Array(1)))
  }
  reader.end()
  if (type.isArray) return { type, value: elements }
  if (count > 1 || (count === 0 && type.name !== 'null')) {
    throw malformedBytes(`Cannot decode value: ${count} elements of a single ${type.name}, expected 1`)
  }
  return { type, value: elements[0] ?? null }
}

/**
 * Decodes a type.
 *
 * @throws malformed_bytes
 */
export function decodeDataType(data: Uint8Array): DataType {
  const reader = readBytes(data, 'type')
  assertVersion(reader.uintBigEndian(2), 'type')
  const name = new TextDecoder().decode(reader.take(reader.uintBigEndian(4)))
  const isArray = reader.uint(1)
  const [precision, scale] = [reader.uintBigEndian(2), reader.uintBigEndian(2)]
  reader.end()
  if (!isTypeName(name) || isArray > 1) throw malformedBytes(`Cannot decode type: "${name}" is unknown`)
  return dataType(name, isArray === 1, precision, scale)
}

/** Tells whether text names a type of the wire. */
export function isTypeName(text: string): text is TypeName {
  return Object.hasOwn(rawDecoders, text)
}

/** Refuses another version than 0. */
export function assertVersion(version: number, what: string): void {
  if (version !== 0) throw malformedBytes(`Cannot decode ${what}: version ${version}, expected 0`)
}

function decodeElement(name: TypeName, element: Uint8Array): Scalar {
  const raw = element.subarray(1)
  if (element[0] === 0 && raw.length === 0) return null
  const value = element[0] === 1 ? rawDecoders[name](raw) : undefined
  if (value === undefined) throw malformedBytes(`Cannot decode value: a ${name} of ${raw.length} bytes`)
  return value
}

// Undefined means that the bytes are no value of the type.
const rawDecoders: Readonly<Record<TypeName, (raw: Uint8Array) => Scalar | undefined>> = {
  text: (raw) => textOrUndefined(raw),
  numeric: (raw) => {
    const text = textOrUndefined(raw)
    return text !== undefined && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? text : undefined
  },
  int8: (raw) => (raw.length === 8 ? new DataView(raw.buffer, raw.byteOffset).getBigInt64(0) : undefined),
  bool: (raw) => (raw.length === 1 && (raw[0] ?? 2) < 2 ? raw[0] === 1 : undefined),
  bytea: (raw) => raw.slice(),
  uuid: (raw) =>
    raw.length === 16 ? encodeHex(raw).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined,
  null: () => undefined,
}

function textOrUndefined(raw: Uint8Array): string | undefined {
  try {
    return decodeUtf8(raw)
  } catch {
    return undefined
  }
}
