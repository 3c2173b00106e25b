/** The catalogue's entries about transactions, the fees they paid, and the network as a whole. */

import { list, nullable, oneOf, optional, page, record, required, shared, table, view } from './entry.ts'
import { marketQuestion } from './markets.ts'

const head = { tx_id: 'string', block_height: 'integer', method: 'string', caller: 'address' } as const
const tail = { fee_recipient: nullable('address'), metadata: nullable('string') } as const

/** The ledger. */
export const ledger = [
  view(
    'get_transaction_event',
    [required('tx_id', 'tx_hash', 'The transaction, with or without 0x.')],
    record({
      ...head,
      fee_amount: 'wei',
      ...tail,
      fee_distributions: table({ recipient: 'address', amount: 'wei' }),
      stamp_ms: 'integer',
    }),
    'Reads what is recorded about a transaction.',
    { access: 'transaction' },
  ),
  view(
    'list_transaction_fees',
    [
      shared.wallet,
      optional('mode', oneOf('paid', 'received', 'both'), 'Which side.', { default: 'paid' }),
      ...page(20, 1000),
    ],
    table({
      ...head,
      total_fee: 'wei',
      ...tail,
      distribution_sequence: 'integer',
      distribution_recipient: nullable('address'),
      distribution_amount: nullable('wei'),
    }),
    'Lists fees of a wallet, one row a distribution.',
  ),
  view(
    'get_last_transactions',
    [
      optional('data_provider', 'address', 'Only of this wallet: sent by it, or with a fee for it.'),
      optional('limit', 'integer', 'Transactions at most.', { default: 6, min: 1, max: 100 }),
    ],
    table({
      tx_id: 'string',
      method: 'string',
      caller: 'address',
      fee_amount: 'wei',
      ...tail,
      distribution_sequence: 'integer',
      distribution_recipient: nullable('address'),
      distribution_amount: nullable('wei'),
      block_height: 'integer',
      stamp_ms: 'integer',
    }),
    'Lists the last transactions with the times of their blocks in Unix milliseconds.',
  ),
  view(
    'get_transaction_input',
    [required('tx_id', 'tx_hash', 'The transaction, with or without 0x.')],
    record({ namespace: 'string', action: 'string', arguments: list(list('argument')) }),
    'Reads the action and the arguments that a transaction asked for.',
    { action: 'user.tx_query', access: 'transaction' },
  ),
  view(
    'get_transaction_market',
    [required('tx_id', 'tx_hash', 'The transaction, with or without 0x.')],
    nullable(
      record({
        bridge: 'string',
        query_components: 'bytes',
        market: nullable(marketQuestion),
        settle_time: 'integer',
        max_spread: 'integer',
        min_order_size: 'string',
      }),
    ),
    'Reads the market that a transaction made, or tried to make; null when it ran another action.',
    { action: 'user.tx_query', access: 'transaction' },
  ),
  view('whoami', [], 'string', 'The caller as the network sees it.'),
  view('get_database_size', [], 'integer', "The size of the network's database in bytes.", {
    action: 'get_database_size_v2',
  }),
  view('get_database_size_pretty', [], 'string', "The size of the network's database in words.", {
    action: 'get_database_size_v2_pretty',
  }),
]
