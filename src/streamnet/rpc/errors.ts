/** From what a node says went wrong to an error of ours; the node's own texts stay in the messages. */

import { isRecord } from '../../base/json.ts'
import { invalidArgument, StreamNetError } from '../errors.ts'
import type { rpcErrorCodes, txCodes } from './codes.ts'
import type { RpcErrorBody } from './methods.ts'

// The numbers this file tells apart, each checked against its table by the compiler. The tables themselves are
// for the node's side and would be dead weight in a bundle.
type Rpc = typeof rpcErrorCodes
type Tx = typeof txCodes
const rpcBlockNotFound: Rpc['blockNotFound'] = -204
const rpcBroadcast: Rpc['broadcast'] = -201
const rpcChallengeAuthType: Rpc['challengeAuthType'] = -1005
const rpcChallengeExpired: Rpc['challengeExpired'] = -1003
const rpcChallengeLength: Rpc['challengeLength'] = -1002
const rpcChallengeSignature: Rpc['challengeSignature'] = -1004
const rpcChallengeNeeded: Rpc['challengeNeeded'] = -1001
const rpcGatewayMethodNotAllowed: Rpc['gatewayMethodNotAllowed'] = -906
const rpcGatewayNotAllowed: Rpc['gatewayNotAllowed'] = -903
const rpcGatewayNotAuthorized: Rpc['gatewayNotAuthorized'] = -901
const rpcGatewayNotFound: Rpc['gatewayNotFound'] = -904
const rpcGatewayTooManyRequests: Rpc['gatewayTooManyRequests'] = -905
const rpcIdentity: Rpc['identity'] = -600
const rpcIdentityInvalid: Rpc['identityInvalid'] = -601
const rpcTooManyChallenges: Rpc['tooManyChallenges'] = -1006
const rpcTxInternal: Rpc['txInternal'] = -200
const rpcTxNotFound: Rpc['txNotFound'] = -202
const txInsufficientBalance: Tx['insufficientBalance'] = 6
const txInsufficientFee: Tx['insufficientFee'] = 7
const txInvalidNonce: Tx['invalidNonce'] = 4
const txInvalidSender: Tx['invalidSender'] = 9
const txInvalidSignature: Tx['invalidSignature'] = 3
const txMempoolFull: Tx['mempoolFull'] = 11
const txUnknown: Tx['unknown'] = 65535
const txWrongChain: Tx['wrongChain'] = 5

/**
 * Turns a JSON-RPC error into an error of ours.
 *
 * @param method - what was called, for the message.
 */
export function fromRpcError(method: string, body: RpcErrorBody): StreamNetError {
  const { code, message, data } = body
  const detail = isRecord(data) ? data : {}
  const reason = String(detail.reason ?? detail.message ?? message)
  const text = `Cannot call ${method}: ${message}${reason === message ? '' : `: ${reason}`}`
  if (code === rpcBroadcast) return fromBroadcast(reason, detail)
  if (code === rpcTxNotFound) {
    return new StreamNetError('transaction_not_found', `transaction not found: ${reason}`, undefined)
  }
  if (code === rpcTxInternal && reason.includes('failed to estimate price')) {
    return invalidArgument(`Request too large: The batch size exceeds the maximum allowed size (${reason})`)
  }
  const known = byText(reason) ?? byNumber[code]
  if (known === 'no_backend' || known === 'connection_refused' || known === 'rate_limited') {
    return new StreamNetError(known, text, undefined)
  }
  const refusal = message === 'tn_local: unauthenticated' ? 'unauthenticated' : known
  if (refusal !== undefined) return new StreamNetError(refusal, text, { reason })
  return new StreamNetError('rpc_error', text, { rpcCode: code, data })
}

/**
 * Turns the error text of a view call into an error of ours. Such a text travels in an answer that is
 * otherwise a success.
 */
export function fromActionError(action: string, reason: string): StreamNetError {
  const message = `Cannot call ${action}: ${reason}`
  if (denied.test(reason)) return new StreamNetError('permission_denied', message, { reason })
  if (missing.test(reason)) return new StreamNetError('not_found', message, { reason })
  return new StreamNetError('action_failed', message, { action, reason })
}

// The node's own sentences; section 2 and 3 of the rules in docs/streamnet.md list them.
const denied = /not allowed|only (the )?(stream )?owner|does not have the required|is not the owner|permission/i
const missing = /not found|does not exist|no type found/i

function fromBroadcast(reason: string, detail: Readonly<Record<string, unknown>>): StreamNetError {
  // Older nodes call it tx_code.
  const txCode = Number(detail.code ?? detail.tx_code ?? txUnknown)
  const hash = String(detail.hash ?? '')
  const message = `Cannot broadcast transaction: ${reason}`
  if (txCode === txInvalidNonce) {
    const [, got, expected] = /got (\d+), expected (\d+)/.exec(reason) ?? []
    return new StreamNetError('invalid_nonce', message, {
      got: toNumber(got),
      expected: toNumber(expected),
      hash,
    })
  }
  const code = reason.includes('node is catching up') ? 'node_catching_up' : broadcastCodes[txCode]
  // Every code's data is a part of this.
  return new StreamNetError(code ?? 'broadcast_refused', message, { txCode, hash, reason })
}

const broadcastCodes: Readonly<
  Record<number, 'unauthenticated' | 'wrong_chain' | 'insufficient_balance' | 'mempool_full'>
> = {
  [txInvalidSignature]: 'unauthenticated',
  [txWrongChain]: 'wrong_chain',
  [txInsufficientBalance]: 'insufficient_balance',
  [txInsufficientFee]: 'insufficient_balance',
  [txInvalidSender]: 'unauthenticated',
  [txMempoolFull]: 'mempool_full',
}

type Refusal = 'unauthenticated' | 'permission_denied' | 'not_found' | 'rate_limited'

const byNumber: Readonly<Record<number, Refusal>> = {
  [rpcTooManyChallenges]: 'rate_limited',
  [rpcGatewayTooManyRequests]: 'rate_limited',
  [rpcGatewayNotAllowed]: 'permission_denied',
  [rpcGatewayMethodNotAllowed]: 'permission_denied',
  [rpcGatewayNotFound]: 'not_found',
  [rpcBlockNotFound]: 'not_found',
  [rpcGatewayNotAuthorized]: 'unauthenticated',
  [rpcIdentity]: 'unauthenticated',
  [rpcIdentityInvalid]: 'unauthenticated',
  [rpcChallengeNeeded]: 'unauthenticated',
  [rpcChallengeLength]: 'unauthenticated',
  [rpcChallengeExpired]: 'unauthenticated',
  [rpcChallengeSignature]: 'unauthenticated',
  [rpcChallengeAuthType]: 'unauthenticated',
}

/** The texts of gateways that never reached a node, in all their forms. */
export function byText(text: string): 'no_backend' | 'connection_refused' | undefined {
  if (/no available backend/i.test(text)) return 'no_backend'
  return /connection refused|ECONNREFUSED|no such host|ENOTFOUND/i.test(text) ? 'connection_refused' : undefined
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}
