/** The parts of JSON Schemas that only the grid's answers have. */

import { objectOf, type Schema, type Schemas } from '#base/json-schema.ts'

/** Any object: its members depend on a type of attack or of device. */
export const anyObject = { type: 'object', additionalProperties: true } as const

/** A moment. */
export const seconds = { type: 'number', description: 'Unix time in seconds.' } as const

/** Values of one shape by name. */
export function mapOf(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties }
}

/** The reference to a shape of the document. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** An object: `always` are in every answer, `sometimes` may be absent. A later version may add members. */
export function object(always: Schemas, sometimes: Schemas = {}): Schema {
  return objectOf(always, sometimes, true)
}
