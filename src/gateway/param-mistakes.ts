/** Mistakes in parameters as sentences: where, what was given, and what would be right. */

import type * as z from 'zod'
import { nearest } from '../base/nearest.ts'
import type { BasicType, Parameter, ParameterType } from '../streamnet/catalogue/entry.ts'
import type { GatewayEntry } from './entries.ts'
import type { Mistake } from './errors.ts'

/** The sentence of a validator about a value that it refuses. */
export type Sentence = (issue: { readonly input?: unknown; readonly code?: string | undefined }) => string

/** Says what was given, and what was wanted in the words of the caller. */
export function wanted(what: string): Sentence {
  return ({ input }) => (input === undefined ? `is required, expected ${what}` : `is ${show(input)}, expected ${what}`)
}

/** Says what was given, and which type was wanted. */
export function expected(type: ParameterType): Sentence {
  const say = wanted(nameType(type))
  return (issue) => say(issue) + dateHint(type, issue.input)
}

/** Names a type in a sentence. */
function nameType(type: ParameterType): string {
  if (typeof type === 'string') return words[type]
  if ('oneOf' in type) return type.oneOf.join(' or ')
  if ('list' in type) return 'a list'
  if ('map' in type) return 'an object'
  if ('nullable' in type) return `${nameType(type.nullable)} or null`
  if ('record' in type) return 'an object'
  return type.anyOf.map(nameType).join(' or ')
}

const words: Readonly<Record<BasicType, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  stream_id: '"st" and 30 lower-case letters or digits',
  address: '0x and 40 hex digits',
  tx_hash: '64 hex digits',
  integer: 'a whole number (beyond 2^53 as text)',
  decimal: 'a number or decimal text',
  wei: 'a positive whole number of wei as text',
  bytes: 'hex behind 0x, or base64',
  argument: 'null, a boolean, text, a number, {"int8"}, {"numeric"}, {"bytea"}, {"uuid"} or a list of them',
  void: 'nothing',
}

/** Says what was given in the place of a record, or that a name in it is not a parameter. */
export function unknownOr(what: string): Sentence {
  const say = wanted(what)
  return (issue) => (issue.code === 'unrecognized_keys' ? 'is not a parameter' : say(issue))
}

/** The most of a text that an answer repeats, in UTF-16 code units; a longer one may be a key in the wrong place. */
const shownLength = 48

function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > shownLength ? `a text of ${value.length} characters` : JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** Times are Unix seconds; for a date in words, which is the usual mistake, the message has the number. */
function dateHint(type: ParameterType, input: unknown): string {
  if (type !== 'integer' || typeof input !== 'string' || !/^\d{4}-\d\d/.test(input)) return ''
  const ms = Date.parse(input)
  return Number.isNaN(ms) ? '' : `; ${input.slice(0, 32)} is ${Math.floor(ms / 1000)} in Unix seconds`
}

type Issue = z.core.$ZodIssue

/** Lists the mistakes in the parameters of an operation, each at its path. */
export function describeMistakes(
  issue: Issue,
  entry: GatewayEntry,
  above: readonly PropertyKey[] = [],
): readonly Mistake[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const names = namesAt(entry.parameters, path)
    return issue.keys.map((key) => ({
      path: showPath([...path, key.slice(0, 64)]),
      message: `is not a parameter${meantBy(key, names, entry)}`,
    }))
  }
  if (issue.code === 'invalid_union') {
    // The branch that was meant is the one that fails furthest inside; without one, no branch was.
    const depths = issue.errors.map((branch) => Math.max(0, ...branch.map((inner) => inner.path.length)))
    const deepest = Math.max(0, ...depths)
    const branch = deepest > 0 ? issue.errors[depths.indexOf(deepest)] : undefined
    if (branch) return branch.flatMap((inner) => describeMistakes(inner, entry, path))
  }
  return [{ path: showPath(path), message: issue.message }]
}

/** The names that an object has at a path: of the operation, or of a record within one of its parameters. */
function namesAt(parameters: readonly Parameter[], path: readonly PropertyKey[]): readonly string[] {
  const [first, ...rest] = path.filter((part) => typeof part === 'string')
  if (first === undefined) return parameters.map(({ name }) => name)
  const type = parameters.find(({ name }) => name === first)?.type
  return type === undefined ? [] : namesAt(recordIn(type), rest)
}

function recordIn(type: ParameterType): readonly Parameter[] {
  if (typeof type === 'string' || 'oneOf' in type) return []
  if ('record' in type) return type.record
  if ('list' in type) return recordIn(type.list)
  if ('nullable' in type) return recordIn(type.nullable)
  return 'anyOf' in type ? type.anyOf.flatMap(recordIn) : []
}

function meantBy(key: string, names: readonly string[], { kind }: GatewayEntry): string {
  const near = nearest(key, names)
  if (near !== undefined) return `, perhaps ${near}`
  if (key === 'data_provider' && (kind === 'execute' || kind === 'job'))
    return ": a write goes to the gateway's own streams"
  return names.length === 0 ? '' : `, expected ${names.join(', ')}`
}

/** `records[3].value`. */
function showPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('')
}
