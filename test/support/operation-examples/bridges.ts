/** Examples of the operations about bridges: what they send, and what they make of an answer. */

import { parseAddress, toChecksumAddress } from '#streamnet/ids.ts'
import proofs from '../../vectors/network-proofs.json' with { type: 'json' }
import { bytes } from '../loopback-node.ts'
import { type Examples, hash, other, otherChecksum, recordedProof } from './values.ts'

/** Examples by the names of their operations. */
export const bridgeExamples: Examples = {
  get_wallet_balance: {
    params: { bridgeIdentifier: 'testnet_a', walletAddress: other },
    action: 'hoodi_tt_wallet_balance',
    args: [other],
    answer: { rows: [['12']] },
    result: '12',
  },
  withdraw: {
    params: { bridgeIdentifier: 'eth_stable', amount: '5', recipient: otherChecksum },
    action: 'eth_usdc_bridge_tokens',
    args: [other, '5'],
  },
  transfer: {
    params: { bridgeIdentifier: 'ethereum_bridge', recipient: other, amount: '5' },
    action: 'ethereum_transfer',
    args: [other, '5'],
  },
  get_withdrawal_proof: {
    params: { bridgeIdentifier: 'eth_main', wallet: other },
    action: 'eth_truf_get_withdrawal_proof',
    args: [other],
    answer: {
      rows: [['eth', '1', other, 77n, other, '5', bytes('00'), bytes('01'), [bytes('02')], [bytes('03'), bytes('04')]]],
    },
    result: [
      {
        chain: 'eth',
        chainId: '1',
        contract: other,
        recipient: other,
        amount: '5',
        blockHeight: 77,
        blockHash: 'AA==',
        root: 'AQ==',
        proofs: ['Ag=='],
        signatures: ['Aw==', 'BA=='],
      },
    ],
  },
  list_wallet_rewards: {
    params: { bridgeIdentifier: 'testnet_legacy', wallet: other, withPending: true },
    action: 'list_wallet_rewards',
    args: [other, true],
    answer: {
      columns: {
        chain: 'text',
        chain_id: 'text',
        contract: 'text',
        created_at: 'int8',
        param_recipient: 'text',
        param_amount: 'numeric',
        param_block_hash: 'bytea',
        param_root: 'bytea',
        param_proofs: 'bytea[]',
        param_signatures: 'bytea[]',
      },
      rows: [['sepolia', '11155111', other, 5n, other, '7', bytes('01'), bytes('02'), [bytes('03')], []]],
    },
    result: [
      {
        chain: 'sepolia',
        chainId: '11155111',
        contract: other,
        createdAt: 5,
        paramRecipient: other,
        paramAmount: '7',
        paramBlockHash: bytes('01'),
        paramRoot: bytes('02'),
        paramProofs: [bytes('03')],
        paramSignatures: [],
      },
    ],
  },
  verify_withdrawal_proof: {
    params: { proof: recordedProof },
    result: { validators: [toChecksumAddress(parseAddress(proofs.validator))] },
  },
  get_ordered_balances: {
    params: { token: 'USDC', ascending: true, limit: 2, minBalance: '7' },
    action: 'get_ordered_balances',
    args: ['USDC', true, 2n, '7'],
    answer: { rows: [[other, '8']] },
    result: [{ address: other, balance: '8' }],
  },
  get_history: {
    params: { bridgeIdentifier: 'eth_main', walletAddress: other },
    action: 'eth_truf_get_history',
    args: [other, 20n, 0n],
    answer: {
      rows: [['deposit', '9'.repeat(78), null, bytes(other.slice(2)), null, bytes(hash), 'completed', 5n, 6n, null]],
    },
    result: [
      {
        type: 'deposit',
        amount: '9'.repeat(78),
        fromAddress: null,
        toAddress: other,
        internalTxHash: null,
        externalTxHash: 'q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=',
        status: 'completed',
        blockHeight: 5,
        blockTimestamp: 6,
        externalBlockHeight: null,
      },
    ],
  },
}
