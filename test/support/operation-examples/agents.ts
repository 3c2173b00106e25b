/** Examples of the operations about agent wallets: what they send, and what they make of an answer. */

import { bytes } from '../loopback-node.ts'
import { type Examples, hash, other, otherChecksum, own } from './values.ts'

/** The rule of step 3 of the recorded scenario agents-771, and the wallet of step 41. */
const ruleVector = {
  agent: '0x15afc40a367b174187661d300f8d6328f561c9fd',
  owner: '0x2100439e049d47baad0147475a9cb9c55e6b7155',
  rulesHash: '0x08281ea226554227941a67795f9009b62bd39f1dc7bfe25b4ffa12364e352033',
  ruleId: '0xe9480ef76a058796759bcb3838eb51ac46b1fc1f12cf63fb1d86b47a72ee3cc1',
  wallet: '0x996b07fb766599486adde5ee490c828eed3f3828',
}

/** Examples by the names of their operations. */
export const agentExamples: Examples = {
  create_agent_rule: {
    params: { feeMode: 'bps', feeBps: 250, actions: [{ action: 'place_buy_order' }], salt: bytes('aa') },
    action: 'maa_create_rule',
    args: [bytes('aa'), 'bps', 250n, '0', ['main'], ['place_buy_order'], [null]],
  },
  derive_agent_rule: {
    params: { agent: ruleVector.agent, feeMode: 'bps', feeBps: 10_000, feeFlat: '7' },
    result: { ruleId: ruleVector.ruleId, rulesHash: ruleVector.rulesHash },
  },
  derive_agent_wallet: {
    params: { owner: ruleVector.owner, agent: ruleVector.agent, ruleId: ruleVector.ruleId },
    result: ruleVector.wallet,
  },
  join_agent_address: { params: { ruleId: hash }, action: 'maa_join', args: [bytes(hash)] },
  join_and_fund_agent_address: {
    params: { ruleId: `0x${hash}`, bridgeIdentifier: 'testnet_b', amount: '5' },
    action: 'maa_join_and_fund',
    args: [bytes(hash), 'hoodi_tt2', '5'],
  },
  execute_agent_action: {
    params: { wallet: other, action: 'cancel_order', args: [1, true, -5] },
    action: 'cancel_order',
    args: [1n, true, -5n],
  },
  withdraw_from_agent_wallet: {
    params: { wallet: other, bridgeIdentifier: 'testnet_a', amount: '5' },
    action: 'maa_withdraw',
    args: ['hoodi_tt', '5'],
  },
  bridge_out_of_agent_wallet: {
    params: { wallet: other, bridgeIdentifier: 'testnet_a', amount: '5', recipient: otherChecksum },
    action: 'maa_bridge_out',
    args: ['hoodi_tt', '5', other],
  },
  get_agent_rule: {
    params: { ruleId: hash },
    action: 'maa_get_rule',
    args: [bytes(hash)],
    answer: { rows: [[`0x${hash}`, other, `0x${hash}`, 'flat', 0n, '3', 9n]] },
    result: {
      ruleId: `0x${hash}`,
      restricted: other,
      rulesHash: `0x${hash}`,
      feeMode: 'flat',
      feeBps: 0,
      feeFlat: '3',
      createdAt: 9,
    },
  },
  get_agent_rule_allowed_actions: {
    params: { ruleId: hash },
    action: 'maa_get_allowed_actions',
    args: [bytes(hash)],
    answer: { rows: [['main', 'whoami', null]] },
    result: [{ namespace: 'main', action: 'whoami', bodyHash: null }],
  },
  get_agent_wallet: {
    params: { wallet: other },
    action: 'maa_get_instance',
    args: [bytes(other.slice(2))],
    answer: { rows: [[other, `0x${hash}`, own, other, 3n]] },
    result: { maaAddress: other, ruleId: `0x${hash}`, restricted: own, unrestricted: other, createdAt: 3 },
  },
  is_agent_wallet: {
    params: { wallet: other },
    action: 'maa_is_known',
    args: [bytes(other.slice(2))],
    answer: { rows: [[true]] },
    result: true,
  },
  get_agent_wallet_balance: {
    params: { wallet: other, bridgeIdentifier: 'testnet_b' },
    action: 'maa_get_balance',
    args: [bytes(other.slice(2)), 'hoodi_tt2'],
    answer: { rows: [['12']] },
    result: '12',
  },
  list_agent_rules_by_restricted: {
    params: { agent: other },
    action: 'maa_list_by_restricted',
    args: [other, 100n, 0n],
    answer: { rows: [[`0x${hash}`, 3n]] },
    result: [{ ruleId: `0x${hash}`, createdAt: 3 }],
  },
  list_agent_wallets_by_owner: {
    params: { owner: other, limit: 2 },
    action: 'maa_list_by_unrestricted',
    args: [other, 2n, 0n],
    answer: { rows: [[other, `0x${hash}`, 3n]] },
    result: [{ maaAddress: other, ruleId: `0x${hash}`, createdAt: 3 }],
  },
  list_agent_wallets_by_rule: {
    params: { ruleId: hash },
    action: 'maa_list_instances_by_rule',
    args: [bytes(hash), 100n, 0n],
    answer: { rows: [[other, own, 3n]] },
    result: [{ maaAddress: other, unrestricted: own, createdAt: 3 }],
  },
  get_agent_rule_events: {
    params: { ruleId: hash },
    action: 'maa_get_events',
    args: [bytes(hash), 100n, 0n],
    answer: { rows: [[1n, null, 'CREATE_RULE', 'restricted', own, null, null, null, `0x${hash}`, 3n, 4n]] },
    result: [
      {
        id: 1,
        maaAddress: null,
        eventType: 'CREATE_RULE',
        actorRole: 'restricted',
        actorAddr: own,
        innerNamespace: null,
        innerAction: null,
        amount: null,
        txHash: `0x${hash}`,
        blockHeight: 3,
        blockTimestamp: 4,
      },
    ],
  },
}
