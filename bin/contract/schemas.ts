/** The answers of the services as JSON Schemas, made of their zod schemas for the OpenAPI documents. */

import * as z from 'zod'
import { answers as gateway } from '#gateway/contract/answers.ts'
import { answers as grid } from '#grid/contract/answers.ts'
import { answers as ratelimit } from '#ratelimit/contract/answers.ts'

interface Contract {
  readonly answers: Readonly<Record<string, z.ZodType>>
  /** Value for members that the schema does not name; undefined for none. */
  readonly additionalProperties?: boolean
}

/** Every surface's answers, by the file that keeps their JSON Schemas. */
const contracts: Readonly<Record<string, Contract>> = {
  'src/ratelimit/contract/schemas.json': { answers: ratelimit },
  'src/gateway/contract/schemas.json': { answers: gateway, additionalProperties: false },
  // A later version may add members.
  'src/grid/contract/schemas.json': { answers: grid, additionalProperties: true },
}

/** Writes the files of all surfaces: text by path from the root. */
export function writeSchemas(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(contracts).map(([path, contract]) => [path, toText(toSchemas(contract))]))
}

/** One schema a line, by name: a change shows what changed. */
function toText(schemas: Readonly<Record<string, object>>): string {
  const lines = Object.entries(schemas)
    .map(([name, schema]) => `"${name}": ${JSON.stringify(schema)}`)
    .sort()
  return `{\n${lines.join(',\n')}\n}\n`
}

function toSchemas({ answers, additionalProperties }: Contract): Readonly<Record<string, object>> {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(answers)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => simplify(jsonSchema, additionalProperties),
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]))
}

/** Leaves out what says nothing: the safe integers as bounds, and that names of members are text. */
function simplify(schema: z.core.JSONSchema.BaseSchema, additionalProperties: boolean | undefined): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.const !== undefined || schema.type !== 'object') return
  delete schema.propertyNames
  if (schema.additionalProperties === false) {
    if (additionalProperties === undefined) delete schema.additionalProperties
    else schema.additionalProperties = additionalProperties
  } else if (JSON.stringify(schema.additionalProperties) === '{}') schema.additionalProperties = true
}
