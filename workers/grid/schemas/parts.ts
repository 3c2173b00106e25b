/** The parts that JSON Schemas of the grid's answers are written with. */

/** A JSON Schema (draft 2020-12), as OpenAPI 3.1 takes it. */
export type Schema = Readonly<Record<string, unknown>>

/** Schemas by the name of the shape that they describe. */
export type Schemas = Readonly<Record<string, Schema>>

/** Any text. */
export const text = { type: 'string' } as const
/** An integer. */
export const whole = { type: 'integer' } as const
/** Any number. */
export const number = { type: 'number' } as const
/** True or false. */
export const boolean = { type: 'boolean' } as const

/** Any object: its members depend on a type of attack or of device. */
export const anyObject = { type: 'object', additionalProperties: true } as const

/** A moment. */
export const seconds = { type: 'number', description: 'Unix time in seconds.' } as const

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

/** Values of one shape by name. */
export function mapOf(additionalProperties: Schema): Schema {
  return { type: 'object', additionalProperties }
}

/** What a value means, beside its shape. */
export function describe(description: string, schema: Schema): Schema {
  return { ...schema, description }
}

/** The reference to a shape of the document. */
export function refTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** An object: `always` are in every answer, `sometimes` may be absent. A later version may add members. */
export function object(always: Schemas, sometimes: Schemas = {}): Schema {
  return {
    type: 'object',
    properties: { ...always, ...sometimes },
    required: Object.keys(always),
    additionalProperties: true,
  }
}
