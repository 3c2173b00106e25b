/** Everything the development node refuses, as codes; `rpc.ts` and `ledger.ts` turn them into the wire's numbers. */

import { CodedError, type CodedErrorOptions } from '../base/errors.ts'

/** The reason of a refusal by the node. */
export type DevnodeErrorCode =
  /** An action said no: `ERROR('text')` of the network's own language. */
  | 'action_failed'
  /** The engine said no before the action ran: unknown action, wrong arguments. */
  | 'engine_failed'
  | 'namespace_missing'
  /** A read took more work than a node allows. */
  | 'read_timeout'
  /** JSON-RPC: the text is not JSON. */
  | 'parse_error'
  /** JSON-RPC: the JSON is not a request. */
  | 'invalid_request'
  /** JSON-RPC: no such method. */
  | 'method_not_found'
  /** JSON-RPC: the parameters do not fit the method. */
  | 'invalid_params'
  /** A transaction was refused before it entered the pool; carries the transaction code. */
  | 'broadcast_refused'
  | 'transaction_not_found'
  | 'block_not_found'
  | 'invalid_payload'
  /** The signer may not run an action as an agent wallet. */
  | 'invalid_sender'
  /** A price was asked for something that has none. */
  | 'price_failed'
  /** A private node wants a challenge. */
  | 'challenge_required'
  /** The challenge was not issued by this node, or has been used. */
  | 'invalid_challenge'
  /** The challenge is not 32 bytes. */
  | 'challenge_length'
  | 'challenge_expired'
  | 'invalid_call_signature'
  | 'too_many_challenges'
  /** A private node answers no ad-hoc query. */
  | 'no_query_in_private_mode'
  /** An account was asked for by a kind of key that does not exist. */
  | 'account_failed'
  /** The sender of a call is not an address. */
  | 'invalid_caller'
  /** Local streams: the parameters are wrong, or the call is not signed by the operator. */
  | 'local_invalid'
  | 'local_failed'

/** An error of the development node. */
export class DevnodeError extends CodedError<DevnodeErrorCode> {
  readonly code: DevnodeErrorCode
  /** The content of the wire's `data` field. */
  readonly data: unknown

  constructor(code: DevnodeErrorCode, message: string, options: CodedErrorOptions & { data?: unknown } = {}) {
    super(message, options)
    this.code = code
    this.data = options.data
  }
}

/** The error of `ERROR('text')` inside an action; the text is the network's own. */
export function actionError(text: string): DevnodeError {
  return new DevnodeError('action_failed', text)
}

/** An error that the network's database raises inside an action; its text ends in its SQLSTATE. */
export function sqlError(text: string, state: string): DevnodeError {
  return new DevnodeError('action_failed', `ERROR: ${text} (SQLSTATE ${state})`)
}

/** The error of the network's database for a null in a column that takes none. */
export function nullColumnError(column: string, relation: string): DevnodeError {
  return sqlError(`null value in column "${column}" of relation "${relation}" violates not-null constraint`, '23502')
}

/** A value for a column without null, else action_failed: the network's own checks let null pass to its table. */
export function requireColumn<T>(value: T | null, column: string, relation: string): T {
  if (value !== null) return value
  throw nullColumnError(column, relation)
}

/** The error of the network's database for a second row where a constraint allows one. */
export function duplicateError(constraint: string): DevnodeError {
  return sqlError(`duplicate key value violates unique constraint "${constraint}"`, '23505')
}

/** An error of the network's engine or its extensions, which is none of an action's own: a view call fails by it. */
export function engineError(text: string): DevnodeError {
  return new DevnodeError('engine_failed', text)
}

/** The error of the network's engine for an action that writes, in a view call. */
export function writerError(action: string): DevnodeError {
  return engineError(`connection is read-only and cannot mutate state: action "${action}" requires a writer connection`)
}

/** The error of a method of the network's extensions that was given null; positions count from 1. */
export function argumentError(method: string, position: number): DevnodeError {
  return engineError(describeNullArgument(method, position))
}

/** The network's text for an argument of a method of its extensions that is null. */
export function describeNullArgument(method: string, position: number): string {
  return `extension implementation error: extension method "${method}" expected argument ${position} to be non-null, but got null`
}

/** An argument, by its position from 1, that a method of the network's extensions must have; else engine_failed. */
export function requireArgument<T>(method: string, position: number, value: T | null): T {
  if (value !== null) return value
  throw argumentError(method, position)
}
