/** Actions that read what wallets hold of the bridges' tokens, and how it got there. */

import { decodeHex } from '../../base/hex.ts'
import { actionError } from '../errors.ts'
import { bridges } from '../profiles.ts'
import { balanceOf, listDeposits } from '../state/balances.ts'
import { type Action, row, table, view } from './action.ts'
import { isAddress, slicePage } from './checks.ts'

/** The network's actions on balances, for every bridge. */
export const balanceActions: readonly Action[] = bridges.flatMap((bridge) => [
  view({
    name: `${bridge}_wallet_balance`,
    parameters: { wallet_address: 'TEXT' },
    returns: row({ balance: 'NUMERIC(78,0)' }),
    run: ({ store }, { wallet_address }) => [[balanceOf(store, bridge, wallet_address ?? '')]],
  }),
  view({
    name: `${bridge}_get_history`,
    parameters: { wallet_address: 'TEXT', limit: 'INT', offset: 'INT' },
    returns: table({
      type: 'TEXT',
      amount: 'NUMERIC(78,0)',
      from_address: 'BYTEA',
      to_address: 'BYTEA',
      internal_tx_hash: 'BYTEA',
      external_tx_hash: 'BYTEA',
      status: 'TEXT',
      block_height: 'INT8',
      block_timestamp: 'INT8',
      external_block_height: 'INT8',
    }),
    run({ store }, { wallet_address, limit, offset }) {
      const wallet = (wallet_address ?? '').toLowerCase()
      if (!isAddress(wallet)) throw actionError(`Invalid wallet address: ${wallet_address ?? ''}`)
      const deposits = [...listDeposits(store, bridge, wallet)]
      const page = slicePage(deposits, limit === null || limit <= 0n ? 20n : min(limit, 1000n), offset ?? 0n)
      return page.map(({ amount, height, blockTime }) => [
        'deposit',
        amount,
        null,
        decodeHex(wallet.slice(2)),
        null,
        null,
        'completed',
        BigInt(height),
        BigInt(blockTime),
        null,
      ])
    },
  }),
])

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
