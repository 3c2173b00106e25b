/** JSON on the wire without loss: integers and decimals beyond a double go in and out as text. */

import { encodeHex } from '../base/hex.ts'
import type { Json } from '../base/json.ts'
import { findJsonExcess } from '../base/json-depth.ts'
import { toSnakeCase } from '../base/naming.ts'
import { GatewayError } from './errors.ts'

/**
 * Reads JSON. A number that a double does not hold becomes text of its very digits, so that `9007199254740993` and
 * `0.1234567890123456789` arrive as they were written.
 *
 * @throws GatewayError malformed_json when it is not JSON, or nests deeper than 100 levels or has more than 500,000
 * objects and lists.
 */
export function parseJson(text: string): unknown {
  const excess = findJsonExcess(text, maxLevels)
  if (excess !== undefined) {
    throw new GatewayError('malformed_json', `Cannot read the body: it ${excess}, expected one object of parameters`)
  }
  try {
    const value: unknown = JSON.parse(text)
    // Only a valid text is searched: its strings all end, so the search is linear.
    return longNumber.test(text) ? JSON.parse(text.replace(stringOrNumber, quoteLongNumber)) : value
  } catch {
    throw new GatewayError('malformed_json', 'Cannot read the body: it is not JSON, expected one object')
  }
}

/** The deepest nesting that is read; parameters nest five deep. */
const maxLevels = 100
/** A double holds any 15 decimal digits. */
const exactDigits = 15
/** Text that may hold a number of more than 15 digits. */
const longNumber = /[\d.]{16}/
/** A string, its escapes included, or a number: `"a\\"1"`, `-1.5e3`. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

function quoteLongNumber(token: string): string {
  if (token.startsWith('"')) return token
  const digits = token.replace(/[eE].*$/, '').replace(/\D/g, '')
  const number = Number(token)
  const isExact = String(number) === token && Math.abs(number) <= Number.MAX_SAFE_INTEGER
  return digits.length > exactDigits && !isExact ? `"${token}"` : token
}

/** Turns a result into JSON: snake_case, 64-bit integers as text, bytes as hex behind `0x`, undefined left out. */
export function toJson(value: unknown): Json {
  return convert(value, new Map())
}

/** Writes what `toJson()` makes as text, ten times faster for a result that JSON writes as it is. */
export function writeJson(value: unknown): string {
  return JSON.stringify(isJson(value, new Set()) ? value : toJson(value))
}

/** @param names - the names so far that are the same in snake_case. */
function isJson(value: unknown, names: Set<string>): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'number') return true
  if (typeof value !== 'object') return typeof value === 'boolean'
  if (Array.isArray(value)) return value.every((item) => isJson(item, names))
  return Object.getPrototypeOf(value) === Object.prototype && areJson(value, names)
}

function areJson(value: object, names: Set<string>): boolean {
  for (const name in value) {
    if (!names.has(name) && toSnakeCase(name) !== name) return false
    names.add(name)
    // A name of the object that is walked.
    const member = value[name as keyof typeof value] as unknown
    if (member !== undefined && !isJson(member, names)) return false
  }
  return true
}

/** @param names - the names in snake_case so far: rows of a table have the same ones. */
function convert(value: unknown, names: Map<string, string>): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return `0x${encodeHex(value)}`
  if (Array.isArray(value)) return value.map((item) => convert(item, names))
  if (typeof value === 'object') return convertMembers(value, names)
  // What is left are the values that JSON has itself; functions and symbols are in no result.
  return value as string | number | boolean
}

function convertMembers(value: object, names: Map<string, string>): Json {
  const entries: [string, Json][] = []
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const snake = names.get(name) ?? toSnakeCase(name)
    names.set(name, snake)
    entries.push([snake, convert(member, names)])
  }
  return Object.fromEntries(entries)
}
