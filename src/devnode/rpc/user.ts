/** The `user.*` methods: what every client of the network calls. */

import { decodeHex } from '../../base/hex.ts'
import { isRecord } from '../../base/json.ts'
import { addressFromBytes } from '../../streamnet/ids.ts'
import type { TransactionJson } from '../../streamnet/rpc/methods.ts'
import { accountIdToJson } from '../../streamnet/rpc/transaction-json.ts'
import type { Address } from '../../streamnet/types.ts'
import { findPrice } from '../admission.ts'
import { DevnodeError } from '../errors.ts'
import { answerQuery, type QueryParameters } from '../info.ts'
import { chainTime, type Node, type ReadonlyNode } from '../node.ts'
import { countAccounts, findAccount } from '../state/accounts.ts'
import { headBlock } from '../state/chain.ts'
import { issueChallenge } from '../state/challenges.ts'
import { countPooled } from '../state/pool.ts'
import { callAction } from './call.ts'
import { decodeBytes, invalidParams, isCurrent, type Method, type Params, textParam } from './method.ts'
import { broadcast, transactionStatus } from './transactions.ts'

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
  'user.account': ({ node }, params) => ({ result: describeAccount(node, params) }),
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
  'user.call': (host, params) => ({ result: callAction(host, params) }),
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

const keyTypes: ReadonlySet<string> = new Set(['secp256k1', 'ed25519'])

function describeAccount(node: Node, params: Params): object {
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

function queryTransaction(node: Node, params: Params): object {
  const hash = textParam(params, 'tx_hash')
  if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw invalidParams('invalid tx_hash: expected 64 hex digits without 0x')
  return transactionStatus(node, hash.toLowerCase())
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
