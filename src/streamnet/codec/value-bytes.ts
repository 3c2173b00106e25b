/** Typed values to bytes and back. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeUtf8, writeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import type { DataType, Scalar, TypedValue, TypeName } from '../types.ts'
import { readBytes } from './layout.ts'
import { dataType } from './value.ts'

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
  const parts = values.map((value) => ({ type: value.type, elements: listElements(value, nullForm) }))
  const view = new DataView(new ArrayBuffer(parts.reduce((room, { elements }) => room + 32 + roomFor(elements), 0)))
  let end = 0
  for (const { type, elements } of parts) end = writeValue(view, end, type, elements)
  return new Uint8Array(view.buffer, 0, end)
}

/** Writes a value behind its length; gives where it ends. */
function writeValue(view: DataView, start: number, type: DataType, elements: readonly Scalar[]): number {
  const typeBytes = encodeDataType(type)
  view.setUint32(start + 6, typeBytes.length, true)
  new Uint8Array(view.buffer).set(typeBytes, start + 10)
  let end = start + 12 + typeBytes.length
  view.setUint16(end - 2, elements.length, true)
  for (const element of elements) end = writeElement(view, end, element, type.name)
  view.setUint32(start, end - start - 4, true)
  return end
}

function listElements({ type, value }: TypedValue, nullForm: NullForm): readonly Scalar[] {
  if (type.name === 'null' && !type.isArray && nullForm === 'empty') return []
  // An array's value is a list, any other's is not.
  return (type.isArray ? value : [value]) as readonly Scalar[]
}

/** The most bytes that elements take: UTF-8 has three for a unit of text at most, an int8 eight. */
function roomFor(elements: readonly Scalar[]): number {
  let room = 0
  for (const one of elements) room += 5 + (typeof one === 'string' || one instanceof Uint8Array ? 3 * one.length : 8)
  return room
}

/** Writes an element behind its length; gives where it ends. */
function writeElement(view: DataView, start: number, value: Scalar, name: TypeName): number {
  const length = value === null ? 0 : writeRaw(view, start + 5, value, name)
  view.setUint32(start, length + 1, true)
  view.setUint8(start + 4, value === null ? 0 : 1)
  return start + 5 + length
}

/** Writes a raw value; gives its length. */
function writeRaw(view: DataView, start: number, value: NonNullable<Scalar>, name: TypeName): number {
  if (typeof value === 'bigint') {
    view.setBigInt64(start, value)
    return 8
  }
  const rest = new Uint8Array(view.buffer, start)
  if (typeof value === 'string' && name !== 'uuid') return writeUtf8(value, rest)
  const raw = encodeRaw(value)
  rest.set(raw)
  return raw.length
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

/** Decodes a typed value; both forms of null are null, an array may be empty. malformed_bytes for another layout. */
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

/** Refuses any version but 0: malformed_bytes. */
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

/** Decoders of raw values; undefined means that the bytes are not a value of the type. */
const rawDecoders: Readonly<Record<TypeName, (raw: Uint8Array) => Scalar | undefined>> = {
  text: textOrUndefined,
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
