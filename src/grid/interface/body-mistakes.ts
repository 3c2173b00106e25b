/** Mistakes of a JSON body as sentences: the place, the value found there, and the value expected. */

import type * as z from 'zod'
import { memo } from '../../base/memo.ts'
import { suggest } from '../../base/nearest.ts'
import { GridError } from '../errors.ts'
import { type BodySchema, describeShape, toBodySchema } from './body-schema.ts'

/** Most mistakes of one body that are listed. */
const maximumListed = 10

/** Most characters of a wrong value or name that a mistake repeats. */
const shownLength = 64

/** The wording of the error for a wrong body. */
interface Refusal {
  readonly code: 'invalid_request' | 'invalid_configuration'
  /** The action that failed, such as `set the speed`. */
  readonly action: string
  readonly findOrder?: FindOrder
}

/**
 * Reads a body by its shape.
 *
 * @throws GridError invalid_request when the body has mistakes and this is the code; the message lists every one.
 * @throws GridError invalid_configuration when the body has mistakes and this is the code.
 */
export function readBody<Shape extends z.ZodType>(
  schema: Shape,
  body: unknown,
  { code, action, findOrder }: Refusal,
): z.infer<Shape> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new GridError(code, `Cannot ${action}: ${listMistakes(schema, body, parsed.error, { findOrder })}`)
}

/**
 * Lists mistakes of a body, at most ten, such as `speed is missing, expected a number from 0.1 to 60`; `findOrder`
 * names the order that takes a property which this body does not.
 */
export function listMistakes(schema: z.ZodType, body: unknown, error: z.ZodError, wording: Wording = {}): string {
  return findMistakes(schema, body, error, wording)
    .map(({ text }) => text)
    .join('; ')
}

/** A mistake at a place of a value. */
export interface PlaceMistake {
  /** The names and positions that lead to it; the last one is that of a property that the shape does not have. */
  readonly path: readonly PropertyKey[]
  /** With the place, as in `listMistakes`. */
  readonly text: string
}

/** Finds what is wrong with a body, as `listMistakes` does, one by one. */
export function findMistakes(
  schema: z.ZodType,
  body: unknown,
  { issues }: z.ZodError,
  wording: Wording,
): readonly PlaceMistake[] {
  const whole = bodySchemaOf(schema)
  return issues.slice(0, maximumListed).flatMap((issue) => describeIssue(issue, whole, body, wording))
}

/** Kept: a batch of packets asks for that of each wrong one. */
const bodySchemaOf = memo((schema: z.ZodType) => toBodySchema(schema) as BodySchema) // shapes are made of these parts

/** Finds the order that takes a property; undefined where none does. */
type FindOrder = (property: string) => string | undefined

interface Wording {
  /** The whole value in messages; the body when absent. */
  readonly name?: string
  readonly findOrder?: FindOrder | undefined
}

function describeIssue(
  issue: z.core.$ZodIssue,
  whole: BodySchema,
  body: unknown,
  { name = 'the body', findOrder = () => undefined }: Wording,
) {
  const { path } = issue
  const shape = path.reduce<BodySchema | undefined>(shapeAt, whole)
  const place = formatPlace(path)
  if (issue.code === 'unrecognized_keys') return describeUnknown(issue.keys, shape, path, findOrder)
  const value = path.reduce(valueAt, body)
  const expected = describeExpected(shape, issue)
  const found = value === undefined ? 'missing' : showValue(value)
  return [{ path, text: `${place || name} is ${found}, expected ${expected}` }]
}

/** Writes a place as a path, such as `packets[0].timestamp`. */
export function formatPlace(path: readonly PropertyKey[]): string {
  const written = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${showName(String(part))}`))
  return written.join('').replace(/^\./, '')
}

function shapeAt(shape: BodySchema | undefined, part: PropertyKey): BodySchema | undefined {
  if (typeof part === 'number') return shape?.items
  const { properties = {}, additionalProperties } = shape ?? {}
  if (Object.hasOwn(properties, part)) return properties[String(part)]
  return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
    ? additionalProperties
    : undefined
}

function valueAt(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    ? Reflect.get(value, part)
    : undefined
}

function describeUnknown(
  names: readonly string[],
  shape: BodySchema | undefined,
  path: readonly PropertyKey[],
  findOrder: FindOrder,
): readonly PlaceMistake[] {
  const place = formatPlace(path)
  const known = Object.keys(shape?.properties ?? {})
  return names.slice(0, maximumListed).map((name) => {
    const order = findOrder(name)
    const right = order === undefined ? suggest(name, known, `expected ${known.join(', ')}`) : `which ${order} takes`
    const within = place === '' ? '' : ` in ${place}`
    return { path: [...path, name], text: `unknown property "${showName(name)}"${within}, ${right}` }
  })
}

/** The message of a check that says `expected ...`, or else the description of the shape. */
function describeExpected(shape: BodySchema | undefined, { message }: z.core.$ZodIssue): string {
  if (message.startsWith('expected ')) return message.slice('expected '.length)
  return shape === undefined ? 'JSON without numbers that are not finite' : describeShape(shape)
}

/** A wrong value, cut short; lists and objects are only named. */
export function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? describeList(value) : 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > shownLength ? `${text.slice(0, shownLength)}...` : text
}

function describeList({ length }: readonly unknown[]): string {
  return length === 0 ? 'an empty list' : `a list of ${length}`
}

/** The beginning of a name or a text, for a message. */
export function showName(name: string): string {
  return name.slice(0, shownLength)
}
