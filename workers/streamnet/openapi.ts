/** The gateway's OpenAPI 3.1 document: operations from the catalogue, the other routes from their table. */

import type { Schema } from '#base/json.ts'
import answerSchemas from '#gateway/contract/schemas.json' with { type: 'json' }
import { entries, type GatewayEntry } from '#gateway/entries.ts'
import { type OwnAnswer, type OwnRoute, ownRoutes } from '#gateway/own-routes.ts'
import { basePath, isReadable } from '#gateway/routes.ts'
import { schemaOfParameter, schemaOfRecord, schemaOfType } from '#gateway/schema.ts'
import {
  type Answer,
  type DescribedRoute,
  type Parameter,
  type Reference,
  schemaRef,
  writeOpenApi,
} from '../edge/openapi.ts'

/** The document. */
export function describeApi(): object {
  return writeOpenApi(
    {
      info: {
        title: 'Stream network gateway',
        version: '1',
        description: 'Every operation of the stream network over HTTPS, signed by a key that stays in the gateway.',
      },
      security: [{ token: [] }],
      components: {
        securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
        schemas: { Problem: answerSchemas.Problem },
        responses: { Problem: problem },
      },
    },
    [...entries.flatMap(describeEntry), ...ownRoutes.map(describeOwn)],
  )
}

const problem = {
  description: 'A problem (RFC 9457).',
  content: { 'application/problem+json': { schema: schemaRef('Problem') } },
}

function describeEntry(entry: GatewayEntry): readonly DescribedRoute[] {
  const { name, about, parameters } = entry
  const post: DescribedRoute = {
    method: 'post',
    path: `${basePath}/${name}`,
    id: name,
    summary: about,
    ...(!isReadable(entry) && { parameters: [idempotencyKey] }),
    body: {
      type: 'application/json',
      schema: schemaOfRecord(parameters, 'in'),
      isRequired: parameters.some(({ required }) => required),
    },
    answers: entry.kind === 'job' ? result(answerSchemas.Job, 202) : result(schemaOfType(entry.result, 'out')),
  }
  if (entry.kind === 'job' || !isReadable(entry)) return [post]
  const get: DescribedRoute = {
    method: 'get',
    path: post.path,
    id: `${name}_get`,
    summary: about,
    parameters: parameters.map(describeParameter),
    answers: { ...post.answers, 304: { description: 'Not changed since the ETag.' } },
  }
  return [post, get]
}

function describeParameter(parameter: GatewayEntry['parameters'][number]): Parameter {
  const { name, type, required } = parameter
  const schema = schemaOfParameter(parameter, 'in')
  const isStructure = typeof type === 'object' && !('oneOf' in type)
  return {
    name,
    in: 'query',
    ...(required && { required: true }),
    ...(isStructure ? { content: { 'application/json': { schema } } } : { schema }),
  }
}

function describeOwn({ method, path, id, about, answer, query = [], isOpen }: OwnRoute): DescribedRoute {
  return {
    method,
    path: basePath + path,
    id,
    summary: about,
    ...(isOpen === true && { security: [] }),
    parameters: query.map((name) => ({ name, in: 'query', schema: querySchemas[name] ?? { type: 'integer' } })),
    answers: describeOwnAnswer(about, answer),
  }
}

type Answers = Readonly<Record<string, Answer | Reference>>

function describeOwnAnswer(about: string, answer: OwnAnswer): Answers {
  if ('result' in answer) return result(answer.result)
  const media = 'json' in answer ? { type: 'application/json', schema: answer.json } : { type: answer.text }
  return { 200: { description: about, media: [media] }, default: { $ref: '#/components/responses/Problem' } }
}

/** The answer of an operation: an object with its result. */
function result(schema: Schema, status = 200): Answers {
  const body = { type: 'object', properties: { result: schema }, required: ['result'] }
  return {
    [status]: { description: 'The result.', media: [{ type: 'application/json', schema: body }] },
    default: { $ref: '#/components/responses/Problem' },
  }
}

/** Parameters of queries that are not whole numbers; identifiers are as `formatEventId()` writes them. */
const querySchemas: Readonly<Record<string, Schema>> = {
  last_event_id: { type: 'string', pattern: '^\\d{1,15}(--?\\d{1,15})?$' },
  ticket: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  before: { type: 'string', pattern: '^\\d{1,15}(-\\d{1,6})?$' },
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', maxLength: 200 },
  description: 'The same key with the same request is done once; its first outcome is answered again.',
}
