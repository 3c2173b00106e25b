/** The catalogue's parameter types as validators: JSON in the caller's names in, the client's parameters out. */

import * as z from 'zod'
import { decodeBase64 } from '../base/base64.ts'
import { decodeHex } from '../base/hex.ts'
import { memo } from '../base/memo.ts'
import { nearest } from '../base/nearest.ts'
import type { BasicType, Parameter, ParameterType } from '../streamnet/catalogue/entry.ts'
import { numeric, uuid } from '../streamnet/index.ts'
import type { GatewayEntry } from './entries.ts'
import { GatewayError, type Mistake } from './errors.ts'
import type { Params } from './handle.ts'
import { toCamelCase } from './naming.ts'
import { describeType } from './schema.ts'

/** The most mistakes that one answer lists. */
const maxMistakes = 100

/**
 * Checks the parameters of an operation.
 *
 * @param input - JSON in snake case; null and undefined mean that nothing was sent.
 * @returns the client's parameters in camel case; what was left out, or null, is left out.
 * @throws GatewayError invalid_params when a parameter is malformed; the message has every mistake and its
 * path.
 */
export function readParams(entry: GatewayEntry, input: unknown): Params {
  const result = validatorOf(entry).safeParse(input ?? {})
  if (result.success) return result.data
  const mistakes = result.error.issues.flatMap((issue) => mistakesOf(issue, entry)).slice(0, maxMistakes)
  const [first] = mistakes
  throw new GatewayError(
    'invalid_params',
    `Cannot run ${entry.name}: ${first ? `${first.path || 'the body'} ${first.message}` : 'its parameters are wrong'}`,
    { mistakes },
  )
}

// Made when first used: a Worker that starts should not pay for operations that are never asked for.
const validatorOf = memo((entry: GatewayEntry) => recordOf(entry.parameters))

function recordOf(members: readonly Parameter[]): z.ZodType<Params> {
  const shape = Object.fromEntries(
    members.map((member) => {
      const type = boundedOf(member)
      // A caller's null is a parameter left out.
      return [member.name, member.required ? type : type.nullish()]
    }),
  )
  const clientNames = members.map(({ name }) => [name, toCamelCase(name)] as const)
  return z.strictObject(shape, { error: unknownOr('an object') }).transform((given) => {
    const params: Record<string, unknown> = {}
    for (const [name, clientName] of clientNames) {
      const value: unknown = given[name]
      if (value !== null && value !== undefined) params[clientName] = value
    }
    return params
  })
}

function boundedOf({ type, min, max }: Parameter): z.ZodType {
  const validator = validatorOfType(type)
  if (min === undefined && max === undefined) return validator
  const least = min ?? Number.NEGATIVE_INFINITY
  const most = max ?? Number.POSITIVE_INFINITY
  const bounds = [min === undefined ? '' : ` from ${min}`, max === undefined ? '' : ` to ${max}`].join('')
  // Integers are numbers or bigints here, which compare with each other.
  return validator.refine((value) => (value as number) >= least && (value as number) <= most, {
    error: `expected a whole number${bounds}`,
  })
}

function validatorOfType(type: ParameterType): z.ZodType {
  if (typeof type === 'string') return basic[type]()
  if ('oneOf' in type) return z.enum([...type.oneOf], { error: expected(type) })
  if ('list' in type) return z.array(validatorOfType(type.list), { error: expected(type) })
  if ('map' in type) {
    const key = z.string().regex(streamIdPattern, { error: 'expected stream ids as names' })
    // A record would drop this one name silently, with any check.
    const named = z.unknown().refine((value) => !Object.hasOwn(Object(value), '__proto__'), {
      error: 'expected stream ids as names',
    })
    return named.pipe(z.record(key, validatorOfType(type.map), { error: expected(type) }))
  }
  if ('nullable' in type) return validatorOfType(type.nullable).nullable()
  if ('record' in type) return recordOf(type.record)
  const [first, ...rest] = type.anyOf.map(validatorOfType)
  return z.union([first ?? z.never(), ...rest], { error: expected(type) })
}

const streamIdPattern = /^st[a-z0-9]{30}$/

const basic: Readonly<Record<BasicType, () => z.ZodType>> = {
  string: () => z.string({ error: expected('string') }),
  boolean: () => z.boolean({ error: expected('boolean') }),
  number: () => z.number({ error: expected('number') }),
  stream_id: () => matching('stream_id', streamIdPattern),
  address: () => matching('address', /^(0x)?[0-9a-fA-F]{40}$/),
  tx_hash: () => matching('tx_hash', /^(0x)?[0-9a-fA-F]{64}$/),
  integer: () =>
    z
      .union([z.number(), z.string()], { error: expected('integer') })
      .refine(
        (value) => (typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d{1,19}$/.test(value)),
        {
          error: expected('integer'),
          abort: true,
        },
      )
      .transform(toInteger)
      .refine(isInt64, { error: 'is beyond 64 bits' }),
  decimal: () => numberOrText('decimal', decimalPattern),
  wei: () => numberOrText('wei', /^[1-9]\d{0,77}$/).transform(String),
  bytes: () =>
    z.string({ error: expected('bytes') }).transform((text, context) => {
      const bytes = readBytes(text)
      if (bytes !== undefined) return bytes
      context.addIssue({ code: 'custom', message: expected('bytes')({ input: text }) })
      return z.NEVER
    }),
  argument: () => z.union([plainArgument(), z.array(plainArgument())], { error: expected('argument') }),
  void: () => z.null({ error: expected('void') }),
}

/** A number whose shortest form matches, or text that does. */
function numberOrText(type: BasicType, pattern: RegExp): z.ZodType<number | string> {
  return z
    .union([z.number(), z.string()], { error: expected(type) })
    .refine((value) => pattern.test(String(value)), { error: expected(type) })
}

const decimalPattern = /^[+-]?(\d{1,64}(\.\d{0,64})?|\.\d{1,64})([eE][+-]?\d{1,3})?$/

const exactDecimal = () => numberOrText('decimal', decimalPattern)

function matching(type: BasicType, pattern: RegExp): z.ZodType<string> {
  return z.string({ error: expected(type) }).regex(pattern, { error: expected(type) })
}

/** What JSON has itself, and one object for each type that it has not. */
function plainArgument(): z.ZodType {
  return z.union([
    z.null(),
    z.boolean(),
    z.string(),
    z.number(),
    z.strictObject({ int8: basic.integer() }).transform(({ int8 }) => int8),
    z.strictObject({ bytea: basic.bytes() }).transform(({ bytea }) => bytea),
    z.strictObject({ uuid: z.uuid() }).transform((value) => uuid(value.uuid)),
    z
      .strictObject({
        numeric: z.union([exactDecimal(), z.array(exactDecimal()).min(1)]),
        precision: z.int().min(1).max(1000).optional(),
        scale: z.int().min(0).max(1000).optional(),
      })
      .transform(({ numeric: value, precision = 36, scale = 18 }) => numeric(value, precision, scale)),
  ])
}

function toInteger(value: number | string): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : BigInt(value)
}

function isInt64(value: number | bigint): boolean {
  return value >= -(2n ** 63n) && value < 2n ** 63n
}

/** Hex behind `0x`, else base64; undefined for neither. */
function readBytes(text: string): Uint8Array | undefined {
  if (/^0x([0-9a-fA-F]{2})*$/.test(text)) return decodeHex(text.slice(2))
  try {
    return decodeBase64(text)
  } catch {
    return undefined
  }
}

type RawIssue = { readonly input?: unknown; readonly code?: string | undefined }

function expected(type: ParameterType): (issue: RawIssue) => string {
  const wanted = `expected ${describeType(type)}`
  return ({ input }) => (input === undefined ? `is required, ${wanted}` : `${wanted}${dateHint(type, input)}`)
}

/** Times are Unix seconds; for a date in words, which is the usual mistake, the message has the number. */
function dateHint(type: ParameterType, input: unknown): string {
  if (type !== 'integer' || typeof input !== 'string' || !/^\d{4}-\d\d/.test(input)) return ''
  const ms = Date.parse(input)
  return Number.isNaN(ms) ? '' : `; ${input.slice(0, 32)} is ${Math.floor(ms / 1000)} in Unix seconds`
}

function unknownOr(wanted: string): (issue: RawIssue) => string {
  return ({ input, code }) => {
    if (code === 'unrecognized_keys') return 'is not a parameter'
    return input === undefined ? `is required, expected ${wanted}` : `expected ${wanted}`
  }
}

type Issue = z.core.$ZodIssue

function mistakesOf(
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
    if (branch) return branch.flatMap((inner) => mistakesOf(inner, entry, path))
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
