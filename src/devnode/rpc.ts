/** The node's JSON-RPC: a request goes in, an answer comes out, and the ledger has changed in between. */

import { isRecord } from '../base/json.ts'
import { findJsonExcess } from '../base/json-depth.ts'
import { nearest } from '../base/nearest.ts'
import { txCodes } from '../streamnet/rpc/codes.ts'
import { refusal } from './admission.ts'
import { DevnodeError } from './errors.ts'
import type { ReadonlyNode } from './node.ts'
import { chainMethods } from './rpc/chain.ts'
import { devMethods } from './rpc/dev.ts'
import { answerFault, type RpcAnswer, toErrorAnswer, type WaitAnswer } from './rpc/errors.ts'
import { localMethods } from './rpc/local.ts'
import type { Method, RpcHost } from './rpc/method.ts'
import { broadcast, commitResult } from './rpc/transactions.ts'
import { userMethods } from './rpc/user.ts'
import type { Caller } from './rpc/visitors.ts'
import type { NodeSettings } from './settings.ts'
import { takeFault } from './state/control.ts'

/** The methods of one port. */
export type MethodTable = ReadonlyMap<string, Method>

/** Methods of the public port: transactions and reads. */
export const publicMethods: MethodTable = new Map([...Object.entries(userMethods), ...Object.entries(chainMethods)])

/** Methods of the operator's port: its own streams, and development methods, which only a development node answers. */
export const adminMethods: MethodTable = new Map([...Object.entries(localMethods), ...Object.entries(devMethods)])

/** Methods of the public port for a caller: where the node is open to read, only the gateway sends transactions. */
export function publicMethodsFor(caller: Caller, { access }: Pick<NodeSettings, 'access'>): MethodTable {
  if (caller === 'gateway') return publicMethods
  return access === 'open' ? visitorMethods : readingMethods
}

const visitorMethods = withBroadcast((host, params) => broadcast(host, params, 'visitor'))

const readingMethods = withBroadcast(() => {
  throw new DevnodeError(
    'method_not_found',
    'user.broadcast is refused: this node is open to read (STREAMNET_NODE=read)',
  )
})

function withBroadcast(method: Method): MethodTable {
  return new Map([...publicMethods, ['user.broadcast', method]])
}

/**
 * Answers the text of one JSON-RPC request. Everything it changes it changes at once: nothing is awaited, so a host
 * that commits what was written before it sends the answer loses nothing that it has acknowledged. A request that is
 * refused changes nothing.
 */
export function handleRpc(host: RpcHost, methods: MethodTable, text: string): RpcAnswer {
  let id: number | string | null = null
  try {
    const request = parseRequest(text)
    id = request.id
    return host.node.store.attempt(() => answerRequest(host, methods, request, text))
  } catch (error) {
    return toErrorAnswer(error, id)
  }
}

function answerRequest(host: RpcHost, methods: MethodTable, request: ParsedRequest, text: string): RpcAnswer {
  const { id, params } = request
  if (!isRecord(params)) {
    throw new DevnodeError('invalid_params', 'params must be an object, expected parameters by name')
  }
  const method = methods.get(request.method)
  if (method === undefined) {
    const near = nearest(request.method, methods.keys())
    const isOperators = methods !== adminMethods && adminMethods.has(request.method)
    const hint = isOperators ? ", expected at the operator's port" : near && `, perhaps ${near}`
    throw new DevnodeError('method_not_found', `unknown method: ${request.method.slice(0, 128)}${hint ?? ''}`)
  }
  const fault = takeFault(host.node.store.lasting, request.method)
  if (fault !== undefined) return answerFault(fault, id, () => method(host, params, request.method, text))
  const outcome = method(host, params, request.method, text)
  return 'waitFor' in outcome ? { kind: 'wait', id, hash: outcome.waitFor } : toAnswer(id, outcome.result)
}

/** Answers a broadcast that waits; undefined until its transaction is in a block. */
export function answerCommit(node: ReadonlyNode, { id, hash }: WaitAnswer): RpcAnswer | undefined {
  const result = commitResult(node, hash)
  return result && toAnswer(id, result)
}

/** The answer to a broadcast that has waited for `commitTimeoutMs`. */
export function timeoutAnswer({ id, hash }: WaitAnswer): RpcAnswer {
  return toErrorAnswer(refusal(txCodes.commitTimeout, hash, 'timed out waiting for tx to be included in a block'), id)
}

function toAnswer(id: number | string, result: unknown): RpcAnswer {
  return { kind: 'answer', status: 200, body: { jsonrpc: '2.0', id, result } }
}

interface ParsedRequest {
  readonly id: number | string
  readonly method: string
  readonly params: unknown
}

/** The deepest nesting of a request; a transaction nests five deep. */
const maxLevels = 100

function parseRequest(text: string): ParsedRequest {
  const excess = findJsonExcess(text, maxLevels)
  if (excess !== undefined) throw invalidRequest(`the body ${excess}`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new DevnodeError('parse_error', 'failed to parse request: the body is not JSON', { cause })
  }
  if (!isRecord(json)) throw invalidRequest('expected one object, batches are not supported')
  const { jsonrpc, id, method, params = {} } = json
  if (jsonrpc !== '2.0') throw invalidRequest('jsonrpc is not "2.0"')
  if ((typeof id !== 'number' && typeof id !== 'string') || id === 0) {
    throw invalidRequest('id is missing, expected a number other than 0 or text')
  }
  if (typeof method !== 'string') throw invalidRequest('method is missing')
  return { id, method, params: params ?? {} }
}

function invalidRequest(state: string): DevnodeError {
  return new DevnodeError('invalid_request', `invalid request: ${state}`)
}
