/** Parts of JSON Schemas (draft 2020-12, which is OpenAPI 3.1's) that the documents of several surfaces are written with. */

import type { Json } from './json.ts'

/** A JSON Schema. */
export type Schema = Readonly<Record<string, Json>>

/** Schemas by the name of a member or of a shape. */
export type Schemas = Readonly<Record<string, Schema>>

/** Any text. */
export const text = { type: 'string' } as const
/** An integer. */
export const whole = { type: 'integer' } as const
/** Any number. */
export const number = { type: 'number' } as const
/** True or false. */
export const boolean = { type: 'boolean' } as const

/** One of some words. */
export function oneOf(...words: readonly string[]): Schema {
  return { type: 'string', enum: words }
}

/** A value or null. */
export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] }
}

/** A list of values of one shape. */
export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

/** Adds the meaning of a value to its schema. */
export function describe(description: string, schema: Schema): Schema {
  return { ...schema, description }
}

/**
 * An object: `always` are its members in every answer, those of `sometimes` may be absent.
 *
 * @param isOpen - whether a later version may add members.
 */
export function objectOf(always: Schemas, sometimes: Schemas, isOpen: boolean): Schema {
  return {
    type: 'object',
    properties: { ...always, ...sometimes },
    required: Object.keys(always),
    additionalProperties: isOpen,
  }
}
