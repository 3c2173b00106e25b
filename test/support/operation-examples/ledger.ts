/** Examples of the operations about the ledger: what they send, and what they make of an answer. */

import { type Examples, hash, other, own } from './values.ts'

/** Examples by the names of their operations. */
export const ledgerExamples: Examples = {
  get_transaction_event: {
    params: { txId: hash.toUpperCase() },
    action: 'get_transaction_event',
    args: [`0x${hash}`],
    answer: { rows: [[`0x${hash}`, 5n, 'deployStream', own, '3', null, null, `${own}:1,${other}:2`]] },
    result: {
      txId: `0x${hash}`,
      blockHeight: 5,
      stampMs: 0,
      method: 'deployStream',
      caller: own,
      feeAmount: '3',
      feeRecipient: null,
      metadata: null,
      feeDistributions: [
        { recipient: own, amount: '1' },
        { recipient: other, amount: '2' },
      ],
    },
  },
  list_transaction_fees: {
    params: { wallet: other, mode: 'both', limit: 1000, offset: 3 },
    action: 'list_transaction_fees',
    args: [other, 'both', 1000n, 3n],
    answer: { rows: [[`0x${hash}`, 5n, 'm', own, '3', other, '{}', 1n, other, '3']] },
    result: [
      {
        txId: `0x${hash}`,
        blockHeight: 5,
        method: 'm',
        caller: own,
        totalFee: '3',
        feeRecipient: other,
        metadata: '{}',
        distributionSequence: 1,
        distributionRecipient: other,
        distributionAmount: '3',
      },
    ],
  },
  get_last_transactions: {
    params: { dataProvider: other, limit: 3 },
    action: 'get_last_transactions',
    args: [other, 3n],
    answer: { rows: [[`0x${hash}`, 7n, 'deployStream', other, '0', null, null, 0n, null, null]] },
    result: [
      {
        txId: `0x${hash}`,
        blockHeight: 7,
        stampMs: 0,
        method: 'deployStream',
        caller: other,
        feeAmount: '0',
        feeRecipient: null,
        metadata: null,
        distributionSequence: 0,
        distributionRecipient: null,
        distributionAmount: null,
      },
    ],
  },
  get_transaction_input: {},
  get_transaction_market: {},
  whoami: { action: 'whoami', args: [], answer: { rows: [[own]] }, result: own },
  get_database_size: { action: 'get_database_size_v2', args: [], answer: { rows: [[9n]] }, result: 9n },
  get_database_size_pretty: {
    action: 'get_database_size_v2_pretty',
    args: [],
    answer: { rows: [['22 GB']] },
    result: '22 GB',
  },
}
