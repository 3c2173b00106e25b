/** The catalogue's entries about procedures, the ledger, attestations and bridges. */

import {
  execute,
  list,
  local,
  nullable,
  oneOf,
  optional,
  page,
  record,
  required,
  shared,
  table,
  view,
} from './entry.ts'
import { marketQuestion } from './markets.ts'

const procedure = required('procedure', 'string', "The action's name.")

/** Procedures. */
export const procedures = [
  view(
    'call_procedure',
    [procedure, optional('args', list('argument'), 'Its arguments, null for one left out.')],
    record({ column_names: list('string'), values: list(list('argument')) }),
    'Reads any view action.',
    { action: 'any view action' },
  ),
  execute(
    'execute_procedure',
    [procedure, required('args', list(list('argument')), 'Lists of arguments; the action runs once for each.')],
    'Runs any action, once for each list of arguments, in one transaction.',
    { action: 'any action' },
  ),
]

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

/** Attestations. */
export const attestations = [
  execute(
    'request_attestation',
    [
      required('data_provider', 'address', "The stream's owner."),
      shared.streamId,
      required('action_name', 'string', 'The action whose answer is attested.'),
      required('args', { anyOf: [list('argument'), 'bytes'] }, 'Its arguments, or their canonical bytes.'),
      optional('encrypt_sig', 'boolean', 'Not supported by the network yet.', { default: false }),
      optional('max_fee', 'wei', 'The most it may cost.'),
    ],
    "Asks for an attestation of an action's answer.",
  ),
  view(
    'get_signed_attestation',
    [required('request_tx_id', 'string', 'The transaction that asked for it.')],
    'bytes',
    'Reads a signed attestation: payload, then signature.',
  ),
  view(
    'list_attestations',
    [
      optional('requester', 'address', 'Only of this wallet.'),
      optional('request_tx_id', 'string', 'Only of this transaction.'),
      optional('attestation_hash', 'bytes', 'Only of this hash.'),
      optional('result_canonical', 'bytes', 'Only of this result.'),
      ...page(5000, 5000),
      optional('order_by', 'string', 'The order, such as created_height desc.'),
    ],
    table({
      request_tx_id: 'string',
      attestation_hash: 'bytes',
      requester: 'bytes',
      data_provider: nullable('address'),
      stream_id: nullable('string'),
      created_height: 'integer',
      signed_height: nullable('integer'),
      encrypt_sig: nullable('boolean'),
    }),
    'Lists requested attestations.',
  ),
  local(
    'parse_attestation_payload',
    [required('payload', 'bytes', 'The payload without the 65 bytes of its signature.')],
    record({
      version: 'integer',
      algorithm: 'integer',
      block_height: 'integer',
      data_provider: 'address',
      stream_id: 'string',
      action_id: 'integer',
      arguments: list('argument'),
      result: table({ values: list({ anyOf: ['string', 'boolean'] }) }),
    }),
    'Parses the payload of an attestation.',
  ),
  local(
    'verify_attestation_signature',
    [required('attestation', 'bytes', 'The payload with its signature.')],
    record({ validator_address: 'address', canonical_payload: 'bytes', signature: 'bytes' }),
    'Finds who signed an attestation.',
  ),
]

const walletAddress = required('wallet_address', 'address', 'The wallet.')
const wei = required('amount', 'wei', 'In wei.')
const recipient = required('recipient', 'address', 'Who gets it.')

const proof = record({
  chain: 'string',
  chain_id: 'string',
  contract: 'string',
  recipient: 'address',
  amount: 'wei',
  block_height: 'integer',
  block_hash: 'string',
  root: 'string',
  proofs: list('string'),
  signatures: list('string'),
})

/** Bridges. */
export const bridges = [
  view('get_wallet_balance', [shared.bridge, walletAddress], 'wei', 'The balance of a wallet in wei.', {
    action: '<bridge>_wallet_balance',
  }),
  execute('withdraw', [shared.bridge, wei, recipient], 'Burns tokens, to be claimed on the other chain.', {
    action: '<bridge>_bridge_tokens',
  }),
  execute('transfer', [shared.bridge, recipient, wei], 'Sends tokens to another wallet; costs one token on top.', {
    action: '<bridge>_transfer',
  }),
  view(
    'get_withdrawal_proof',
    [shared.bridge, shared.wallet],
    list(proof),
    'Reads the proofs of withdrawals that have not been claimed yet.',
    { action: '<bridge>_get_withdrawal_proof' },
  ),
  view(
    'list_wallet_rewards',
    [
      shared.bridge,
      shared.wallet,
      optional('with_pending', 'boolean', 'With those that are not signed yet.', { default: false }),
    ],
    table({
      chain: 'string',
      chain_id: 'string',
      contract: 'string',
      created_at: 'integer',
      param_recipient: 'address',
      param_amount: 'wei',
      param_block_hash: 'bytes',
      param_root: 'bytes',
      param_proofs: list('bytes'),
      param_signatures: list('bytes'),
    }),
    "Lists a wallet's claims as the bridge's own namespace has them.",
    { action: '<bridge>.list_wallet_rewards' },
  ),
  local(
    'verify_withdrawal_proof',
    [required('proof', proof, 'The proof, as get_withdrawal_proof gives it.')],
    record({ validators: list('address') }),
    'Checks a proof of a withdrawal and finds who signed it.',
  ),
  view(
    'get_ordered_balances',
    [
      required('token', oneOf('TRUF', 'USDC'), 'The token.'),
      optional('ascending', 'boolean', 'The poorest first.', { default: false }),
      optional('limit', 'integer', 'Rows at most.', { default: 20, min: 1, max: 50 }),
      optional('min_balance', 'wei', 'Only wallets with at least so much.'),
    ],
    table({ address: 'address', balance: 'wei' }),
    'Lists the wallets that hold most of a token, or least.',
  ),
  view(
    'get_history',
    [shared.bridge, walletAddress, ...page(20, 1000)],
    table({
      type: oneOf('deposit', 'withdrawal', 'transfer'),
      amount: 'wei',
      from_address: nullable('address'),
      to_address: nullable('address'),
      internal_tx_hash: nullable('string'),
      external_tx_hash: nullable('string'),
      status: oneOf('completed', 'claimed', 'pending_epoch'),
      block_height: 'integer',
      block_timestamp: 'integer',
      external_block_height: nullable('integer'),
    }),
    'Lists deposits and withdrawals of a wallet.',
    { action: '<bridge>_get_history' },
  ),
]
