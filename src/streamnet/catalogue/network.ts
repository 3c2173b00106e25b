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
