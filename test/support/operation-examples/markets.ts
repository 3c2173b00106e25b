/** Examples of the operations about markets: what they send, and what they make of an answer. */

import { expect } from 'vitest'
import { encodeActionArgs } from '#streamnet/market-question.ts'
import { bytes } from '../loopback-node.ts'
import {
  components,
  dec,
  type Examples,
  hash,
  id,
  other,
  otherChecksum,
  own,
  question,
  termArgs,
  terms,
} from './values.ts'

const marketObject = {
  settleTime: 100,
  settled: false,
  winningOutcome: null,
  maxSpread: 5,
  minOrderSize: 1,
  createdAt: 9,
}

/** Examples by the names of their operations. */
export const marketExamples: Examples = {
  create_price_above_threshold_market: {
    params: { ...question, threshold: '2' },
    action: 'create_market',
    args: ['hoodi_tt2', components, ...termArgs],
  },
  create_price_below_threshold_market: { params: { ...question, threshold: '2' }, action: 'create_market' },
  create_value_in_range_market: { params: { ...question, minValue: '1', maxValue: '2' }, action: 'create_market' },
  create_value_equals_market: { params: { ...question, target: '1', tolerance: '0.1' }, action: 'create_market' },
  create_market: {
    params: { queryComponents: components, ...terms, bridge: 'ethereum_bridge' },
    action: 'create_market',
    args: ['ethereum_bridge', components, ...termArgs],
  },
  get_market_info: {
    params: { queryId: 4 },
    action: 'get_market_info',
    args: [4n],
    answer: {
      rows: [[bytes(hash), components, 'hoodi_tt2', 100n, false, null, null, 5n, 1n, 9n, bytes(own.slice(2))]],
    },
    result: {
      id: 4,
      hash: bytes(hash),
      queryComponents: components,
      bridge: 'hoodi_tt2',
      ...marketObject,
      settledAt: null,
      creator: bytes(own.slice(2)),
    },
  },
  get_market_by_hash: {
    params: { hash: bytes(hash) },
    action: 'get_market_by_hash',
    args: [bytes(hash)],
    answer: { rows: [[4n, 100n, false, null, 7n, 5n, 1n, 9n, bytes(own.slice(2))]] },
    result: { id: 4, ...marketObject, settledAt: 7, creator: bytes(own.slice(2)) },
  },
  market_exists: {
    params: { hash: bytes(hash) },
    action: 'market_exists',
    args: [bytes(hash)],
    answer: { rows: [[true]] },
    result: true,
  },
  list_markets: {
    params: { settledFilter: 'active' },
    action: 'list_markets',
    args: [false, 100n, 0n],
    answer: { rows: [[4n, bytes(hash), 100n, false, null, 5n, 1n, 9n]] },
    result: [{ id: 4, hash: bytes(hash), ...marketObject }],
  },
  decode_market_data: {
    params: { queryComponents: components },
    result: {
      dataProvider: otherChecksum,
      streamId: id,
      actionId: 'price_above_threshold',
      type: 'above',
      thresholds: [dec('2')],
    },
  },
  decode_query_components: {
    params: { queryComponents: components },
    result: expect.objectContaining({ dataProvider: otherChecksum, streamId: id, actionId: 'price_above_threshold' }),
  },
  encode_query_components: {
    params: { dataProvider: other, streamId: id, actionId: 'price_above_threshold', args: new Uint8Array() },
    result: expect.any(Uint8Array),
  },
  encode_action_args: { params: { args: [1, null] }, result: encodeActionArgs([1, null]) },
  hash_query_components: { params: { queryComponents: components }, result: expect.any(Uint8Array) },
  settle_market: { params: { queryId: 4 }, action: 'settle_market', args: [4n] },
  validate_market_collateral: {
    params: { queryId: 4 },
    action: 'validate_market_collateral',
    args: [4n],
    answer: { rows: [[true, true, 1n, 2n, '3', '4', 2n ** 40n]] },
    result: {
      validTokenBinaries: true,
      validCollateral: true,
      totalTrue: 1,
      totalFalse: 2,
      vaultBalance: '3',
      expectedCollateral: '4',
      openBuysValue: 2 ** 40,
    },
  },
  get_distribution_summary: { params: { queryId: 4 }, action: 'get_distribution_summary', args: [4n], result: null },
  get_distribution_details: {
    params: { distributionId: 4 },
    action: 'get_distribution_details',
    args: [4n],
    result: [],
  },
  get_participant_reward_history: {
    params: { wallet: other },
    action: 'get_participant_reward_history',
    args: [other],
    result: [],
  },
  sample_lp_rewards: { params: { queryId: 1, block: 50 }, action: 'sample_lp_rewards', args: [1n, 50n] },
}
