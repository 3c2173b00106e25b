/** Error codes of the grid domain on the wire: HTTP status and the body of the contract. */

import type { GridErrorCode } from '#grid/errors.ts'
import { corsHeaders } from '../edge/cors.ts'

/** HTTP status of every code. */
export const gridStatus = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  invalid_request: 400,
  // The contract answers 500 to a limit that is not an integer.
  invalid_limit: 500,
  request_too_large: 413,
  unsupported_media_type: 415,
  unknown_attack: 400,
  invalid_attack_params: 400,
  invalid_configuration: 400,
  invalid_case: 400,
  not_solvable: 500,
  not_observable: 500,
  malformed_frame: 400,
  malformed_capture: 400,
  capture_unavailable: 404,
  out_of_order: 409,
  too_many: 429,
  unavailable: 503,
  invalid_settings: 500,
} as const satisfies Record<GridErrorCode, number>

/** Tests that a text is a code, for errors that crossed from an object as values. */
export function isGridErrorCode(code: string): code is GridErrorCode {
  return Object.hasOwn(gridStatus, code)
}

/** Answers with the contract's body of an error. */
export function problem(
  code: GridErrorCode,
  error: string,
  hint?: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return json({ error, ...(hint === undefined ? {} : { hint }) }, gridStatus[code], headers)
}

/** Answers with JSON as the contract writes it: two spaces, UTF-8, every origin. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonText(JSON.stringify(value, null, 2), status, headers)
}

/** The same for text that is written already, also of another type. */
export function jsonText(
  body: string | ReadableStream<Uint8Array>,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...corsHeaders,
      ...headers,
    },
  })
}
