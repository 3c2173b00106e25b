/** The decision path in the OpenAPI document: `/json` and `/healthcheck`. */

import type { Json } from '#base/json.ts'
import { examples } from './examples.ts'
import { refer } from './schemas.ts'

const reasonHeaders = { 'x-ratelimit-reason': { $ref: '#/components/headers/Reason' } }

const request: Json = {
  required: true,
  content: {
    'application/json': {
      schema: { $ref: refer('RateLimitRequest') },
      example: examples.find(({ id }) => id === 'decide')?.body ?? null,
    },
  },
}

function decision(status: number, description: string): Json {
  const example = examples.find((one) => one.id === 'decide' && one.status === status)?.answer ?? null
  return {
    description,
    headers: reasonHeaders,
    content: { 'application/json': { schema: { $ref: refer('RateLimitResponse') }, example } },
  }
}

function plain(description: string, line: string): Json {
  return { description, headers: reasonHeaders, content: { 'text/plain': { schema: { const: line } } } }
}

/** Their entries in `paths`. */
export const decisionPaths: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  '/json': {
    post: {
      operationId: 'decide',
      summary: 'Counts the hits of every descriptor and answers whether any is over its limit',
      security: [{}, { caller: [] }],
      requestBody: request,
      responses: {
        200: decision(200, 'Every descriptor is within its limit'),
        429: decision(429, 'A descriptor is over its limit'),
        400: plain('The request cannot be decided; the header says why', 'Bad Request\n'),
        401: {
          description: 'CALLER_TOKENS asks for a token, which is missing or wrong',
          headers: reasonHeaders,
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        403: plain('CALLER_OVERRIDES or CALLER_REFUNDS refuses what the request asks for', 'Forbidden\n'),
      },
    },
  },
  '/healthcheck': {
    get: {
      operationId: 'checkHealth',
      summary: 'Tells whether the service can decide',
      security: [],
      responses: {
        200: plain('It can, or waits for its first rules, which the header says', 'OK'),
        500: { description: 'It cannot', headers: reasonHeaders },
      },
    },
  },
}
