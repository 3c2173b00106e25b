/** The `user.*` methods: what every client of the network calls. */

import { decodeBase64 } from '../../base/base64.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { isRecord } from '../../base/json.ts'
import { decodeActionCall } from '../../streamnet/codec/payload.ts'
import { serializationType, signatureType } from '../../streamnet/codec/transaction.ts'
import { addressFromBytes } from '../../streamnet/ids.ts'
import { txCodes } from '../../streamnet/rpc/codes.ts'
import type { TransactionJson } from '../../streamnet/rpc/methods.ts'
import { accountIdToJson, transactionFromJson } from '../../streamnet/rpc/transaction-json.ts'
import { digestPersonalMessage, isCanonicalSignature } from '../../streamnet/signing/digest.ts'
import { callMessageSync } from '../../streamnet/signing/sync-signer.ts'
import type { Address, SignedTransaction } from '../../streamnet/types.ts'
import { findPrice, isImpersonated, unverified } from '../admission.ts'
import { callerText } from '../caller.ts'
import { DevnodeError } from '../errors.ts'
import { answerQuery, type QueryParameters } from '../info.ts'
import { answerCall, decodeCall } from '../ledger.ts'
import { chainTime, type Node, type ReadonlyNode, submit } from '../node.ts'
import { findSigner } from '../recovery.ts'
import { countAccounts, findAccount } from '../state/accounts.ts'
import { countPooled, findOutcome, findTransaction, headBlock, type TxOutcome } from '../state/chain.ts'
import { issueChallenge, takeChallenge } from '../state/challenges.ts'
import {
  currentContext,
  intParam,
  invalidParams,
  isCurrent,
  type Method,
  type MethodOutcome,
  type Params,
  type RpcHost,
  show,
  textParam,
} from './method.ts'
import { assertVisitorRoom, type Caller } from './visitors.ts'

/** The version that `user.version` and `user.health` tell. */
const version = { service: 'user', api_ver: '0.2.0', major: 0, minor: 2, patch: 0 }

/** Methods by their names. */
export const userMethods: Readonly<Record<string, Method>> = {
  'user.version': () => ({ result: { ...version, kwil_ver: 'sluice-devnode' } }),
  'user.ping': () => ({ result: { message: 'pong' } }),
  'user.health': ({ node }) => ({ result: health(node) }),
  'user.chain_info': ({ node }) => {
    const head = headBlock(node.store)
    return {
      result: {
        chain_id: node.settings.chainId,
        block_height: head?.height ?? 0,
        block_hash: head?.hash ?? '',
        gas: node.settings.hasGas,
      },
    }
  },
  'user.account': ({ node }, params) => ({ result: account(node, params) }),
  'user.num_accounts': ({ node }) => ({
    result: { count: countAccounts(node.store), height: headBlock(node.store)?.height ?? 0 },
  }),
  'user.estimate_price': ({ node }, params) => {
    const price = findPrice(node.settings, requirePayloadType(params))
    if (price === undefined) throw new DevnodeError('price_failed', 'failed to estimate price')
    return { result: { price: `${price}` } }
  },
  'user.broadcast': (host, params) => broadcast(host, params, 'gateway'),
  'user.tx_query': ({ node }, params) => ({ result: queryTransaction(node, params) }),
  'user.call': (host, params) => ({ result: call(host, params) }),
  'user.query': ({ node }, params) => {
    if (node.settings.mode === 'private') {
      throw new DevnodeError(
        'no_query_in_private_mode',
        'query is prohibited when authenticated calls are enforced (private mode)',
      )
    }
    return { result: answerQuery(textParam(params, 'query'), queryParameters(params.params)) }
  },
  'user.challenge': (host) => {
    const challenge = issueChallenge(host.node.store, host.randomHex(), host.node.nowMs)
    return { result: { challenge } }
  },
}

/** The health of the node, in milliseconds where it is about time. */
export function health(node: ReadonlyNode): object {
  const head = headBlock(node.store)
  const height = head?.height ?? 0
  return {
    chain_id: node.settings.chainId,
    block_height: height,
    block_hash: head?.hash ?? '',
    gas: node.settings.hasGas,
    healthy: head !== undefined,
    version: version.api_ver,
    block_time: head?.timeMs ?? 0,
    block_age: Math.max(0, chainTime(node) - (head?.timeMs ?? 0)),
    syncing: false,
    height,
    app_hash: head?.appHash ?? '',
    peer_count: 0,
    mode: node.settings.mode,
  }
}

/** A transaction and its result, as `user.tx_query` tells them; height -1 while it waits. */
export function transactionStatus(node: ReadonlyNode, hash: string): object {
  const tx = findTransaction(node.store, hash)
  const outcome = findOutcome(node.store, hash)
  if (tx === undefined && outcome === undefined) {
    throw new DevnodeError('transaction_not_found', 'transaction not found')
  }
  const result = outcome ?? { height: -1, code: 0, gas: 0, log: '' }
  // A body that was pruned is null; who waits for a transaction reads its result.
  return { tx_hash: hash, height: result.height, tx: tx ?? null, tx_result: describeOutcome(node, result) }
}

/** The answer to a broadcast whose transaction is in a block now. */
export function commitResult(node: ReadonlyNode, hash: string): object | undefined {
  const outcome = findOutcome(node.store, hash)
  return outcome === undefined ? undefined : { tx_hash: hash, result: describeOutcome(node, outcome) }
}

/** The result of a transaction in a block: today's network leaves an empty log out. */
export function describeOutcome(node: ReadonlyNode, { code, gas, log }: TxOutcome): object {
  return isCurrent(node) ? { code, gas, ...(log !== '' && { log }) } : { code, gas, log, events: [] }
}

function account(node: Node, params: Params): object {
  const { identifier, key_type: keyType } = isRecord(params.id) ? params.id : {}
  if (identifier === undefined || identifier === null || identifier === '') {
    throw invalidParams('missing account identifier')
  }
  if (isCurrent(node) && typeof keyType === 'string' && !keyTypes.has(keyType)) {
    throw new DevnodeError('account_failed', `unknown key type: ${keyType.slice(0, 64)}`)
  }
  if (typeof identifier !== 'string' || !/^[0-9a-fA-F]{40}$/.test(identifier)) {
    throw invalidParams('invalid account identifier: expected 40 hex digits without 0x')
  }
  const address: Address = addressFromBytes(decodeHex(identifier))
  const { nonce, balance } = findAccount(node.store, address)
  const waiting = params.status === 1 ? countPooled(node.store, address.slice(2)) : 0
  const isKnown = nonce + waiting > 0 || balance > 0n
  return { ...(isKnown && { id: accountIdToJson(address) }), balance: `${balance}`, nonce: nonce + waiting }
}

function requirePayloadType(params: Params): string {
  // Read as the shape of a transaction whose members may all be missing.
  const type = (params.tx as Partial<TransactionJson> | undefined)?.body?.type
  if (typeof type === 'string') return type
  throw invalidParams('tx is missing its body')
}

/** The method `user.broadcast` for a caller. */
export function broadcast({ node }: RpcHost, params: Params, caller: Caller): MethodOutcome {
  const sync = intParam(params, 'sync', { least: 0, most: 1, otherwise: 0 })
  assertKnownForms(node, params.tx)
  const transaction = readTransaction(params.tx)
  if (caller === 'visitor') assertVisitorRoom(node, transaction)
  const hash = submit(node, transaction)
  if (sync === 0) return { result: { tx_hash: hash } }
  const result = commitResult(node, hash)
  return result === undefined ? { waitFor: hash } : { result }
}

/** Today's network reads a transaction of any signature type and serialization, and refuses it when it verifies it. */
function assertKnownForms({ settings }: Node, tx: unknown): void {
  if (settings.profile.answers === 'described' || !isRecord(tx) || !isRecord(tx.signature)) return
  const state = (text: string) => unverified(settings, txCodes.unknown, '', text)
  if (tx.signature.type !== signatureType) throw state(`unknown signature type ${show(tx.signature.type)}`)
  if (tx.serialization !== serializationType) throw state(`unknown serialization ${show(tx.serialization)}`)
}

/** Reads a transaction; invalid_params when a member is missing or malformed. */
export function readTransaction(json: unknown): SignedTransaction {
  for (const name of ['body', 'signature']) {
    if (!isRecord(json) || !isRecord(json[name])) throw invalidParams(`tx is missing its ${name}`)
  }
  try {
    return transactionFromJson(json)
  } catch (cause) {
    throw invalidParams(cause instanceof Error ? cause.message : 'Cannot read transaction')
  }
}

function queryTransaction(node: Node, params: Params): object {
  const hash = textParam(params, 'tx_hash')
  if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw invalidParams('invalid tx_hash: expected 64 hex digits without 0x')
  return transactionStatus(node, hash.toLowerCase())
}

function call({ node }: RpcHost, params: Params): object {
  const { body } = params
  if (typeof body !== 'object' || body === null) throw invalidParams('body is missing')
  // Read as a record of unknowns; each member is checked where it is used.
  const { payload: encoded, challenge } = body as Params
  const payload = decodeBytes(encoded, 'body.payload')
  const caller = readCaller(node, params)
  const isFree = isImpersonated(node.store, node.settings, caller.toLowerCase())
  if (node.settings.mode === 'private' && !isFree) authenticate(node, params, payload, challenge)
  const asked = decodeCall(payload)
  const { result, logs, error } = answerCall({ ...node, block: currentContext(node) }, caller, asked)
  return { query_result: result, logs, error }
}

const keyTypes: ReadonlySet<string> = new Set(['secp256k1', 'ed25519'])

/** The caller by the sender that is named: only its form is checked, because an open node verifies no sender. */
function readCaller(node: Node, { sender, auth_type }: Params): string {
  if (isCurrent(node) && auth_type && auth_type !== signatureType) {
    throw new DevnodeError('invalid_caller', `failed to get caller: unknown auth type ${show(auth_type)}`)
  }
  if (sender === undefined || sender === null || sender === '') return ''
  if (typeof sender !== 'string' || !/^([0-9a-fA-F]{2})+$/.test(sender)) {
    throw invalidParams('invalid sender: expected hex digits without 0x')
  }
  if (auth_type === undefined || auth_type === '') return ''
  const bytes = decodeHex(sender)
  if (bytes.length !== 20) {
    throw new DevnodeError('invalid_caller', `failed to get caller: invalid eth address with ${bytes.length} bytes`)
  }
  return callerText(addressFromBytes(bytes))
}

function authenticate(node: Node, params: Params, payload: Uint8Array, challenge: unknown): void {
  if (!params.signature || !params.sender) {
    throw new DevnodeError('challenge_required', 'signed call message with challenge required')
  }
  const bytes =
    challenge === undefined || challenge === null ? new Uint8Array() : decodeBytes(challenge, 'body.challenge')
  if (bytes.length !== 32) throw new DevnodeError('challenge_length', 'incorrect challenge data length')
  takeChallenge(node.store.lasting, encodeHex(bytes), node.nowMs)
  const signature = decodeBytes(params.signature, 'signature')
  if (recoverCaller(payload, encodeHex(bytes), signature) !== `0x${String(params.sender).toLowerCase()}`) {
    throw new DevnodeError('invalid_call_signature', 'invalid signature on call message')
  }
}

function recoverCaller(payload: Uint8Array, challenge: string, signature: Uint8Array): string | undefined {
  if (!isCanonicalSignature(signature)) return undefined
  try {
    const { namespace, action } = decodeActionCall(payload)
    const message = callMessageSync(namespace, action, payload, challenge)
    return findSigner(digestPersonalMessage(message), signature)
  } catch {
    // The payload cannot be read: there is no message.
    return undefined
  }
}

function decodeBytes(value: unknown, name: string): Uint8Array {
  try {
    return decodeBase64(typeof value === 'string' ? value : '-')
  } catch (cause) {
    throw new DevnodeError('invalid_params', `${name} is not base64`, { cause })
  }
}

/** Parameters of a query: `{"$name": {type, data: [base64 of 0, or of 1 and the raw value]}}`. */
function queryParameters(params: unknown): QueryParameters {
  if (params === undefined || params === null) return {}
  if (typeof params !== 'object') throw invalidParams('params of a query must be an object')
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, textValue(value)]))
}

function textValue(value: unknown): unknown {
  // A value of another form than a client encodes gives no text, which matches nothing.
  if (!isRecord(value) || !isRecord(value.type) || !Array.isArray(value.data)) return undefined
  const { type, data } = value
  if (type.name !== 'text' || type.is_array === true) return undefined
  const element = decodeBytes(data[0], 'a parameter')
  return element[0] === 1 ? new TextDecoder().decode(element.subarray(1)) : null
}
