/** Error codes of the rate limit domain on the wire: the HTTP status and the gRPC status of each. */

import type { RatelimitErrorCode } from '#ratelimit/errors.ts'

/**
 * Statuses of every code.
 *
 * The HTTP status is that of the operator plane, which names what is wrong. On the decision path the contract has one
 * error for callers and counters: 400 `Bad Request`.
 *
 * The reference answers every error over gRPC with UNKNOWN (2). It crashes on an override without a unit, which gets
 * INVALID_ARGUMENT (3) here. It takes requests of any size: one beyond the bounds gets RESOURCE_EXHAUSTED (8). Settings
 * that make no sense are INTERNAL (13), and a settlement that comes too late or twice is FAILED_PRECONDITION (9).
 */
export const problemStatus = {
  malformed_request: { http: 400, grpc: 3 },
  unauthenticated: { http: 401, grpc: 16 },
  not_allowed: { http: 403, grpc: 7 },
  request_too_large: { http: 413, grpc: 8 },
  empty_domain: { http: 400, grpc: 2 },
  no_descriptors: { http: 400, grpc: 2 },
  invalid_override: { http: 400, grpc: 3 },
  rules_not_loaded: { http: 409, grpc: 2 },
  invalid_rules: { http: 422, grpc: 2 },
  revision_not_found: { http: 404, grpc: 5 },
  invalid_settings: { http: 500, grpc: 13 },
  counter_not_found: { http: 404, grpc: 5 },
  counter_unavailable: { http: 503, grpc: 2 },
  reservation_not_found: { http: 404, grpc: 5 },
  reservation_settled: { http: 409, grpc: 9 },
  reservation_ended: { http: 410, grpc: 9 },
} as const satisfies Record<RatelimitErrorCode, { readonly http: number; readonly grpc: number }>
