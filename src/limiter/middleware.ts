/** The part that the middlewares have in common: ask the limiter, and say with which fields a request goes on or ends. */

import { policyItem, quotaItem } from '../ratelimit/answer/ietf-fields.ts'
import { defaultPlatform } from './platform.ts'
import type { Limiter, LimitRequest, LimitResult } from './types.ts'

/** Options of a middleware; `Given` are the arguments that the framework hands to it, without `next`. */
export interface MiddlewareOptions<Given extends readonly unknown[]> {
  /** The limiter, or a function that finds it: a Worker has its bindings only with a request. */
  readonly limiter: Pick<Limiter, 'limit'> | ((...given: Given) => Pick<Limiter, 'limit'>)
  /** The key that is counted, or a request with entries. */
  readonly key: (...given: Given) => string | LimitRequest | Promise<string | LimitRequest>
  /** Hits of a request; 1 when absent. */
  readonly cost?: number | ((...given: Given) => number)
  /** True for a request that is not limited. */
  readonly skip?: (...given: Given) => boolean
  /** Name of the policy in the fields of the response; `default` when absent. */
  readonly name?: string
  /** Takes every result without a decision, for a log. */
  readonly onFailure?: (result: LimitResult) => void
  /** Unix time in milliseconds. */
  readonly now?: () => number
}

/** Decision about one request, in the terms of HTTP. */
export interface Verdict {
  /** Fields of the response: `RateLimit-Policy`, `RateLimit`, `Retry-After`. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Undefined when it passes. */
  readonly refusal?: { readonly status: 400 | 429 | 503; readonly body: string }
}

/** Content type of the body of a refusal (RFC 9457). */
export const refusalType = 'application/problem+json'

const passing: Verdict = { fields: [] }

/**
 * Asks the limiter about one request. A refusal is 429 with a problem of the IETF draft on rate limits; without a
 * decision it is 503, or 400 for a key that is too long.
 */
export async function judge<Given extends readonly unknown[]>(
  options: MiddlewareOptions<Given>,
  ...given: Given
): Promise<Verdict> {
  const { limiter, key, cost, skip, name = 'default', onFailure, now = defaultPlatform.now } = options
  if (skip?.(...given) === true) return passing
  const asked = await key(...given)
  const request: LimitRequest = typeof asked === 'object' && asked !== null ? asked : { key: asked }
  const hits = typeof cost === 'function' ? cost(...given) : cost
  const asking = typeof limiter === 'function' ? limiter(...given) : limiter
  const result = await asking.limit(hits === undefined ? request : { ...request, hits })
  if (result.message !== undefined) onFailure?.(result)
  const fields = writeFields(result, name, now())
  return result.success ? { fields } : { fields, refusal: createRefusal(result, name) }
}

function writeFields({ limit, remaining, period, reset, retryAfter }: LimitResult, name: string, nowMs: number) {
  const fields: [string, string][] = []
  if (limit !== null && remaining !== null && period !== null && reset !== null) {
    const seconds = Math.max(1, Math.ceil((reset - nowMs) / 1000))
    fields.push(
      ['RateLimit-Policy', policyItem(name, limit, period)],
      ['RateLimit', quotaItem(name, remaining, seconds)],
    )
  }
  if (retryAfter !== null) fields.push(['Retry-After', String(retryAfter)])
  return fields
}

const problemTypes = 'https://iana.org/assignments/http-problem-types#'

function createRefusal({ reason, message }: LimitResult, name: string): NonNullable<Verdict['refusal']> {
  if (reason === 'over_limit') {
    const problem = { type: `${problemTypes}quota-exceeded`, title: 'Too Many Requests', status: 429 }
    return { status: 429, body: JSON.stringify({ ...problem, 'violated-policies': [name] }) }
  }
  const isTooLong = reason === 'request_too_large'
  const [status, title] = isTooLong ? ([400, 'Bad Request'] as const) : ([503, 'Service Unavailable'] as const)
  // Other messages can name parts of the deployment.
  return { status, body: JSON.stringify({ title, status, ...(isTooLong && { detail: message }) }) }
}
