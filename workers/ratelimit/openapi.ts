/** The OpenAPI 3.1 document of the rate limit service: the decision path, and the operator plane from its table. */

import type { Json, Schema } from '#base/json.ts'
import { decisionSchemas } from '#proto-json/index.ts'
import answerSchemas from '#ratelimit/contract/schemas.json'
import {
  type Answer,
  type DescribedRoute,
  type Media,
  type Parameter,
  schemaRef,
  writeOpenApi,
} from '../edge/openapi.ts'
import { counterQuery } from './counters.ts'
import recorded from './examples.json'
import { reasonHeader } from './json-answer.ts'
import { json, type Operation, text } from './operation.ts'
import { operatorStatus } from './problems.ts'
import { usageQuery } from './usage.ts'

/** One request with its answer. */
export interface Example {
  /** The operation's. */
  readonly id: string
  readonly method: string
  /** With the query. */
  readonly path: string
  /** A JSON value, or text of another type; absent without a body. */
  readonly body?: Json
  readonly status: number
  /** The same. */
  readonly answer: Json
}

/** Requests and answers as recorded one after another; the document shows the first of an operation. */
export const examples: readonly Example[] = recorded

/** Prefix of the operator plane on the port of all surfaces. */
export const operatorPrefix = '/ratelimit'

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

function listAnswers({ id, summary, query, status = 200, answers, hosted, errors = [] }: Operation) {
  const statuses = new Set(errors.map((code) => statusOf[code]))
  if (query !== undefined) statuses.add(operatorStatus.malformed_request)
  return {
    [status]: { description: summary, media: [withExample(answers, id, 'answer')] },
    ...(hosted !== undefined && { 200: { description: `${summary}: npm start`, media: [hosted] } }),
    ...Object.fromEntries(
      [...statuses].map((one) => [one, { description: descriptions[one] ?? 'An error', media: [failure] }]),
    ),
  }
}

const statusOf = { ...operatorStatus, not_empty: 412 }
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
      media: errors.some((code) => statusOf[code] === 503) ? [text, failure] : [text],
    },
  }
}

/** The first example of an operation. */
function withExample(media: Media, id: string, part: 'body' | 'answer', status?: number): Media {
  const example = examples.find((one) => one.id === id && one.status === (status ?? one.status))?.[part]
  return { ...media, ...(example !== undefined && { example }) }
}

const reasonHeaders = { [reasonHeader]: { $ref: '#/components/headers/Reason' } }

function decision(status: number, description: string): Answer {
  const media = withExample(json(schemaRef('RateLimitResponse')), 'decide', 'answer', status)
  return { description, headers: reasonHeaders, media: [media] }
}

function plain(description: string, line?: string): Answer {
  const media = line === undefined ? text : { ...text, schema: { const: line } }
  return { description, headers: reasonHeaders, media: [media] }
}

const numberOrNull = { type: ['number', 'null'] } as const

/** The result of a method of the limiter; `decide` answers as `/json`, or with an error. */
const limitResultSchema: Schema = {
  type: 'object',
  required: ['success', 'limit', 'remaining', 'period', 'reset', 'retryAfter', 'reason'],
  properties: {
    ...{ success: { type: 'boolean' }, limit: numberOrNull, remaining: numberOrNull },
    period: { ...numberOrNull, description: 'Seconds.' },
    reset: { ...numberOrNull, description: 'Unix time in milliseconds.' },
    retryAfter: { ...numberOrNull, description: 'Seconds.' },
    reason: { type: ['string', 'null'] },
    message: { type: 'string', maxLength: 500 },
  },
}

function limitAnswer(description: string): Answer {
  const failure: Schema = { type: 'object', required: ['error'] }
  return { description, media: [json({ anyOf: [limitResultSchema, schemaRef('RateLimitResponse'), failure] })] }
}

/** The decision path: `/json`, the limiter and `/healthcheck`. */
const decisionRoutes: readonly DescribedRoute[] = [
  {
    method: 'post',
    path: '/json',
    id: 'decide',
    summary: 'Counts the hits of every descriptor and answers whether any is over its limit',
    security: [{}, { caller: [] }],
    body: { ...withExample(json(schemaRef('RateLimitRequest')), 'decide', 'body'), isRequired: true },
    answers: {
      200: decision(200, 'Every descriptor is within its limit'),
      429: decision(429, 'A descriptor is over its limit'),
      400: plain('The request cannot be decided; the header says why', 'Bad Request\n'),
      401: plain('CALLER_TOKENS asks for a token, which is missing or wrong'),
      403: plain('CALLER_OVERRIDES or CALLER_REFUNDS refuses what the request asks for', 'Forbidden\n'),
    },
  },
  {
    method: 'post',
    path: '/limiter/{method}',
    id: 'callLimiter',
    summary: 'Calls a method of the limiter, as other Workers do over a binding',
    security: [{}, { caller: [] }],
    names: { enum: ['limit', 'peek', 'refund', 'settle', 'decide'] },
    body: {
      ...json({ type: 'object', description: 'The argument; of "decide" a RateLimitRequest.' }),
      isRequired: true,
    },
    answers: {
      200: limitAnswer('The request passes'),
      429: limitAnswer('A limit refuses the request'),
      default: limitAnswer('A failure, with the status of its code'),
    },
  },
  {
    method: 'post',
    path: '/ratelimit/v1/reservations/{id}',
    id: 'settleReservation',
    summary: 'Counts the true cost of a reservation in place of its estimate',
    security: [{}, { caller: [] }],
    names: { type: 'string', minLength: 1, maxLength: 128 },
    body: {
      ...json({ type: 'object', description: 'domain, key or entries as they were reserved, and the cost as hits.' }),
      isRequired: true,
    },
    answers: {
      200: limitAnswer('It is settled'),
      404: limitAnswer('No such reservation: never made, of another domain or other entries, or forgotten'),
      409: limitAnswer('It was settled before'),
      410: limitAnswer('It has ended unsettled'),
      default: limitAnswer('Another failure, with the status of its code'),
    },
  },
  {
    method: 'get',
    path: '/healthcheck',
    id: 'checkHealth',
    summary: 'Tells whether the service can decide',
    security: [],
    answers: {
      200: plain('It can, or waits for its first rules, which the header says', 'OK'),
      500: { description: 'It cannot', headers: reasonHeaders },
    },
  },
]
