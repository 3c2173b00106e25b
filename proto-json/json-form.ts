/**
 * Brings parsed JSON into the form in which @bufbuild/protobuf reads exactly what the reference reads.
 *
 * Where the two differ, and what is done here (`test/proto-json/json.test.ts` has a case for each):
 *
 * | | reference | library |
 * |---|---|---|
 * | number in a string | a JSON number, `"1e1"`, `"5.0"` | whatever `Number()` takes, `"0x10"`, `"05"`, `"+5"` |
 * | 64-bit integer as float or exponent | `1e1`, `"5.0"` | digits alone |
 * | bare 64-bit integer above 2^53 | exact | refused |
 * | `-0` in a string for 64 bits | 0 | refused |
 */

import type { DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { isWrapperDesc } from '@bufbuild/protobuf/wkt'
import { ProtoJsonError } from './errors.ts'
import type { JsonNode, NumberText } from './json-text.ts'

/**
 * Rewrites the integers of one message canonically and leaves everything else to the library.
 *
 * @throws ProtoJsonError `malformed_json` for an integer field that holds no integer.
 */
export function toLibraryForm(desc: DescMessage, node: JsonNode): JsonValue {
  if (isWrapperDesc(desc) && desc.fields[0] !== undefined) return scalarForm(desc.fields[0], node)
  if (!(node instanceof Map)) return plainForm(node)
  const entries = [...node].map(([name, value]): [string, JsonValue] => {
    const field = desc.fields.find((candidate) => candidate.jsonName === name || candidate.name === name)
    return [name, field === undefined ? plainForm(value) : fieldForm(field, value)]
  })
  return objectOf(entries)
}

function fieldForm(field: DescField, node: JsonNode): JsonValue {
  if (node === null) return null
  const message = field.fieldKind === 'message' || field.fieldKind === 'list' ? field.message : undefined
  if (field.fieldKind === 'list' && message !== undefined && isArray(node)) {
    return node.map((item) => toLibraryForm(message, item))
  }
  if (message !== undefined) return toLibraryForm(message, node)
  return field.fieldKind === 'scalar' ? scalarForm(field, node) : plainForm(node)
}

function scalarForm(field: DescField, node: JsonNode): JsonValue {
  const isInteger = field.scalar === ScalarType.UINT32 || field.scalar === ScalarType.UINT64
  if (!isInteger || node === null || typeof node === 'boolean' || isArray(node) || node instanceof Map) {
    return plainForm(node)
  }
  const text = typeof node === 'string' ? node : isNumber(node) ? node.number : ''
  const digits = integerDigits(text)
  if (digits === null) {
    const shown = JSON.stringify(text.slice(0, 40))
    throw new ProtoJsonError(
      'malformed_json',
      `Cannot read field ${field.name}: it is ${shown}, expected an integer`,
    )
  }
  return digits
}

const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The most digits that an unsigned 64-bit integer has. */
const maxDigits = 20

/**
 * Writes a JSON number that is an integer of at most twenty digits without fraction and exponent.
 *
 * @returns Null when it is no JSON number, is below zero, has a fraction or is longer than that.
 */
export function integerDigits(text: string): string | null {
  const match = jsonNumber.exec(text)
  if (match === null) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`.replace(/^0+/, '').replace(/0+$/, '')
  if (digits === '') return '0'
  if (sign === '-') return null
  const trailingZeros = `${whole}${fraction}`.length - `${whole}${fraction}`.replace(/0+$/, '').length
  const power = Number(exponent) - fraction.length + trailingZeros
  return power < 0 || digits.length + power > maxDigits ? null : digits + '0'.repeat(power)
}

function plainForm(node: JsonNode): JsonValue {
  if (node === null || typeof node === 'boolean' || typeof node === 'string') return node
  if (isArray(node)) return node.map(plainForm)
  if (isNumber(node)) return Number(node.number)
  return objectOf([...node].map(([name, value]): [string, JsonValue] => [name, plainForm(value)]))
}

/** `Object.fromEntries` defines own members, so that `__proto__` is a name like any other. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries)
}

function isArray(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node)
}

function isNumber(node: NumberText | ReadonlyMap<string, JsonNode>): node is NumberText {
  return 'number' in node
}
