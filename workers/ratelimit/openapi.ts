/** The OpenAPI 3.1 document of the rate limit service: the decision path, and the operator plane from its table. */

import { decisionSchemas } from '#proto-json/index.ts'
import answerSchemas from '#ratelimit/contract/schemas.json' with { type: 'json' }
import { type Answer, type DescribedRoute, type Parameter, schemaRef, writeOpenApi } from '../edge/openapi.ts'
import { counterQuery } from './counters.ts'
import { reasonHeader } from './json-answer.ts'
import { decisionRoutes } from './openapi/decision-routes.ts'
import { withExample } from './openapi/examples.ts'
import { json, type Operation, text } from './operation.ts'
import { operatorPrefix } from './path.ts'
import { problemStatus } from './problems.ts'
import { usageQuery } from './usage.ts'

/** The document of these operations. */
export function describeApi(operations: readonly Operation[]): object {
  return writeOpenApi(
    {
      info: { title: 'Rate limit decisions', version: '1', description: about },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          operator: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN' },
          caller: { type: 'http', scheme: 'bearer', description: 'A token of CALLER_TOKENS, where that is set.' },
        },
        schemas: { ...decisionSchemas((name) => `#/components/schemas/${name}`), ...answerSchemas },
        headers: {
          Reason: {
            description: `Why the answer is as it is, percent-encoded (${reasonHeader}).`,
            schema: { type: 'string' },
          },
        },
      },
    },
    [...decisionRoutes, ...operations.map(describe)],
  )
}

const about =
  'Envoy-compatible rate limit decisions as JSON, and the operator plane. On a separate port (--debug-port) the operator plane has the same paths without "/ratelimit". Requests are proto3 JSON: names in snake_case, null, numbers as text and enums by number are read as well.'

function describe(operation: Operation): DescribedRoute {
  const { method, path, id, summary, rest = '', isOpen = false, names, takes } = operation
  return {
    method,
    id,
    summary,
    path: operatorPrefix + path.replace(/:(\w+)/g, '{$1}').replace('*', `{${rest}}`),
    security: isOpen ? [] : [{ operator: [] }],
    ...(names !== undefined && { names }),
    parameters: [...listQuery(operation), ...(operation.headers ?? [])],
    ...(takes !== undefined && { body: { ...withExample(takes, id, 'body'), isRequired: true } }),
    answers: { ...listAnswers(operation), ...(isOpen ? {} : refusals(operation)) },
  }
}

function listQuery({ query = [], requiredQuery = [] }: Operation): readonly Parameter[] {
  return query.map((name) => ({
    name,
    in: 'query',
    schema: parameterSchemas[name],
    ...(requiredQuery.includes(name) && { required: true }),
  }))
}

// A domain means the same in both.
const parameterSchemas = { ...usageQuery, ...counterQuery }

function listAnswers(operation: Operation) {
  const { id, summary, takesAnyQuery, status = 200, answers, hosted, errors = [] } = operation
  const statuses = new Set<number>(errors.map((code) => statusOf[code].http))
  if (takesAnyQuery !== true) statuses.add(problemStatus.malformed_request.http)
  return {
    [status]: { description: summary, media: [withExample(answers, id, 'answer')] },
    ...(hosted !== undefined && { 200: { description: `${summary}: npm start`, media: [hosted] } }),
    ...Object.fromEntries(
      [...statuses].map((one) => [one, { description: descriptions[one] ?? 'An error', media: [failure] }]),
    ),
  }
}

const statusOf = { ...problemStatus, not_empty: { http: 412 } }
const failure = json(schemaRef('Error'))

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  404: 'There is nothing of that name',
  409: 'No rules are loaded',
  412: 'There is a configuration already, and If-None-Match was *',
  413: 'The body is too long',
  422: 'The rules have mistakes; those that run stay',
}

/** The answers to those who may not ask, and of a deployment that cannot answer. */
function refusals({ errors = [] }: Operation): Readonly<Record<number, Answer>> {
  return {
    401: { description: "The operator's token is missing or wrong", media: [text] },
    503: {
      description: 'The deployment has no ADMIN_TOKEN, or a counter store does not answer',
      media: errors.some((code) => statusOf[code].http === 503) ? [text, failure] : [text],
    },
  }
}
