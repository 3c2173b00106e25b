/** The messages as JSON Schema (2020-12, which is OpenAPI 3.1's), made from their protobuf descriptors. */

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { RateLimitRequestSchema, RateLimitResponseSchema } from './gen/ratelimit_pb.ts'

type JsonSchema = { readonly [name: string]: JsonSchema | readonly JsonSchema[] | JsonLeaf }

type JsonLeaf = string | number | boolean | readonly string[]

/**
 * The schema of every message of a decision by its name without the package, `RateLimitRequest` and
 * `RateLimitResponse` among them, each in the canonical form of proto3 JSON.
 *
 * @param refer - writes the reference to a schema by its name.
 */
export function decisionSchemas(refer: (name: string) => string): { readonly [name: string]: JsonSchema } {
  const found = new Map<string, JsonSchema>()
  const visit = (message: DescMessage): void => {
    const name = nameOf(message)
    if (wellKnown[message.typeName] !== undefined || found.has(name)) return
    found.set(name, schemaOfMessage(message, refer))
    for (const field of message.fields) if (field.message !== undefined) visit(field.message)
  }
  visit(RateLimitRequestSchema)
  visit(RateLimitResponseSchema)
  return Object.fromEntries(found)
}

function nameOf({ typeName, file }: DescMessage): string {
  return typeName.slice(file.proto.package.length + 1)
}

function schemaOfMessage(message: DescMessage, refer: (name: string) => string): JsonSchema {
  const properties = message.fields.map((field) => [field.jsonName, schemaOfField(field, refer)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function schemaOfField(field: DescField, refer: (name: string) => string): JsonSchema {
  if (field.fieldKind === 'map') throw new Error(`Cannot describe ${field}: maps have no schema here`)
  const item = schemaOfItem(field, refer)
  return field.fieldKind === 'list' ? { type: 'array', items: item } : item
}

function schemaOfItem(field: DescField, refer: (name: string) => string): JsonSchema {
  if (field.enum !== undefined) return { type: 'string', enum: field.enum.values.map(({ name }) => name) }
  if (field.message !== undefined) {
    return wellKnown[field.message.typeName] ?? { $ref: refer(nameOf(field.message)) }
  }
  const schema = field.scalar === undefined ? undefined : scalars[field.scalar]
  if (schema === undefined) {
    const known = Object.keys(scalars).map((type) => ScalarType[Number(type)])
    throw new Error(`Cannot describe ${field}: its type has no schema, expected one of ${known.join(', ')}`)
  }
  return schema
}

const scalars: { readonly [type in ScalarType]?: JsonSchema } = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.UINT32]: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
  [ScalarType.BYTES]: { type: 'string', contentEncoding: 'base64' },
}

/** The messages that proto3 JSON writes in a form of their own. */
const wellKnown: { readonly [typeName: string]: JsonSchema } = {
  'google.protobuf.UInt64Value': { type: ['string', 'integer'], pattern: '^\\d{1,20}$', minimum: 0 },
  'google.protobuf.Duration': { type: 'string', pattern: '^-?\\d+(\\.\\d+)?s$' },
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Struct': { type: 'object', additionalProperties: true },
}
