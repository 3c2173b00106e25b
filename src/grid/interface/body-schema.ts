/** Shapes of request bodies as JSON Schema, and in words. */

import * as z from 'zod'
import type { Schema } from '../../base/json.ts'

/** The parts of a JSON Schema that the shapes of requests use. */
export interface BodySchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly BodySchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly contentEncoding?: string
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly items?: BodySchema
  readonly additionalProperties?: BodySchema | boolean
}

/** Describes the shape of a request body as JSON Schema (draft 2020-12); fields with a default are optional. */
export function toBodySchema(schema: z.ZodType): Schema {
  const { $schema: _, $defs: __, ...described } = z.toJSONSchema(schema, { io: 'input' })
  return withoutReferences(described) as Schema // the description of a shape is JSON
}

/** Replaces references, which only mean any JSON and would not resolve in another document, by `{}`. */
function withoutReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutReferences)
  if (typeof part !== 'object' || part === null) return part
  if (Object.hasOwn(part, '$ref')) return {}
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withoutReferences(value)]))
}

/** Describes a shape in words, such as `a number from 0.1 to 60`. */
export function describeShape(shape: BodySchema): string {
  if (shape.anyOf !== undefined) return shape.anyOf.map(describeShape).join(' or ')
  if (shape.enum !== undefined) return `one of ${shape.enum.join(', ')}`
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.contentEncoding === 'base64') return `Base64 of at most ${shape.maxLength} characters`
  switch (shape.type) {
    case 'integer':
      return `an integer${range(shape.minimum, shape.maximum)}`
    case 'number':
      return `a number${range(shape.minimum, shape.maximum)}`
    case 'string':
      return `a text${range(shape.minLength, shape.maxLength, ' of')}${shape.maxLength === undefined ? '' : ' characters'}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list${range(shape.minItems, shape.maxItems, ' of')}${shape.maxItems === undefined ? '' : ' items'}`
    case 'null':
      return 'null'
    default:
      return describeObject(shape)
  }
}

function describeObject({ properties = {} }: BodySchema): string {
  const names = Object.keys(properties)
  return names.length === 0 ? 'a JSON object' : `a JSON object with ${names.join(', ')}`
}

/** Bounds in words; the safe integers bound every integer and are left out. */
function range(least: number | undefined, most: number | undefined, before = ''): string {
  const low = least === Number.MIN_SAFE_INTEGER ? undefined : least
  const high = most === Number.MAX_SAFE_INTEGER ? undefined : most
  if (low !== undefined && high !== undefined)
    return before === '' ? ` from ${low} to ${high}` : `${before} ${low} to ${high}`
  if (low !== undefined) return `${before} of at least ${low}`
  return high === undefined ? '' : `${before} at most ${high}`
}
