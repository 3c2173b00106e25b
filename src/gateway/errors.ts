/** Every way the gateway itself refuses a request; what the network refuses keeps the client's codes. */

import { CodedError, type CodedErrorOptions } from '../base/errors.ts'

/** The closed set of the gateway's codes. */
export type GatewayErrorCode =
  /** The body is not JSON, or not one object. */
  | 'malformed_json'
  /** The body is not sent as JSON. */
  | 'unsupported_media_type'
  /** The body is longer than the gateway reads. */
  | 'body_too_large'
  /** Parameters do not have their shape; every mistake is listed. */
  | 'invalid_params'
  /** No operation, job or page has this name. */
  | 'unknown_operation'
  /** The operation changes something and was asked for with GET. */
  | 'method_not_allowed'
  /** No token, or an unknown one. */
  | 'unauthorized'
  /** The token is good for other things. */
  | 'forbidden'
  /** The idempotency key is malformed, or was used for another request. */
  | 'idempotency_conflict'
  | 'job_not_found'
  /** The job has ended: nothing is left to cancel or to resume. */
  | 'job_ended'
  /** Too much is waiting already: jobs, idempotency keys or listeners. */
  | 'too_many'
  /** The deployment has no signing key, so nothing can be written. */
  | 'key_missing'
  /** An object of the gateway or its storage failed. */
  | 'unavailable'
  /** The deployment's settings make no sense. */
  | 'invalid_settings'

/** One mistake in the parameters. */
export interface Mistake {
  /** The place in the caller's names: `records[3].value`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** The one error of the gateway. */
export class GatewayError extends CodedError<GatewayErrorCode> {
  readonly code: GatewayErrorCode
  /** Filled only for `invalid_params`. */
  readonly mistakes: readonly Mistake[]

  constructor(
    code: GatewayErrorCode,
    message: string,
    { mistakes = [], ...options }: CodedErrorOptions & { readonly mistakes?: readonly Mistake[] } = {},
  ) {
    super(message, options)
    this.code = code
    this.mistakes = mistakes
  }

  // A minifier renames classes; the name people see in a log must not change with the bundler.
  override get name(): string {
    return 'GatewayError'
  }
}

/** Refuses what has mistakes: invalid_params, with the first as its message. */
export function assertNoMistakes(task: string, mistakes: readonly Mistake[]): void {
  const [first] = mistakes
  if (first === undefined) return
  throw new GatewayError('invalid_params', `Cannot ${task}: ${first.path} ${first.message}`, { mistakes })
}
