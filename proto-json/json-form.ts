/**
 * Brings parsed JSON into the form in which @bufbuild/protobuf reads exactly what the reference reads.
 *
 * Where the two differ, and what is done here (`test/proto-json/json.test.ts` has a case for each):
 *
 * | | reference | library |
 * |---|---|---|
 * | number in a string | a JSON number, `"1e1"`, `"5.0"` | all that `Number()` takes, `"0x10"`, `"05"`, `"+5"` |
 * | 64-bit integer as float or exponent | `1e1`, `"5.0"` | digits only |
 * | bare 64-bit integer above 2^53 | exact | refused |
 * | `-0` in a string for 64 bits | 0 | refused |
 */

import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { nearest } from '#base/nearest.ts'
import { ProtoJsonError } from './errors.ts'
import type { JsonNode, NumberText } from './strict-json.ts'

/**
 * Rewrites the integers of one message canonically and leaves every other value to the library, once it has the
 * right type.
 *
 * @param path - The place of the message, such as `descriptors[0]`; empty for the outermost.
 * @throws ProtoJsonError malformed_json when a member does not exist, or a value has another type than its field; the
 *   message names the place, and the nearest member that exists.
 */
export function toLibraryForm(desc: DescMessage, node: JsonNode, path = ''): JsonValue {
  if (isWrapperDesc(desc) && desc.fields[0] !== undefined) return scalarForm(desc.fields[0], node, path)
  if (!(node instanceof Map)) throw mistyped(path, node, 'an object')
  const entries = [...node].map(([name, value]): [string, JsonValue] => {
    const field = desc.fields.find((candidate) => candidate.jsonName === name || candidate.name === name)
    if (field === undefined) throw unknownMember(desc, name, path)
    return [name, fieldForm(field, value, path === '' ? name : `${path}.${name}`)]
  })
  return toObject(entries)
}

function fieldForm(field: DescField, node: JsonNode, path: string): JsonValue {
  if (node === null) return null
  if (field.fieldKind === 'list') return listForm(field, node, path)
  if (field.fieldKind === 'message') return toLibraryForm(field.message, node, path)
  if (field.fieldKind === 'enum') return enumForm(field.enum, node, path)
  return scalarForm(field, node, path)
}

function listForm(field: DescField & { fieldKind: 'list' }, node: JsonNode, path: string): JsonValue {
  if (!isArray(node)) throw mistyped(path, node, 'a list')
  const { message } = field
  if (message === undefined) return node.map(plainForm)
  return node.map((item, index) => toLibraryForm(message, item, `${path}[${index}]`))
}

function enumForm({ values }: DescEnum, node: JsonNode, path: string): JsonValue {
  if (typeof node === 'string') {
    const names = values.map(({ name }) => name)
    if (names.includes(node)) return node
    throw mistyped(path, node, expectedName(node, names))
  }
  if (!isNumber(node)) {
    throw mistyped(path, node, `one of ${values.map(({ name }) => name).join(', ')}`)
  }
  return plainForm(node)
}

function scalarForm(field: DescField, node: JsonNode, path: string): JsonValue {
  if (node === null) return null
  if (field.scalar === ScalarType.UINT32) return integerForm(node, path, 4_294_967_295n)
  if (field.scalar === ScalarType.UINT64) return integerForm(node, path, 18_446_744_073_709_551_615n)
  if (field.scalar === ScalarType.STRING && typeof node !== 'string') throw mistyped(path, node, 'a string')
  if (field.scalar === ScalarType.BOOL && typeof node !== 'boolean') throw mistyped(path, node, 'true or false')
  return plainForm(node)
}

function integerForm(node: JsonNode, path: string, most: bigint): JsonValue {
  const text = typeof node === 'string' ? node : isNumber(node) ? node.number : ''
  const digits = integerDigits(text)
  if (digits === null || BigInt(digits) > most) throw mistyped(path, node, `an integer from 0 to ${most}`)
  return digits
}

/** The most of a caller's text that is repeated in an error, in UTF-16 code units. */
const shownLength = 40

function mistyped(path: string, node: JsonNode, expected: string): ProtoJsonError {
  return refusal(`${path === '' ? 'it' : path} is ${shown(node)}, expected ${expected}`)
}

function shown(node: JsonNode): string {
  if (node === null || typeof node === 'boolean') return String(node)
  if (typeof node === 'string') return JSON.stringify(node.slice(0, shownLength))
  if (isNumber(node)) return node.number.slice(0, shownLength)
  return isArray(node) ? 'a list' : 'an object'
}

function unknownMember(desc: DescMessage, name: string, path: string): ProtoJsonError {
  const names = desc.fields.map(({ jsonName }) => jsonName)
  const owner = path === '' ? 'there is' : `${path} has`
  return refusal(`${owner} no member ${shown(name)}, expected ${expectedName(name, names)}`)
}

/** The known name that was probably meant, or all of them. */
function expectedName(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near !== undefined) return JSON.stringify(near)
  return known.length === 1 ? `only ${known[0]}` : `one of ${known.join(', ')}`
}

function refusal(state: string): ProtoJsonError {
  return new ProtoJsonError('malformed_json', `Cannot read JSON: ${state}`)
}

const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The most digits that an unsigned 64-bit integer has. */
const maxDigits = 20

/** Writes an integer of at most twenty digits; null for another JSON number, a negative one or a fraction. */
function integerDigits(text: string): string | null {
  const match = jsonNumber.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const written = `${whole}${fraction}`
  const zeros = trailingZeros(written)
  const digits = written.slice(0, written.length - zeros).replace(/^0+/, '')
  if (digits === '') return '0'
  if (sign === '-') return null
  const power = Number(exponent) - fraction.length + zeros
  return power < 0 || digits.length + power > maxDigits ? null : digits + '0'.repeat(power)
}

/** Counted from the end: a pattern such as `0+$` begins anew at each zero, so a megabyte of digits took minutes. */
function trailingZeros(digits: string): number {
  let count = 0
  while (count < digits.length && digits[digits.length - 1 - count] === '0') count += 1
  return count
}

function plainForm(node: JsonNode): JsonValue {
  if (node === null || typeof node === 'boolean' || typeof node === 'string') return node
  if (isArray(node)) return node.map(plainForm)
  if (isNumber(node)) return Number(node.number)
  return toObject([...node].map(([name, value]): [string, JsonValue] => [name, plainForm(value)]))
}

/** `Object.fromEntries` defines own members, so that `__proto__` is a name like any other. */
function toObject(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries)
}

function isArray(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node)
}

function isNumber(node: JsonNode): node is NumberText {
  return node !== null && typeof node === 'object' && 'number' in node
}
