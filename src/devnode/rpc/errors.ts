/** Answers of the node's JSON-RPC: their kinds, errors, and the failures that a test asks for. */

import { rpcErrorCodes, txCodes } from '../../streamnet/rpc/codes.ts'
import type { RpcErrorBody, RpcResponse } from '../../streamnet/rpc/methods.ts'
import { refusal } from '../admission.ts'
import { DevnodeError, type DevnodeErrorCode } from '../errors.ts'
import type { FaultKind } from '../state/control.ts'
import type { MethodOutcome } from './method.ts'

/** The host's reaction to a request. */
export type RpcAnswer =
  /** Send this body with this HTTP status. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: RpcResponse }
  | WaitAnswer
  /** Break the connection without an answer. */
  | { readonly kind: 'cut' }

/** Wait until this transaction is in a block, then answer as `answerCommit()` says. */
export interface WaitAnswer {
  readonly kind: 'wait'
  readonly id: number | string
  readonly hash: string
}

/** Number and HTTP status of every code; texts are the error's own. */
const wire: Readonly<Record<DevnodeErrorCode, readonly [code: number, status: number]>> = {
  action_failed: [rpcErrorCodes.engineInternal, 200],
  engine_failed: [rpcErrorCodes.engineInternal, 200],
  namespace_missing: [rpcErrorCodes.namespaceNotFound, 200],
  read_timeout: [rpcErrorCodes.timeout, 200],
  parse_error: [rpcErrorCodes.parse, 400],
  invalid_request: [rpcErrorCodes.invalidRequest, 400],
  method_not_found: [rpcErrorCodes.unknownMethod, 404],
  invalid_params: [rpcErrorCodes.invalidParams, 400],
  broadcast_refused: [rpcErrorCodes.broadcast, 200],
  price_failed: [rpcErrorCodes.txInternal, 200],
  transaction_not_found: [rpcErrorCodes.txNotFound, 200],
  block_not_found: [rpcErrorCodes.blockNotFound, 200],
  invalid_payload: [rpcErrorCodes.invalidParams, 400],
  invalid_sender: [rpcErrorCodes.invalidParams, 400],
  challenge_required: [rpcErrorCodes.challengeNeeded, 200],
  invalid_challenge: [rpcErrorCodes.challengeNeeded, 200],
  challenge_length: [rpcErrorCodes.challengeLength, 200],
  challenge_expired: [rpcErrorCodes.challengeExpired, 200],
  invalid_call_signature: [rpcErrorCodes.challengeSignature, 200],
  too_many_challenges: [rpcErrorCodes.tooManyChallenges, 200],
  no_query_in_private_mode: [rpcErrorCodes.noQueryInPrivateMode, 200],
  account_failed: [rpcErrorCodes.databaseInternal, 200],
  invalid_caller: [rpcErrorCodes.identityInvalid, 200],
  local_invalid: [rpcErrorCodes.invalidParams, 400],
  local_failed: [rpcErrorCodes.internal, 500],
}

/** Turns an error into an answer; one that is not the node's own tells the caller nothing but its number. */
export function toErrorAnswer(error: unknown, id: number | string | null): RpcAnswer {
  if (!(error instanceof DevnodeError)) {
    return answerError(id, { code: rpcErrorCodes.internal, status: 500, message: 'internal server error' })
  }
  const [code, status] = wire[error.code]
  return answerError(id, { code, status, message: error.message, data: error.data })
}

/** Answers an error with its HTTP status; undefined data is not sent. */
function answerError(
  id: number | string | null,
  { code, status, message, data }: RpcErrorBody & { readonly status: number },
): RpcAnswer {
  const error = { code, message, ...(data !== undefined && { data }) }
  return { kind: 'answer', status, body: { jsonrpc: '2.0', id, error } }
}

/** The hash in a made-up refusal: the transaction has not been looked at. */
const noHash = ''

const refusals: Partial<Readonly<Record<FaultKind, () => DevnodeError>>> = {
  invalid_nonce: () => refusal(txCodes.invalidNonce, noHash, 'invalid nonce for account: got 0, expected 1'),
  mempool_full: () => refusal(txCodes.mempoolFull, noHash, 'mempool is full'),
  catching_up: () => refusal(txCodes.unknown, noHash, 'node is catching up, cannot process transactions right now'),
  failed_to_estimate_price: () => new DevnodeError('price_failed', 'failed to estimate price'),
}

/** The answer of a gateway that cannot reach its node, with its HTTP status. */
const gatewayTexts: Partial<Readonly<Record<FaultKind, readonly [message: string, status: number]>>> = {
  no_backend: ['no available backend', 503],
  connection_refused: ['dial tcp 127.0.0.1:8484: connect: connection refused', 502],
  no_such_host: ['dial tcp: lookup node: no such host', 502],
  connection_reset: ['read tcp 127.0.0.1:8484: connection reset by peer', 502],
  unexpected_eof: ['unexpected EOF', 502],
  deadline_exceeded: ['context deadline exceeded', 504],
  internal_error: ['internal server error', 500],
}

/** The answer to a request that shall fail; `apply` does what was asked, for a failure that comes after it. */
export function answerFault(kind: FaultKind, id: number | string, apply: () => MethodOutcome): RpcAnswer {
  if (kind === 'applied_then_lost') {
    apply()
    return { kind: 'cut' }
  }
  const refused = refusals[kind]?.()
  if (refused !== undefined) return toErrorAnswer(refused, id)
  const [message, status] = gatewayTexts[kind] ?? ['internal server error', 500]
  return answerError(id, { code: rpcErrorCodes.internal, status, message })
}
