/** Everything that can go wrong in the grid simulation, each with its code. */

import { CodedError, type CodedErrorOptions } from '../base/errors.ts'

/** The closed set of codes; every table from code to wire status covers it. */
export type GridErrorCode =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'invalid_request'
  | 'invalid_limit'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'unknown_attack'
  | 'invalid_attack_params'
  | 'invalid_configuration'
  | 'invalid_case'
  | 'not_solvable'
  | 'not_observable'
  | 'malformed_frame'
  | 'malformed_capture'
  | 'capture_unavailable'
  | 'out_of_order'
  | 'too_many'
  /** The object of the simulation or its storage failed. */
  | 'unavailable'
  /** The deployment's settings make no sense. */
  | 'invalid_settings'

/** An error of the grid domain; switch on `code`. */
export class GridError extends CodedError<GridErrorCode> {
  readonly code: GridErrorCode

  constructor(code: GridErrorCode, message: string, options: CodedErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}
