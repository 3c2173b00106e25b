/** Actions that read what wallets hold of the bridges' tokens, and how it got there. */

import { decodeHex } from '../../base/hex.ts'
import { compare } from '../compare.ts'
import { actionError, engineError, requireArgument } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { type Bridge, bridges } from '../profiles.ts'
import { listBalances, listDeposits, readBalance } from '../state/balances.ts'
import { findClaim, findEpoch } from '../state/epochs.ts'
import { listMovements, type Movement } from '../state/movements.ts'
import { parseHexAddress } from '../withdrawals/tokens.ts'
import { type Action, type ActionContext, columns, listing, optional, row, table, view } from './action.ts'
import { slicePage } from './checks.ts'

/** A movement with what became of it, and its transaction on the other chain. */
interface HistoryRow extends Omit<Movement, 'from' | 'epoch'> {
  readonly from: string | null
  readonly status: string
}

const bytes = (hex: string | null | undefined) => (hex ? decodeHex(hex.replace(/^0x/, '')) : null)
const history = columns<HistoryRow>({
  type: ['TEXT', (one) => one.type],
  amount: ['NUMERIC(78,0)', (one) => one.amount],
  from_address: ['BYTEA', (one) => bytes(one.from)],
  to_address: ['BYTEA', (one) => bytes(one.to)],
  internal_tx_hash: ['BYTEA', (one) => bytes(one.txId)],
  external_tx_hash: ['BYTEA', (one) => bytes(one.external?.txId)],
  status: ['TEXT', (one) => one.status],
  block_height: ['INT8', (one) => one.height],
  block_timestamp: ['INT8', (one) => one.blockTime],
  external_block_height: ['INT8', (one) => one.external?.height],
})

/** The network's actions on balances of one wallet, for every bridge, and on those of all, richest or poorest first. */
export const balanceActions: readonly Action[] = [
  ...bridges.flatMap((bridge) => [
    view(
      `${bridge}_wallet_balance`,
      { wallet_address: 'TEXT' },
      row({ balance: 'NUMERIC(78,0)' }),
      ({ store }, { wallet_address }) => [
        [readBalance(store, bridge, parseHexAddress(requireArgument('balance', 1, wallet_address)))],
      ],
    ),
    listing(
      `${bridge}_get_history`,
      { wallet_address: 'TEXT', limit: 'INT', offset: 'INT' },
      history,
      (context, { wallet_address, limit, offset }) => {
        if (limit !== null && limit < 0n) throw engineError(`limit must be non-negative, got ${limit}`)
        if (offset !== null && offset < 0n) throw engineError(`offset must be non-negative, got ${offset}`)
        const wallet = parseHexAddress(requireArgument('get_history', 1, wallet_address))
        const most = min(requireArgument('get_history', 2, limit), 1000n)
        const first = requireArgument('get_history', 3, offset)
        return slicePage(readHistory(context, bridge, wallet), most, first)
      },
    ),
  ]),
  view(
    'get_ordered_balances',
    {
      token: 'TEXT',
      ascending: optional('BOOL', false),
      limit: optional('INT', 20n),
      min_balance: optional('NUMERIC(78,0)', null),
    },
    table({ address: 'TEXT', balance: 'NUMERIC(78,0)' }),
    ({ store, budget }, { token, ascending, limit, min_balance }) => {
      const bridge = orderedTokens.get((token ?? '').toLowerCase())
      if (bridge === undefined) {
        throw actionError(token === null ? '' : `unsupported token (want TRUF or USDC): ${token}`)
      }
      const least = min_balance ?? 0n
      const held = [...listBalances(store, bridge)]
      budget.spend(held.length)
      const sign = ascending === true ? 1 : -1
      return held
        .filter(({ balance }) => balance >= least)
        .sort((left, right) => sign * compare(left.balance, right.balance) || compare(left.wallet, right.wallet))
        .slice(0, Number(min(limit === null || limit < 1n ? 1n : limit, 50n)))
        .map(({ wallet, balance }) => [wallet, balance])
    },
  ),
]

/** The tokens whose holders can be listed, by the names of the main network, and where a development node has them. */
const orderedTokens: ReadonlyMap<string, Bridge> = new Map([
  ['truf', 'hoodi_tt'],
  ['usdc', 'hoodi_tt2'],
])

/** Deposits by the faucet and every other movement, newest block first. */
function readHistory({ store, budget }: ActionContext, bridge: Bridge, wallet: string): readonly HistoryRow[] {
  const movements = [...listMovements(store, bridge, wallet)]
  const deposits = [...listDeposits(store, bridge, wallet)]
  budget.spend(movements.length + deposits.length)
  const fromFaucet = {
    type: 'deposit',
    from: null,
    to: wallet,
    txId: null,
    external: null,
    status: 'completed',
  } as const
  const rows: HistoryRow[] = [
    ...movements.map((one) => ({ ...one, ...readTransferState(store, bridge, one) })),
    ...deposits.map((one) => ({ ...fromFaucet, ...one })),
  ]
  return rows.sort((left, right) => right.height - left.height)
}

/** A withdrawal waits for its epoch's signatures, may be claimed, and has been claimed; all else is done at once. */
function readTransferState(store: LedgerStore, bridge: Bridge, { epoch, to, external }: Movement) {
  if (epoch === null) return { status: 'completed', external }
  const claimed = findClaim(store, bridge, epoch, to)?.claimed ?? null
  if (claimed !== null) return { status: 'claimed', external: claimed }
  const isConfirmed = (findEpoch(store, bridge, epoch)?.signatures.length ?? 0) > 0
  return { status: isConfirmed ? 'completed' : 'pending_epoch', external }
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
