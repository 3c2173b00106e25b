/** A rate limit service that answers from its request only, and ways to ask it. */

import { encodeFrame } from '#proto-json/grpc-web/frame.ts'
import type { Methods } from '#proto-json/grpc-web/method.ts'
import { type ServeOptions, serve } from '#proto-json/grpc-web/serve.ts'
import type { Status } from '#proto-json/grpc-web/status.ts'
import { healthMethods, rateLimitMethods, type ServingStatus, shouldRateLimitPath } from '#proto-json/services.ts'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'

/** A failure that a domain would throw. */
export class Refusal extends Error {}

/** Over the limit when the addend is above 5; refuses an empty domain; the domain `slow` takes a second. */
export async function decide({ domain, hitsAddend }: RateLimitRequest): Promise<RateLimitResponse> {
  if (domain === '') throw new Refusal('rate limit domain must not be empty')
  if (domain === 'broken') throw new Error('secret detail')
  if (domain === 'slow') await new Promise((resolve) => setTimeout(resolve, 1000))
  const code = hitsAddend > 5 ? 'OVER_LIMIT' : 'OK'
  return {
    overallCode: code,
    statuses: [
      { code, currentLimit: { requestsPerUnit: 5, unit: 'MINUTE' }, limitRemaining: Math.max(0, 5 - hitsAddend) },
    ],
    responseHeadersToAdd: [],
  }
}

async function* changes(service: string): AsyncGenerator<ServingStatus | null> {
  yield service === 'ratelimit' ? 'NOT_SERVING' : null
  yield 'SERVING'
}

/** Both services. */
export const methods: Methods = new Map([
  ...rateLimitMethods(decide),
  ...healthMethods({
    check: async (service) => (service === '' || service === 'ratelimit' ? 'SERVING' : null),
    watch: changes,
  }),
])

/** UNKNOWN with the text of the refusal, as the reference answers. */
export const statusOf = (error: unknown): Status | null =>
  error instanceof Refusal ? { code: 2, message: error.message } : null

/** Options of a test's request. */
export interface Asking {
  readonly path?: string
  readonly method?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly options?: ServeOptions
}

/** Asks `serve`; the body goes as it is. */
export function ask(body: Uint8Array<ArrayBuffer> | string | null, asking: Asking = {}): Promise<Response> {
  const { path = shouldRateLimitPath, method = 'POST', type = 'application/grpc-web+proto', headers = {} } = asking
  const request = new Request(`http://sluice.test${path}`, {
    method,
    headers: { ...(type === '' ? {} : { 'content-type': type }), ...headers },
    ...(method === 'GET' || method === 'OPTIONS' ? {} : { body }),
  })
  return serve(request, methods, { statusOf, ...asking.options })
}

/** One message in one frame. */
export const framed = (message: Uint8Array) => encodeFrame(0, message)
