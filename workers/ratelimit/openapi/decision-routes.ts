/** The decision path in the OpenAPI document: `/json`, the limiter and `/healthcheck`. */

import type { Schema } from '#base/json.ts'
import { type Answer, type DescribedRoute, schemaRef } from '../../edge/openapi.ts'
import { reasonHeader } from '../json-answer.ts'
import { json, text } from '../operation.ts'
import { withExample } from './examples.ts'

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

/** The routes of decisions. */
export const decisionRoutes: readonly DescribedRoute[] = [
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
