/** Typed values: made from plain ones, to bytes and back. */

import { formatDecimal, quantizeDecimal } from '../../base/decimal.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeUtf8, writeUtf8 } from '../../base/utf8.ts'
import { invalidArgument, malformedBytes } from '../errors.ts'
import type { ActionArg, DataType, PlainArg, Scalar, TypedValue, TypeName } from '../types.ts'
import { readBytes } from './layout.ts'

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
  const toText = (one: string | number): string => {
    const text = String(one)
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
  const isArray = typeof value === 'object'
  return { type: dataType('numeric', isArray, precision, scale), value: isArray ? value.map(toText) : toText(value) }
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

/** The form of a null without a type: without elements, or with one null element (as some JavaScript clients do). */
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
export function encodeValue(value: TypedValue, nullForm?: NullForm): Uint8Array {
  return encodeValues([value], nullForm).subarray(4)
}

/** Encodes typed values, each behind its u32 length. One allocation for all: their elements are many and small. */
export function encodeValues(values: readonly TypedValue[], nullForm: NullForm = 'empty'): Uint8Array {
  const lists = values.map((value) => listElements(value, nullForm))
  const bytes = new Uint8Array(lists.reduce((room, elements) => room + 32 + roomFor(elements), 0))
  const view = new DataView(bytes.buffer)
  let end = 0
  for (const [index, { type }] of values.entries()) {
    const start = end
    const typeBytes = encodeDataType(type)
    const elements = lists[index] ?? []
    view.setUint32(start + 6, typeBytes.length, true)
    bytes.set(typeBytes, start + 10)
    end += 10 + typeBytes.length
    view.setUint16(end, elements.length, true)
    end += 2
    for (const element of elements) end = writeElement(bytes, view, end, element, type.name)
    view.setUint32(start, end - start - 4, true)
  }
  return bytes.subarray(0, end)
}

function listElements({ type, value }: TypedValue, nullForm: NullForm): readonly Scalar[] {
  if (type.name === 'null' && !type.isArray && nullForm === 'empty') return []
  // An array's value is a list, any other's is not.
  return (type.isArray ? value : [value]) as readonly Scalar[]
}

// UTF-8 has at most three bytes for a unit of text; an int8 has eight.
function roomFor(elements: readonly Scalar[]): number {
  let room = 0
  for (const one of elements) room += 5 + (typeof one === 'string' || one instanceof Uint8Array ? 3 * one.length : 8)
  return room
}

// Returns where the element ends.
function writeElement(bytes: Uint8Array, view: DataView, start: number, value: Scalar, name: TypeName): number {
  let length = 0
  if (typeof value === 'bigint') {
    view.setBigInt64(start + 5, value)
    length = 8
  } else if (typeof value === 'string' && name !== 'uuid') {
    length = writeUtf8(value, bytes.subarray(start + 5))
  } else if (value !== null) {
    const raw = encodeRaw(value)
    bytes.set(raw, start + 5)
    length = raw.length
  }
  view.setUint32(start, length + 1, true)
  bytes[start + 4] = value === null ? 0 : 1
  return start + 5 + length
}

function encodeRaw(value: string | boolean | Uint8Array): ArrayLike<number> {
  if (typeof value === 'boolean') return [Number(value)]
  return typeof value === 'string' ? decodeHex(value.replaceAll('-', '')) : value
}

/** Encodes a type: u16 0, u32 length and name, u8 is-array, u16 precision, u16 scale, all big endian. */
export function encodeDataType({ name, isArray, precision, scale }: DataType): Uint8Array {
  const bytes = new Uint8Array(name.length + 11)
  const view = new DataView(bytes.buffer)
  view.setUint32(2, name.length)
  writeUtf8(name, bytes.subarray(6))
  bytes[name.length + 6] = Number(isArray)
  view.setUint16(name.length + 7, precision)
  view.setUint16(name.length + 9, scale)
  return bytes
}

/**
 * Decodes a typed value; both forms of null are null, an array may be empty.
 *
 * @throws StreamNetError malformed_bytes when it has another version, an unknown type, a wrong element
 * length, text that is not UTF-8, or bytes left over.
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

/** Decodes a type; malformed_bytes for another version, an unknown name, or bytes left over. */
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

/** Refuses another version than 0. */
export function assertVersion(version: number, what: string): void {
  if (version !== 0) throw malformedBytes(`Cannot decode ${what}: version ${version}, expected 0`)
}

function isTypeName(text: string): text is TypeName {
  return Object.hasOwn(rawDecoders, text)
}

function decodeElement(name: TypeName, element: Uint8Array): Scalar {
  const raw = element.subarray(1)
  if (element[0] === 0 && raw.length === 0) return null
  const value = element[0] === 1 ? rawDecoders[name](raw) : undefined
  if (value === undefined) throw malformedBytes(`Cannot decode value: a ${name} of ${raw.length} bytes`)
  return value
}

// Undefined means that the bytes are not a value of the type.
const rawDecoders: Readonly<Record<TypeName, (raw: Uint8Array) => Scalar | undefined>> = {
  text: (raw) => textOrUndefined(raw),
  numeric: (raw) => {
    const text = textOrUndefined(raw)
    return text !== undefined && /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? text : undefined
  },
  int8: (raw) => (raw.length === 8 ? new DataView(raw.buffer, raw.byteOffset).getBigInt64(0) : undefined),
  bool: (raw) => (raw.length === 1 && (raw[0] ?? 2) < 2 ? raw[0] === 1 : undefined),
  bytea: (raw) => raw.slice(),
  uuid: (raw) => (raw.length === 16 ? encodeHex(raw).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : undefined),
  null: () => undefined,
}

function textOrUndefined(raw: Uint8Array): string | undefined {
  try {
    return decodeUtf8(raw)
  } catch {
    return undefined
  }
}
