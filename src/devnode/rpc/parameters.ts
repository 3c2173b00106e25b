/** The parameters of every method of the node, as an OpenRPC document lists them. */

import { faultKinds } from '../state/control.ts'
import {
  amount,
  block,
  bridge,
  bytes,
  envelope,
  external,
  flag,
  hash,
  list,
  pattern,
  range,
  role,
  type Schema,
  streamId,
  text,
  transaction,
  wallet,
  whole,
} from './parameter-schemas.ts'

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

/** The parameters of each method; a local one takes those of `envelope` besides. */
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
  'local.create_stream': { required: { stream_id: streamId, stream_type: { enum: ['primitive', 'composed'] } } },
  'local.delete_stream': { required: { stream_id: streamId } },
  'local.insert_records': {
    required: { stream_id: list(streamId), event_time: list({ type: 'integer' }), value: list(text('A decimal.')) },
  },
  'local.insert_taxonomy': {
    required: { stream_id: streamId, child_stream_ids: list(streamId), weights: list(text('A decimal.')) },
    optional: { start_date: whole(0, 'Unix time in seconds from which it counts.', 0) },
  },
  'local.disable_taxonomy': { required: { stream_id: streamId, group_sequence: whole(0, 'The version.') } },
  'local.get_record': { required: { stream_id: streamId }, optional: range },
  'local.get_index': { required: { stream_id: streamId }, optional: { ...range, base_time: { type: 'integer' } } },
  'local.list_streams': {},
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
  const signed = method.startsWith('local.') ? envelope : {}
  return [...listed(required, true), ...listed({ ...optional, ...signed }, false)]
}

function listed(shape: Shape, required: boolean): readonly MethodParameter[] {
  return Object.entries(shape).map(([name, schema]) => ({ name, required, schema }))
}
