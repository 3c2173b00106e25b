/** The parameters of every method of the node, as an OpenRPC document lists them. */

import { bridges } from '../profiles.ts'
import { faultKinds } from '../state/control.ts'

/** A JSON Schema, as far as parameters need it. */
export type Schema = Readonly<Record<string, unknown>>

/** A parameter by its name. */
interface MethodParameter {
  readonly name: string
  /** False when it may be left out. */
  readonly required: boolean
  readonly schema: Schema
}

type Shape = Readonly<Record<string, Schema>>

/** Parameters of all methods of a name: those that must be given, and those that may be left out. */
interface Parameters {
  readonly required?: Shape
  readonly optional?: Shape
}

const text = (description: string): Schema => ({ type: 'string', description })
const pattern = (expression: string, description: string): Schema => ({
  type: 'string',
  pattern: expression,
  description,
})
const whole = (minimum: number, description: string, otherwise?: number): Schema => ({
  type: 'integer',
  minimum,
  description,
  ...(otherwise !== undefined && { default: otherwise }),
})
const flag = (description: string, otherwise?: boolean): Schema => ({
  type: 'boolean',
  description,
  ...(otherwise !== undefined && { default: otherwise }),
})
const list = (items: Schema): Schema => ({ type: 'array', items })

const hash = pattern('^[0-9a-fA-F]{64}$', '64 hex digits without 0x.')
const wallet = pattern('^0x[0-9a-fA-F]{40}$', 'An address.')
const amount = pattern('^\\d{1,78}$', "In the token's smallest unit.")
const bridge: Schema = {
  enum: [...bridges, 'sepolia_bridge', 'ethereum_bridge'],
  description: 'The bridge, by the prefix of its actions or the name its clients know.',
}
const bytes: Schema = { type: 'string', contentEncoding: 'base64' }

const transaction: Schema = {
  type: 'object',
  description: 'A transaction as clients of the network send it.',
  required: ['signature', 'body', 'serialization', 'sender'],
  properties: {
    signature: {
      type: 'object',
      required: ['sig', 'type'],
      properties: { sig: { type: ['string', 'null'], contentEncoding: 'base64' }, type: { type: 'string' } },
    },
    body: {
      type: 'object',
      required: ['payload', 'type'],
      properties: {
        desc: { type: 'string' },
        payload: bytes,
        type: { enum: ['execute', 'maa_exec', 'raw_statement', 'transfer'] },
        fee: { type: ['string', 'null'] },
        nonce: { type: ['integer', 'null'] },
        chain_id: { type: 'string' },
      },
    },
    serialization: { type: 'string', default: 'concat' },
    sender: { type: 'string', pattern: '^[0-9a-fA-F]{40}$' },
  },
}

const block = { height: whole(0, 'The height; the last block when left out.'), hash }
const streamId = pattern('^st[a-z0-9]{30}$', 'The stream.')
const external = {
  external_tx_hash: pattern('^(0x)?[0-9a-fA-F]{64}$', 'The transaction on the other chain.'),
  external_block_height: whole(0, 'Its block there.', 0),
}
const role = {
  owner: { type: 'string', default: 'system', description: 'system, or an address.' },
  role: { type: 'string', default: 'network_writer', description: 'The name of the role.' },
}
/** Further parameters of a signed call of local streams. */
const envelope = {
  _auth: {
    type: 'object',
    description: "The operator's signature, where the node asks for one.",
    required: ['sig', 'ts', 'ver'],
    properties: { sig: { type: 'string' }, ts: { type: 'integer' }, ver: { const: 'tn_local.auth.v1' } },
  },
}
const range = {
  from_time: { type: 'integer', description: 'From this Unix time in seconds on.' },
  to_time: { type: 'integer', description: 'Up to this Unix time in seconds.' },
}

/** The parameters of each method. */
export const parameterTable: Readonly<Record<string, Parameters>> = {
  'user.version': {},
  'user.ping': { optional: { message: text('Any text.') } },
  'user.health': {},
  'user.chain_info': {},
  'user.account': {
    required: {
      id: {
        type: 'object',
        required: ['identifier'],
        properties: {
          identifier: { type: 'string', pattern: '^[0-9a-fA-F]{40}$' },
          key_type: { type: 'string', default: 'secp256k1' },
        },
      },
    },
    optional: { status: { enum: [0, 1], default: 0, description: '1 counts transactions that wait.' } },
  },
  'user.num_accounts': {},
  'user.estimate_price': { required: { tx: transaction } },
  'user.broadcast': {
    required: { tx: transaction },
    optional: { sync: { enum: [0, 1], default: 0, description: '1 answers when it is in a block.' } },
  },
  'user.tx_query': { required: { tx_hash: hash } },
  'user.call': {
    required: {
      body: {
        type: 'object',
        required: ['payload'],
        properties: { payload: bytes, challenge: { type: ['string', 'null'], contentEncoding: 'base64' } },
      },
    },
    optional: {
      auth_type: text('secp256k1_ep, with a sender.'),
      sender: pattern('^([0-9a-fA-F]{40})?$', 'The sender; empty for none.'),
      signature: {
        type: ['string', 'null'],
        contentEncoding: 'base64',
        description: 'Over the call and its challenge, at a private node.',
      },
    },
  },
  'user.query': {
    required: { query: text('SELECT ... FROM info.actions or info.namespaces.') },
    optional: { params: { type: ['object', 'null'], description: 'Typed values by $name.' } },
  },
  'user.challenge': {},
  'chain.version': {},
  'chain.health': {},
  'chain.block_header': { optional: block },
  'chain.block': { optional: block },
  'chain.block_result': { optional: block },
  'chain.tx': { required: { hash } },
  'chain.genesis': {},
  'chain.validators': {},
  'local.create_stream': {
    required: { stream_id: streamId, stream_type: { enum: ['primitive', 'composed'] } },
    optional: envelope,
  },
  'local.delete_stream': { required: { stream_id: streamId }, optional: envelope },
  'local.insert_records': {
    required: { stream_id: list(streamId), event_time: list({ type: 'integer' }), value: list(text('A decimal.')) },
    optional: envelope,
  },
  'local.insert_taxonomy': {
    required: { stream_id: streamId, child_stream_ids: list(streamId), weights: list(text('A decimal.')) },
    optional: { start_date: whole(0, 'Unix time in seconds from which it counts.', 0), ...envelope },
  },
  'local.disable_taxonomy': {
    required: { stream_id: streamId, group_sequence: whole(0, 'The version.') },
    optional: envelope,
  },
  'local.get_record': { required: { stream_id: streamId }, optional: { ...range, ...envelope } },
  'local.get_index': {
    required: { stream_id: streamId },
    optional: { ...range, base_time: { type: 'integer' }, ...envelope },
  },
  'local.list_streams': { optional: envelope },
  'dev.status': {},
  'dev.mine': { optional: { blocks: { ...whole(1, 'How many blocks.', 1), maximum: 1000 } } },
  'dev.setAutomine': { required: { enabled: flag('A block with every transaction.') } },
  'dev.setIntervalMining': { required: { interval_ms: whole(0, 'Milliseconds; 0 ends it.') } },
  'dev.increaseTime': { required: { seconds: whole(0, 'How far the chain moves ahead.') } },
  'dev.setNextBlockTimestamp': { required: { timestamp: whole(0, 'UNIX seconds of the next block.') } },
  'dev.snapshot': {},
  'dev.revert': { required: { snapshot: whole(1, 'As dev.snapshot gave it.') } },
  'dev.reset': { optional: { seed: flag('Whether the seed network is loaded.', false) } },
  'dev.settleDue': {},
  'dev.loadSeedNetwork': {},
  'dev.setBalance': { required: { bridge, wallet, amount } },
  'dev.deposit': { required: { bridge, wallet, amount }, optional: { from: wallet, ...external } },
  'dev.advanceEpoch': { required: { bridge } },
  'dev.claim': {
    required: { bridge, wallet },
    optional: {
      block_hash: pattern('^(0x)?[0-9a-fA-F]{64}$', "The proof's block; the oldest claim when left out."),
      ...external,
    },
  },
  'dev.grantRole': { required: { wallet }, optional: role },
  'dev.revokeRole': { required: { wallet }, optional: role },
  'dev.impersonate': { required: { wallet }, optional: { enabled: flag('Whether it is.', true) } },
  'dev.failNext': {
    required: { error: { enum: faultKinds } },
    optional: {
      method: { type: 'string', default: 'user.broadcast', description: 'The method that fails.' },
      times: { ...whole(1, 'How many calls.', 1), maximum: 10_000 },
    },
  },
  'dev.clearFaults': {},
  'dev.simulate': { required: { tx: { ...transaction, required: ['body'] } } },
  'dev.dumpState': {},
  'dev.loadState': { required: { state: { type: 'object', additionalProperties: { type: 'string' } } } },
}

/** The parameters of a method, those that must be given first; none of a method that is not known. */
export function listParameters(method: string): readonly MethodParameter[] {
  const { required = {}, optional = {} } = Object.hasOwn(parameterTable, method) ? (parameterTable[method] ?? {}) : {}
  return [...listed(required, true), ...listed(optional, false)]
}

function listed(shape: Shape, required: boolean): readonly MethodParameter[] {
  return Object.entries(shape).map(([name, schema]) => ({ name, required, schema }))
}
