/** Error codes of the rate limit domain on the wire: HTTP status, and how an operator sees the error. */

import type { RatelimitErrorCode } from '#ratelimit/errors.ts'

/**
 * HTTP status of every code on the operator plane, which names what is wrong.
 *
 * On the decision path the contract has one error for callers and counters: 400 `Bad Request`.
 */
export const operatorStatus = {
  malformed_request: 400,
  unauthenticated: 401,
  not_allowed: 403,
  request_too_large: 413,
  empty_domain: 400,
  no_descriptors: 400,
  invalid_override: 400,
  rules_not_loaded: 409,
  invalid_rules: 422,
  revision_not_found: 404,
  invalid_settings: 500,
  counter_not_found: 404,
  counter_unavailable: 503,
  reservation_not_found: 404,
  reservation_settled: 409,
  reservation_ended: 410,
} as const satisfies Record<RatelimitErrorCode, number>

/**
 * gRPC status of every code. The reference has one, UNKNOWN (2), and crashes on an override without a unit, which is
 * the caller's mistake here: INVALID_ARGUMENT (3). A request beyond the bounds, which the reference has not, is
 * RESOURCE_EXHAUSTED (8), and a deployment whose settings make no sense is INTERNAL (13). A settlement that comes too
 * late or again is FAILED_PRECONDITION (9).
 */
export const grpcStatus = {
  malformed_request: 3,
  unauthenticated: 16,
  not_allowed: 7,
  request_too_large: 8,
  empty_domain: 2,
  no_descriptors: 2,
  invalid_override: 3,
  rules_not_loaded: 2,
  invalid_rules: 2,
  revision_not_found: 5,
  invalid_settings: 13,
  counter_not_found: 5,
  counter_unavailable: 2,
  reservation_not_found: 5,
  reservation_settled: 9,
  reservation_ended: 9,
} as const satisfies Record<RatelimitErrorCode, number>

/** An answer as plain values, without a type of any platform. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer of Go's `http.Error`: one line of text that no browser takes for anything else. */
export function plainAnswer(status: number, line: string): PlainAnswer {
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers, body: `${line}\n` }
}

/** The same answer as a Response. */
export function plainError(status: number, line: string): Response {
  const { headers, body } = plainAnswer(status, line)
  return new Response(body, { status, headers })
}
