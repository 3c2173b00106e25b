/** From what a node says went wrong to an error of ours; the node's own texts stay in the messages. */

import { isRecord } from '../../base/json.ts'
import { invalidArgument, StreamNetError } from '../errors.ts'
import type { rpcErrorCodes, txCodes } from './codes.ts'
import type { RpcErrorBody } from './methods.ts'

// Numbers are written out, each checked by the compiler against its table: the tables themselves are for the node's
// side and would be dead weight in a bundle.
type Rpc = typeof rpcErrorCodes
type Tx = typeof txCodes
const rpcBroadcast: Rpc['broadcast'] = -201
const rpcTxInternal: Rpc['txInternal'] = -200
const rpcTxNotFound: Rpc['txNotFound'] = -202
const txInvalidNonce: Tx['invalidNonce'] = 4
const txUnknown: Tx['unknown'] = 65535

/** Turns a JSON-RPC error of a method into an error of ours. */
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
  // Of any other number the table has nothing.
  const known = findCodeInText(reason) ?? byNumber[code as Rpc[keyof Rpc]]
  if (known === 'no_backend' || known === 'connection_refused' || known === 'rate_limited') {
    return new StreamNetError(known, text, undefined)
  }
  const refusal = message === 'tn_local: unauthenticated' ? 'unauthenticated' : known
  if (refusal !== undefined) return new StreamNetError(refusal, text, { reason })
  return new StreamNetError('rpc_error', text, { rpcCode: code, data })
}

/** Turns the error text of a view call, which travels in a successful answer, into an error of ours. */
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
    return new StreamNetError('invalid_nonce', message, { got: toNumber(got), expected: toNumber(expected), hash })
  }
  // As above.
  const known = broadcastCodes[txCode as Tx[keyof Tx]]
  const code = reason.includes('node is catching up') ? 'node_catching_up' : known
  // Every code's data is a part of this.
  return new StreamNetError(code ?? 'broadcast_refused', message, { txCode, hash, reason })
}

type Broadcast = 'unauthenticated' | 'wrong_chain' | 'insufficient_balance' | 'mempool_full'
/** Codes of transactions, in the words of `txCodes`: a signature, chain, balance, fee, sender or pool. */
const broadcastCodes: Readonly<Partial<Record<Tx[keyof Tx], Broadcast>>> = {
  3: 'unauthenticated',
  5: 'wrong_chain',
  6: 'insufficient_balance',
  7: 'insufficient_balance',
  9: 'unauthenticated',
  11: 'mempool_full',
}

type Refusal = 'unauthenticated' | 'permission_denied' | 'not_found' | 'rate_limited'

/** Numbers of `rpcErrorCodes`: of a node, of a gateway from -901 to -906, and of challenges from -1001 to -1006. */
const byNumber: Readonly<Partial<Record<Rpc[keyof Rpc], Refusal>>> = {
  [-204]: 'not_found',
  [-600]: 'unauthenticated',
  [-601]: 'unauthenticated',
  [-901]: 'unauthenticated',
  [-903]: 'permission_denied',
  [-904]: 'not_found',
  [-905]: 'rate_limited',
  [-906]: 'permission_denied',
  [-1001]: 'unauthenticated',
  [-1002]: 'unauthenticated',
  [-1003]: 'unauthenticated',
  [-1004]: 'unauthenticated',
  [-1005]: 'unauthenticated',
  [-1006]: 'rate_limited',
}

/** The texts of gateways that never reached a node, in all their forms. */
export function findCodeInText(text: string): 'no_backend' | 'connection_refused' | undefined {
  if (/no available backend/i.test(text)) return 'no_backend'
  return /connection refused|ECONNREFUSED|no such host|ENOTFOUND/i.test(text) ? 'connection_refused' : undefined
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}
