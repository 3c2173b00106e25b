/** The gateway's OpenAPI 3.1 document, made from the same entries as its routes. */

import type { Json } from '../base/json.ts'
import type { Schema } from '../base/json-schema.ts'
import { entries, type GatewayEntry } from './entries.ts'
import { type OwnAnswer, type OwnRoute, ownRoutes, type Route } from './own-routes.ts'
import { jobSchema, problemSchema } from './own-schemas.ts'
import { schemaOfParameter, schemaOfRecord, schemaOfType } from './schema.ts'

/** The path of the gateway. */
export const basePath = '/streamnet/v1'

/** Tells whether an operation may be asked for with GET. */
export function isReadable({ kind }: Pick<GatewayEntry, 'kind'>): boolean {
  return kind === 'view' || kind === 'local'
}

/** Every route of the gateway. */
export function routes(): readonly Route[] {
  const operations = entries.flatMap((entry): readonly Route[] => {
    const path = `/${entry.name}`
    return isReadable(entry)
      ? [
          { method: 'post', path },
          { method: 'get', path },
        ]
      : [{ method: 'post', path }]
  })
  return [...operations, ...ownRoutes.map(({ method, path }) => ({ method, path }))]
}

/** The index: every operation with its sentence. */
export function describeGateway(): Json {
  return {
    name: 'sluice stream gateway',
    openapi: `${basePath}/openapi.json`,
    operations: entries.map(({ name, kind, about }) => ({
      name,
      kind,
      methods: isReadable({ kind }) ? ['POST', 'GET'] : ['POST'],
      about,
    })),
  }
}

/** The document. */
export function describeOpenApi(): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const add = (path: string, method: string, operation: Json) => {
    paths[basePath + path] = { ...paths[basePath + path], [method]: operation }
  }
  for (const entry of entries) {
    add(`/${entry.name}`, 'post', postOf(entry))
    if (entry.kind !== 'job' && isReadable(entry)) add(`/${entry.name}`, 'get', getOf(entry))
  }
  for (const route of ownRoutes) add(route.path, route.method, ownOf(route))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stream network gateway',
      version: '1',
      description:
        'Every operation of the stream network over HTTPS, signed by a key that stays in the gateway.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problemSchema },
      responses: { Problem: problemResponse },
    },
  }
}

function postOf(entry: GatewayEntry): Json {
  const { name, about, parameters } = entry
  const isWrite = !isReadable(entry)
  return {
    operationId: name,
    summary: about,
    ...(isWrite && { parameters: [idempotencyKey] }),
    requestBody: {
      required: parameters.some(({ required }) => required),
      content: { 'application/json': { schema: schemaOfRecord(parameters, 'in') } },
    },
    responses:
      entry.kind === 'job' ? answers('202', jobSchema) : answers('200', schemaOfType(entry.result, 'out')),
  }
}

function getOf(entry: Exclude<GatewayEntry, { readonly kind: 'job' }>): Json {
  return {
    operationId: `${entry.name}_get`,
    summary: entry.about,
    parameters: entry.parameters.map((parameter) => {
      const schema = schemaOfParameter(parameter, 'in')
      const isStructure = typeof parameter.type === 'object' && !('oneOf' in parameter.type)
      return {
        name: parameter.name,
        in: 'query',
        required: parameter.required,
        ...(isStructure ? { content: { 'application/json': { schema } } } : { schema }),
      }
    }),
    responses: {
      ...answers('200', schemaOfType(entry.result, 'out')),
      304: { description: 'Not changed since the ETag.' },
    },
  }
}

function ownOf({ path, id, about, answer, query = [], isOpen }: OwnRoute): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = query.map((name) => ({
    name,
    in: 'query',
    required: false,
    schema: querySchemas[name] ?? { type: 'integer' },
  }))
  return {
    operationId: id,
    summary: about,
    ...(isOpen === true && { security: [] }),
    parameters: [...inPath, ...inQuery],
    responses: ownAnswers(about, answer),
  }
}

function ownAnswers(about: string, answer: OwnAnswer): Json {
  if ('result' in answer) return answers('200', answer.result)
  const content = 'json' in answer ? { 'application/json': { schema: answer.json } } : { [answer.text]: {} }
  return { 200: { description: about, content }, default: problemRef }
}

function answers(status: string, result: Schema): { readonly [status: string]: Json } {
  const schema = { type: 'object', properties: { result }, required: ['result'] }
  return {
    [status]: { description: 'The result.', content: { 'application/json': { schema } } },
    default: problemRef,
  }
}

/** Parameters of queries that are not whole numbers; identifiers are as `formatEventId()` writes them. */
const querySchemas: Readonly<Record<string, Schema>> = {
  last_event_id: { type: 'string', pattern: '^\\d{1,15}(--?\\d{1,15})?$' },
  ticket: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  before: { type: 'string', pattern: '^\\d{1,15}(-\\d{1,6})?$' },
}

const idempotencyKey: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 200 },
  description: 'The same key with the same request is done once; its first outcome is answered again.',
}

const problemRef: Json = { $ref: '#/components/responses/Problem' }

const problemResponse: Json = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}
