/** The catalogue's entries about bridges. */

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
