/** Mistakes of a value by a JSON Schema of an OpenAPI document. */

import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Checks a value. Members that the schema does not name are mistakes, also where the document leaves room for those of
 * a later version.
 *
 * @param components - of the document, which the schema refers to.
 * @returns an empty list for a value of the shape.
 */
export function schemaMistakes(schema: object, value: unknown, components: unknown): readonly unknown[] {
  const closed = JSON.parse(JSON.stringify({ ...schema, components }), (_, part) =>
    part?.type === 'object' && part.properties !== undefined ? { ...part, additionalProperties: false } : part,
  )
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(closed)
  return validate(value) ? [] : (validate.errors ?? [])
}
