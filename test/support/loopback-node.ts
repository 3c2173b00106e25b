/**
 * A node for the client's tests: checks every request as strictly as a real one, answers views from tables it is
 * given, and fails in the ways that a test chooses. It keeps no streams; what actions do is the development node's.
 */

import { decodeBase64 } from '#base/base64.ts'
import { decodeHex } from '#base/hex.ts'
import { agentPayloadType, decodeAgentExecution } from '#streamnet/codec/agent-payload.ts'
import { decodeActionCall, decodeActionExecution } from '#streamnet/codec/payload.ts'
import type { Platform } from '#streamnet/platform.ts'
import { encodeCell } from '#streamnet/rpc/cell.ts'
import { rpcErrorCodes, txCodes } from '#streamnet/rpc/codes.ts'
import type { CallJson, QueryResultJson } from '#streamnet/rpc/methods.ts'
import { transactionFromJson, transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { recoverPersonalMessage } from '#streamnet/signing/digest.ts'
import { type SignInRequest, signInMessage } from '#streamnet/signing/message.ts'
import { callMessageSync, hashTransactionSync, transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import type { DataType, Scalar, SignedTransaction, TypedValue } from '#streamnet/types.ts'
import actionsDocument from '../vectors/streams-actions.json' with { type: 'json' }

/** A request as it is posted. Parameters are always an object. */
export interface RpcRequest {
  readonly jsonrpc: '2.0'
  /** Number or text, never 0 or null. */
  readonly id: number | string
  readonly method: string
  readonly params: object
}

/** Every way it can be told to fail, once per entry. */
export type Failure =
  | 'mempool_full'
  | 'catching_up'
  | 'invalid_nonce'
  | 'wrong_chain'
  | 'insufficient_balance'
  | 'broadcast_refused'
  | 'chain_error'
  | 'estimate_failed'
  | 'refused'
  | 'lost_before'
  | 'lost_after'
  | 'timeout'
  | 'no_backend'
  | 'html'
  | 'other_id'
  | 'half'
  | 'nothing'
  | 'not_json'
  | 'neither'
  | 'rate_limited'
  | 'rpc_error'
  | 'node_internal'

/** A result table: column name and wire type, by default as the network's action has them; then rows of values. */
export interface AnswerTable {
  readonly columns?: Readonly<Record<string, string>>
  readonly rows: readonly (readonly (Scalar | readonly Scalar[])[])[]
  readonly logs?: string
}

interface Included {
  readonly transaction: SignedTransaction
  readonly height: number
  readonly code: number
  readonly log: string
}

interface ActionParameter {
  readonly name: string
  readonly type: string
  readonly default?: unknown
}

interface Action {
  readonly parameters: readonly ActionParameter[]
  readonly isView: boolean
  readonly columns: Readonly<Record<string, string>>
}

const actions = new Map<string, Action>(
  actionsDocument.actions.map(({ name, parameters, modifiers, returns }) => {
    const columns = Object.fromEntries((returns?.columns ?? []).map(({ name, type }) => [name, wireType(type)]))
    // The file's parameters are objects of text.
    return [name, { parameters: parameters as readonly ActionParameter[], isView: modifiers.includes('VIEW'), columns }]
  }),
)

class Refusal extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The chain every test signs for. */
export const chainId = 'loopback-1'

/** Makes a node. */
export function createLoopbackNode(options: { gas?: boolean; isPrivate?: boolean; isGateway?: boolean } = {}) {
  const failures: { readonly method: string; readonly kind: Failure }[] = []
  const answers = new Map<string, AnswerTable | { readonly error: string }>()
  const nonces = new Map<string, number>()
  const included = new Map<string, Included>()
  const requests: (RpcRequest & { readonly headers: Headers })[] = []
  const executed: { readonly action: string; readonly calls: readonly (readonly TypedValue[])[] }[] = []
  const called: { readonly action: string; readonly args: readonly TypedValue[]; readonly sender: string }[] = []
  const challenges = new Set<string>()
  let session: string | undefined
  let height = 100

  const takeFailure = (method: string, ...kinds: readonly Failure[]): Failure | undefined => {
    const at = failures.findIndex((one) => one.method === method && kinds.includes(one.kind))
    return at < 0 ? undefined : failures.splice(at, 1)[0]?.kind
  }

  const methods: Readonly<Record<string, (params: never, request: RpcRequest, headers: Headers) => unknown>> = {
    'user.chain_info': () => ({
      chain_id: chainId,
      block_height: height,
      block_hash: '00'.repeat(32),
      gas: options.gas === true,
    }),
    'user.account': ({ id, status }: { id: { identifier: string; key_type: string }; status: number }) => {
      if (!/^[0-9a-f]{40}$/.test(id.identifier) || id.key_type !== 'secp256k1' || status !== 1) {
        throw new Refusal(rpcErrorCodes.invalidParams, 'missing account identifier')
      }
      const nonce = nonces.get(`0x${id.identifier}`)
      return nonce === undefined ? { balance: '0', nonce: 0 } : { id, balance: '0', nonce }
    },
    'user.estimate_price': () => {
      if (takeFailure('user.estimate_price', 'estimate_failed')) {
        throw new Refusal(rpcErrorCodes.txInternal, 'failed to estimate price')
      }
      return { price: '2000000000000000' }
    },
    'user.broadcast': ({ tx }: { tx: unknown }) => broadcast(transactionFromJson(tx)),
    'user.tx_query': ({ tx_hash }: { tx_hash: string }) => {
      if (takeFailure('user.tx_query', 'node_internal')) {
        throw new Refusal(rpcErrorCodes.nodeInternal, 'failed to query transaction')
      }
      const found = included.get(tx_hash)
      if (!found) throw new Refusal(rpcErrorCodes.txNotFound, 'transaction not found')
      return {
        tx_hash,
        height: found.height,
        tx: transactionToJson(found.transaction),
        tx_result: { code: found.code, gas: 0, log: found.log, events: null },
      }
    },
    'user.challenge': () => {
      const challenge = (challenges.size + 1).toString(16).padStart(64, '0')
      challenges.add(challenge)
      return { challenge }
    },
    'user.call': (params: CallJson, _, headers) => call(params, headers),
    'kgw.authn_param': () => signInRequest,
    'kgw.authn': ({ nonce, sender, signature }: { nonce: string; sender: string; signature: { sig: string } }) => {
      const signer = recoverPersonalMessage(signInMessage(signInRequest), decodeBase64(signature.sig))
      if (nonce !== signInRequest.nonce || signer !== `0x${sender}`) throw new Refusal(-902, 'invalid payload')
      session = `kgw_session=${sender}`
      return {}
    },
  }

  const signInRequest: SignInRequest = {
    nonce: 'nonce123',
    statement: 'Sign in please',
    issue_at: '2026-01-01T00:00:00Z',
    expiration_time: '2026-01-01T00:05:00Z',
    chain_id: chainId,
    domain: 'http://node.test',
    version: '1',
    uri: 'http://node.test/rpc/v1',
  }

  function broadcast(transaction: SignedTransaction) {
    const hash = hashTransactionSync(transaction)
    const refuse = (code: number, message: string): never => {
      throw new Refusal(rpcErrorCodes.broadcast, 'broadcast error', { code, hash, message })
    }
    if (takeFailure('user.broadcast', 'mempool_full')) refuse(txCodes.mempoolFull, 'mempool is full')
    if (takeFailure('user.broadcast', 'catching_up')) {
      refuse(txCodes.unknown, 'node is catching up, cannot process transactions right now')
    }
    if (takeFailure('user.broadcast', 'wrong_chain')) refuse(txCodes.wrongChain, 'wrong chain ID: other')
    if (takeFailure('user.broadcast', 'insufficient_balance'))
      refuse(txCodes.insufficientBalance, 'insufficient balance')
    if (takeFailure('user.broadcast', 'broadcast_refused')) refuse(txCodes.invalidType, 'invalid transaction type')
    if (transaction.chainId !== chainId) refuse(txCodes.wrongChain, `wrong chain ID: ${transaction.chainId}`)
    const signer = recoverPersonalMessage(transactionMessageSync(transaction), transaction.signature)
    if (signer !== transaction.sender) refuse(txCodes.invalidSignature, 'invalid signature')
    const fee = options.gas ? 2000000000000000n : 0n
    if (transaction.fee !== fee) refuse(txCodes.insufficientFee, `insufficient fee: got ${transaction.fee}`)
    if (included.has(hash)) refuse(txCodes.unknown, 'transaction already exists')
    const last = nonces.get(transaction.sender) ?? 0
    const expected = takeFailure('user.broadcast', 'invalid_nonce') ? last + 5 : last + 1
    // A lost race: another client has used the numbers in between.
    if (expected > last + 1) nonces.set(transaction.sender, expected - 1)
    if (transaction.nonce !== expected) {
      const account = transaction.sender.slice(2)
      refuse(
        txCodes.invalidNonce,
        `invalid nonce for account ${account}: got ${transaction.nonce}, expected ${expected}`,
      )
    }
    const execution = decodeExecution(transaction)
    for (const args of execution.calls) assertArgs(execution.action, args, false)
    const hasFailed = takeFailure('user.broadcast', 'chain_error') !== undefined
    nonces.set(transaction.sender, transaction.nonce)
    included.set(hash, {
      transaction,
      height: ++height,
      code: hasFailed ? txCodes.unknown : txCodes.ok,
      log: hasFailed ? 'a notice\nERROR: Only stream owner can do this' : '',
    })
    executed.push({ action: execution.action, calls: execution.calls })
    return { tx_hash: hash }
  }

  function decodeExecution({ payload, payloadType }: SignedTransaction) {
    if (payloadType !== agentPayloadType) return decodeActionExecution(payload)
    const { action, args } = decodeAgentExecution(payload)
    return { action, calls: [args] }
  }

  function call({ body, sender, signature }: CallJson, headers: Headers) {
    if (options.isGateway && headers.get('cookie') !== session) throw new Refusal(-901, 'not authorized')
    const { namespace, action, args } = decodeActionCall(decodeBase64(body.payload))
    if (sender !== '' && !/^[0-9a-f]{40}$/.test(sender)) throw new Refusal(rpcErrorCodes.identity, 'invalid sender')
    if (options.isPrivate) {
      if (!body.challenge) throw new Refusal(-1001, 'signed call message with challenge required')
      const challenge = [...decodeBase64(body.challenge)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      if (!challenges.delete(challenge)) throw new Refusal(-1001, 'invalid challenge')
      const text = callMessageSync(namespace, action, decodeBase64(body.payload), challenge)
      if (recoverPersonalMessage(text, decodeBase64(signature ?? '')) !== `0x${sender}`) {
        throw new Refusal(-1004, 'invalid signature on call message')
      }
    }
    // Actions of a bridge's own namespace are in no list of the network's.
    if (namespace === '') assertArgs(action, args, true)
    called.push({ action, args, sender })
    const answer = answers.get(action)
    if (answer && 'error' in answer) return { query_result: null, logs: '', error: answer.error }
    return { query_result: toResult(action, answer), logs: answer?.logs ?? '', error: null }
  }

  async function answer(request: RpcRequest, headers: Headers): Promise<Response> {
    const { id, method } = request
    const ours = (body: object) => Response.json({ jsonrpc: '2.0', id, ...body }, { headers: cookieFor(method) })
    if (takeFailure(method, 'rpc_error')) return ours({ error: { code: -300, message: 'unknown action: action "x"' } })
    try {
      const handle = methods[method]
      if (!handle) throw new Refusal(rpcErrorCodes.unknownMethod, 'unknown method')
      // Each method knows the shape of its parameters.
      const result = handle(request.params as never, request, headers)
      if (takeFailure(method, 'lost_after')) throw new TypeError('fetch failed')
      if (takeFailure(method, 'other_id')) return Response.json({ jsonrpc: '2.0', id: 999_999, result })
      if (takeFailure(method, 'half')) return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }).slice(0, 20))
      return ours({ result })
    } catch (error) {
      if (error instanceof Refusal)
        return ours({ error: { code: error.code, message: error.message, data: error.data } })
      throw error
    }
  }

  const cookieFor = (method: string): Record<string, string> =>
    method === 'kgw.authn' && session ? { 'set-cookie': `${session}; Path=/; HttpOnly` } : {}

  async function fetch(url: string, init: RequestInit): Promise<Response> {
    const request = JSON.parse(String(init.body)) as RpcRequest
    const headers = new Headers(init.headers)
    const { method } = request
    requests.push({ ...request, headers })
    if (takeFailure(method, 'refused')) {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
    }
    if (takeFailure(method, 'lost_before')) throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
    if (takeFailure(method, 'timeout')) throw new DOMException('timed out', 'TimeoutError')
    if (takeFailure(method, 'no_backend')) return new Response('no available backend', { status: 502 })
    if (takeFailure(method, 'html')) return new Response('<!doctype html><h1>Hello</h1>', { status: 200 })
    if (takeFailure(method, 'nothing')) return new Response('')
    if (takeFailure(method, 'not_json')) return new Response('definitely not JSON', { status: 500 })
    if (takeFailure(method, 'neither')) return Response.json({ jsonrpc: '2.0', id: request.id })
    if (takeFailure(method, 'rate_limited')) return new Response('slow down', { status: 429 })
    const isRequest = request.jsonrpc === '2.0' && request.id && typeof request.params === 'object'
    if (!url.endsWith('/rpc/v1') || init.method !== 'POST' || !isRequest) return new Response('', { status: 400 })
    return answer(request, headers)
  }

  // Time passes only by sleeping, so that a schedule can be read off.
  const sleeps: number[] = []
  const lines: string[] = []
  const clock = { ms: 1_700_000_000_000 }
  const platform: Platform = {
    fetch,
    sleep: async (ms) => {
      sleeps.push(ms)
      clock.ms += ms
    },
    now: () => clock.ms,
    deadline: () => new AbortController().signal,
    log: (line) => lines.push(line),
  }

  return {
    endpoint: 'http://node.test',
    platform,
    clock,
    sleeps,
    lines,
    requests,
    executed,
    called,
    included,
    nonces,
    answers,
    signInRequest: signInRequest as { -readonly [K in keyof SignInRequest]: SignInRequest[K] },
    /** Fails the next calls of a method, once per kind, in the order given where kinds meet at one step. */
    fail(method: string, ...kinds: readonly Failure[]) {
      failures.push(...kinds.map((kind) => ({ method, kind })))
    },
    /** The methods requested so far. */
    methodsOf: () => requests.map(({ method }) => method),
    /** The failures that no request has met. */
    pending: () => failures.length,
  }
}

/** A loopback node. */
export type LoopbackNode = ReturnType<typeof createLoopbackNode>

function toResult(action: string, answer: AnswerTable | undefined): QueryResultJson {
  if (!answer) return { column_names: null, column_types: null, values: null }
  const { columns = actions.get(action)?.columns ?? {}, rows } = answer
  return {
    column_names: Object.keys(columns),
    column_types: Object.values(columns).map((type) => ({
      name: type.replace('[]', ''),
      is_array: type.endsWith('[]'),
      metadata: [0, 0],
    })),
    values: rows.map((row) => row.map(encodeCell)),
  }
}

// The engine's own check: the number of arguments, and each one's type with precision and scale.
function assertArgs(action: string, args: readonly TypedValue[], isView: boolean): void {
  const known = actions.get(action)
  if (!known) throw new Refusal(-300, `unknown action: action "${action}" does not exist in namespace "main"`)
  if (known.isView !== isView) throw new Refusal(-300, `action "${action}" is ${known.isView ? '' : 'not '}a view`)
  const { parameters } = known
  if (args.length > parameters.length) {
    throw new Refusal(
      -300,
      `action invocation error: action "${action}" expected at most ${parameters.length} arguments, but got ${args.length}`,
    )
  }
  for (const [index, parameter] of parameters.entries()) {
    const arg = args[index]
    if (arg === undefined && !('default' in parameter)) {
      throw new Refusal(-300, `missing required argument ${index} (${parameter.name})`)
    }
    if (arg && arg.type.name !== 'null' && typeText(arg.type) !== normalType(parameter.type)) {
      throw new Refusal(
        -300,
        `type error: action "${action}" expected argument ${index} to be of type ${parameter.type}, but got ${typeText(arg.type)}`,
      )
    }
  }
}

function typeText({ name, isArray, precision, scale }: DataType): string {
  return `${name === 'numeric' ? `numeric(${precision},${scale})` : name}${isArray ? '[]' : ''}`
}

/** A type of the file without precision and scale, by its name on the wire. */
function wireType(type: string): string {
  return normalType(type.replace(/\(.*?\)/, ''))
}

function normalType(type: string): string {
  return type
    .toLowerCase()
    .replace(/^(int|bigint)(?=\[|$)/, 'int8')
    .replace(/^boolean/, 'bool')
}

/** Bytes of hex, for tables of answers. */
export const bytes = (hex: string): Uint8Array => decodeHex(hex)
