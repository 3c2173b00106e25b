/** Everything that can go wrong in the rate limit domain, each with its code. */

import { CodedError, type CodedErrorOptions, messageOf } from '../base/errors.ts'

/** The closed set of codes; every table from code to wire status covers it. */
export const errorCodes = [
  'malformed_request',
  'unauthenticated',
  'not_allowed',
  'request_too_large',
  'empty_domain',
  'no_descriptors',
  'invalid_override',
  'rules_not_loaded',
  'invalid_rules',
  'revision_not_found',
  'invalid_settings',
  'counter_not_found',
  'counter_unavailable',
  'reservation_not_found',
  'reservation_settled',
  'reservation_ended',
] as const

/** A code of that set. */
export type RatelimitErrorCode = (typeof errorCodes)[number]

/** An error of the rate limit domain; switch on `code`. */
export class RatelimitError extends CodedError<RatelimitErrorCode> {
  readonly code: RatelimitErrorCode

  constructor(code: RatelimitErrorCode, message: string, options: CodedErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}

/** Makes the error of settings that cannot be read: what is wrong, and what was expected. */
export function invalidSettings(state: string): RatelimitError {
  return new RatelimitError('invalid_settings', `Cannot read settings: ${state}`)
}

/** Says in the words of this domain that a counter cannot be asked. */
export function unavailable(cause: unknown): RatelimitError {
  if (cause instanceof RatelimitError) return cause
  const state = messageOf(cause)
  return new RatelimitError('counter_unavailable', `Cannot count: ${state}`, { cause })
}
