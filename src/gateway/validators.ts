/** Validators of the catalogue's parameter types. */

import * as z from 'zod'
import { decodeBase64 } from '../base/base64.ts'
import { decodeHex } from '../base/hex.ts'
import { toCamelCase } from '../base/naming.ts'
import type { BasicType, Parameter, ParameterType } from '../streamnet/catalogue/entry.ts'
import { numeric, uuid } from '../streamnet/index.ts'
import type { Params } from './handle.ts'
import { expected, type Sentence, unknownOr, wanted } from './param-mistakes.ts'

/** The most mistakes that one answer lists; a list is not read further. */
export const maxMistakes = 100

/** Makes the validator of a record, whose output has the client's names. */
export function createRecord(members: readonly Parameter[]): z.ZodType<Params> {
  const shape = Object.fromEntries(
    members.map((member) => {
      const type = createBounded(member)
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

function createBounded({ type, min, max }: Parameter): z.ZodType {
  if (min === undefined && max === undefined) return validatorOfType(type)
  const bounds = [min === undefined ? '' : ` from ${min}`, max === undefined ? '' : ` to ${max}`].join('')
  const sentence = wanted(`a whole number${bounds}`)
  const [least, most] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY]
  // Integers are numbers or bigints here, which compare with each other.
  const isWithin = (value: number | bigint) => value >= least && value <= most
  return integerOr(sentence).refine(isWithin, { error: sentence })
}

function validatorOfType(type: ParameterType): z.ZodType {
  if (typeof type === 'string') return basic[type]()
  if ('oneOf' in type) return z.enum([...type.oneOf], { error: expected(type) })
  if ('list' in type) return createList(validatorOfType(type.list), { error: expected(type) })
  if ('map' in type) return createMap(validatorOfType(type.map), expected(type))
  if ('nullable' in type) return validatorOfType(type.nullable).nullable()
  if ('record' in type) return createRecord(type.record)
  const [first, ...rest] = type.anyOf.map(validatorOfType)
  return z.union([first ?? z.never(), ...rest], { error: expected(type) })
}

/** A map from stream ids. */
function createMap(item: z.ZodType, error: Sentence): z.ZodType {
  const names = { error: 'expected stream ids as names' }
  // A record would drop this one name silently, with any check.
  const named = z.unknown().refine((value) => !Object.hasOwn(Object(value), '__proto__'), names)
  return named.pipe(z.record(z.string().regex(streamIdPattern, names), item, { error }))
}

/** A list that is read up to its first mistakes: each takes 10 us to make, and a list may have thousands. */
function createList(item: z.ZodType, params?: { readonly error: Sentence }): z.ZodType<unknown[]> {
  return z.array(z.unknown(), params).transform((values, { issues }) => {
    const read: unknown[] = []
    for (const [at, value] of values.entries()) {
      const { data, error } = item.safeParse(value)
      // An issue of `safeParse` is a finished one: pushed again, it keeps its message.
      for (const { path, ...issue } of error?.issues ?? [])
        issues.push({ ...issue, path: [at, ...path] } as z.core.$ZodRawIssue)
      if (issues.length >= maxMistakes) break
      read.push(data)
    }
    return read
  })
}

const streamIdPattern = /^st[a-z0-9]{30}$/

const basic: Readonly<Record<BasicType, () => z.ZodType>> = {
  string: () => z.string({ error: expected('string') }),
  boolean: () => z.boolean({ error: expected('boolean') }),
  number: () => z.number({ error: expected('number') }),
  stream_id: () => matching('stream_id', streamIdPattern),
  address: () => matching('address', /^(0x)?[0-9a-fA-F]{40}$/),
  tx_hash: () => matching('tx_hash', /^(0x)?[0-9a-fA-F]{64}$/),
  integer: () => integerOr(expected('integer')),
  decimal: exactDecimal,
  wei: () => numberOrText('wei', /^[1-9]\d{0,77}$/).transform(String),
  bytes: () =>
    z.string({ error: expected('bytes') }).transform((text, context) => {
      const bytes = readBytes(text)
      if (bytes !== undefined) return bytes
      context.addIssue({ code: 'custom', message: expected('bytes')({ input: text }) })
      return z.NEVER
    }),
  argument: () => z.union([plainArgument(), createList(plainArgument())], { error: expected('argument') }),
  void: () => z.null({ error: expected('void') }),
}

/** A whole number of 64 bits, as a number or as text. */
function integerOr(error: Sentence): z.ZodType<number | bigint> {
  return z
    .union([z.number(), z.string()], { error })
    .refine((value) => (typeof value === 'number' ? Number.isSafeInteger(value) : /^-?\d{1,19}$/.test(value)), {
      error,
      abort: true,
    })
    .transform(toInteger)
    .refine((value) => value >= -(2n ** 63n) && value < 2n ** 63n, { error: 'is beyond 64 bits' })
}

/** A number whose shortest form matches, or text that does. */
function numberOrText(type: BasicType, pattern: RegExp): z.ZodType<number | string> {
  return z
    .union([z.number(), z.string()], { error: expected(type) })
    .refine((value) => pattern.test(String(value)), { error: expected(type) })
}

const decimalPattern = /^[+-]?(\d{1,64}(\.\d{0,64})?|\.\d{1,64})([eE][+-]?\d{1,3})?$/

function exactDecimal(): z.ZodType<number | string> {
  return numberOrText('decimal', decimalPattern)
}

function matching(type: BasicType, pattern: RegExp): z.ZodType<string> {
  return z.string({ error: expected(type) }).regex(pattern, { error: expected(type) })
}

/** The values of JSON, and one object for each type that JSON does not have. */
function plainArgument(): z.ZodType {
  return z.union([
    z.null(),
    z.boolean(),
    z.string(),
    z.number(),
    z.strictObject({ int8: basic.integer() }).transform(({ int8 }) => int8),
    z.strictObject({ bytea: basic.bytes() }).transform(({ bytea }) => bytea),
    z.strictObject({ uuid: z.uuid() }).transform((value) => uuid(value.uuid)),
    typedNumeric(),
  ])
}

function typedNumeric(): z.ZodType {
  const members = {
    numeric: z.union([exactDecimal(), z.array(exactDecimal()).min(1)]),
    precision: z.int().min(1).max(1000).optional(),
    scale: z.int().min(0).max(1000).optional(),
  }
  return z
    .strictObject(members)
    .transform(({ numeric: value, precision = 36, scale = 18 }) => numeric(value, precision, scale))
}

function toInteger(value: number | string): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : BigInt(value)
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
