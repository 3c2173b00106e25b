/** The OpenAPI 3.1 document of the rate limit service: the decision path, and the operator plane from its table. */

import type { Json } from '#base/json.ts'
import { decisionSchemas } from '#proto-json/index.ts'
import { fileKeySchema } from './bodies.ts'
import { type Body, type Content, contents } from './contents.ts'
import { counterQuery } from './counters.ts'
import { decisionPaths } from './decision-paths.ts'
import { type Example, examples } from './examples.ts'
import type { Operation } from './operations.ts'
import { operatorStatus } from './problems.ts'
import { reasonHeader } from './reason.ts'
import { operatorSchemas, refer } from './schemas.ts'
import { usageQuery } from './usage.ts'

/** Where the operator plane lies on the port of all surfaces. */
export const operatorPrefix = '/ratelimit'

/** The document of these operations. */
export function describeApi(operations: readonly Operation[]): Json {
  const paths: Record<string, Record<string, Json>> = { ...decisionPaths }
  for (const operation of operations) {
    const path = operatorPrefix + pathOf(operation)
    paths[path] = { ...paths[path], [operation.method]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Rate limit decisions', version: '1', description: about },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { operator: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN' }, caller },
      schemas: { ...decisionSchemas(refer), ...operatorSchemas },
      headers: { Reason: reason },
    },
  }
}

const about =
  'Envoy-compatible rate limit decisions as JSON, and the operator plane. On a separate port (--debug-port) the operator plane has the same paths without "/ratelimit". Requests are proto3 JSON: names in snake_case, null, numbers as text and enums by number are read as well.'

const caller: Json = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token of CALLER_TOKENS, where that is set.',
}

const reason: Json = {
  description: `Why the answer is as it is, percent-encoded (${reasonHeader}).`,
  schema: { type: 'string' },
}

/** `:name` and `*` as parameters in braces. */
function pathOf({ path }: Operation): string {
  return path.replace(/:(\w+)/g, '{$1}').replace('*', '{profile}')
}

function describe(operation: Operation): Json {
  const { id, summary, isOpen = false } = operation
  const content: Content = contents[id]
  return {
    operationId: id,
    summary,
    security: isOpen ? [] : [{ operator: [] }],
    ...parametersOf(operation),
    ...(content.takes !== undefined && {
      requestBody: { required: true, content: contentOf(content.takes, id, 'body') },
    }),
    responses: responsesOf(operation, content),
  }
}

function parametersOf(operation: Operation) {
  const inPath = [...pathOf(operation).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchemas[operation.id] ?? { type: 'string' },
  }))
  const inQuery = (operation.query ?? []).map((name) => ({
    name,
    in: 'query',
    required: name === 'seconds',
    schema: parameterSchemas[name],
  }))
  const inHeader =
    operation.id === 'replaceFiles' ? [{ name: 'If-None-Match', in: 'header', schema: { const: '*' } }] : []
  const parameters: readonly Json[] = [...inPath, ...inQuery, ...inHeader]
  return parameters.length > 0 && { parameters }
}

// A domain means the same in both.
const parameterSchemas = { ...usageQuery, ...counterQuery }

const pathSchemas: { readonly [id in Operation['id']]?: Json } = {
  readFile: fileKeySchema,
  putFile: fileKeySchema,
  removeFile: fileKeySchema,
  readRevision: { type: 'integer', minimum: 1 },
}

function responsesOf({ id, summary, query, isOpen = false }: Operation, content: Content) {
  const { status = 200, answers, hosted, errors = [] } = content
  const statuses = new Set<number>(errors.map((code) => operatorStatus[code]))
  if (query !== undefined) statuses.add(operatorStatus.malformed_request)
  if (id === 'replaceFiles') statuses.add(412)
  const responses: Record<string, Json> = {
    [status]: { description: summary, content: contentOf(answers, id, 'answer') },
  }
  if (hosted !== undefined)
    responses[200] = {
      description: `${summary}: npm start`,
      content: { [hosted.type]: { schema: hosted.schema } },
    }
  for (const one of statuses)
    responses[one] = { description: descriptions[one] ?? 'An error', content: errorContent }
  if (isOpen) return responses
  responses[401] = { description: "The operator's token is missing or wrong", content: plainContent }
  responses[503] = {
    description: 'The deployment has no ADMIN_TOKEN, or a counter store does not answer',
    content: statuses.has(503) ? { ...plainContent, ...errorContent } : plainContent,
  }
  return responses
}

const plainContent = { 'text/plain': { schema: { type: 'string' } } }
const errorContent = { 'application/json': { schema: { $ref: refer('Error') } } }

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  404: 'There is nothing of that name',
  409: 'No rules are loaded',
  412: 'There is a configuration already, and If-None-Match was *',
  413: 'The body is too long',
  422: 'The rules have mistakes; those that run stay',
}

function contentOf({ type, schema }: Body, id: string, part: 'body' | 'answer'): Json {
  const example: Example | undefined = examples.find((one) => one.id === id)
  const value = example?.[part]
  return { [type]: { schema, ...(value !== undefined && { example: value }) } }
}
