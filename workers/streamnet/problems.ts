/** Error codes of the stream gateway on the wire: HTTP status and the body of a problem (RFC 9457). */

import type { GatewayErrorCode } from '#gateway/errors.ts'
import type { Problem, ProblemCode } from '#gateway/outcome.ts'
import type { StreamNetErrorCode } from '#streamnet/errors.ts'

/** Statuses of what the gateway itself refuses. */
const gatewayStatus = {
  malformed_json: 400,
  unsupported_media_type: 415,
  body_too_large: 413,
  invalid_params: 400,
  unknown_operation: 404,
  method_not_allowed: 405,
  unauthorized: 401,
  forbidden: 403,
  idempotency_conflict: 422,
  job_not_found: 404,
  job_ended: 409,
  too_many: 429,
  key_missing: 503,
  unavailable: 503,
  invalid_settings: 500,
} as const satisfies Record<GatewayErrorCode, number>

/**
 * Statuses of what the network or the way to it refuses. 4xx is for what the caller can put right; 502 for an answer of
 * the node that cannot be used, 503 for a node that cannot take the call now, 504 for one that did not answer in time.
 */
const networkStatus = {
  invalid_argument: 400,
  malformed_bytes: 400,
  malformed_response: 502,
  rpc_error: 502,
  action_failed: 422,
  permission_denied: 403,
  // The gateway's own key is refused, not the caller's token.
  unauthenticated: 502,
  not_found: 404,
  transaction_not_found: 404,
  transaction_failed: 422,
  broadcast_refused: 422,
  invalid_nonce: 503,
  insufficient_balance: 422,
  wrong_chain: 502,
  mempool_full: 503,
  node_catching_up: 503,
  no_backend: 503,
  connection_refused: 502,
  connection_lost: 502,
  aborted: 502,
  rate_limited: 503,
  timeout: 504,
  bulk_insert_failed: 502,
} as const satisfies Record<StreamNetErrorCode, number>

const status: Readonly<Record<ProblemCode, number>> = { ...gatewayStatus, ...networkStatus, internal: 500 }

/** Codes of a node's engine that refuses before an action runs: its name, namespace, arguments. The caller named them. */
const engineCodes: ReadonlySet<unknown> = new Set([-300, -301])

/** A problem as a response; 503 and 429 ask to come back. */
export function streamnetProblem(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  const { code, message, ...rest } = problem
  const isEngine = code === 'rpc_error' && engineCodes.has(problem.data?.rpc_code)
  const answered = isEngine ? 422 : status[code]
  const body = { title: code.replaceAll('_', ' '), status: answered, detail: message, code, ...rest }
  return new Response(`${JSON.stringify(body)}\n`, {
    status: answered,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(answered === 503 && { 'retry-after': '2' }),
      ...(answered === 429 && { 'retry-after': '30' }),
      ...(code === 'unauthorized' && { 'www-authenticate': 'Bearer realm="stream gateway"' }),
      ...headers,
    },
  })
}
