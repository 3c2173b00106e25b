/** Collateral: tokens move between a wallet and the vault of a bridge, and nowhere else. */

import type { ActionContext } from '../actions/action.ts'
import { actionError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { readBalance, setBalance } from '../state/balances.ts'
import { readBridgeTotals, readMarketTotals, readVault, setVault, type Totals } from '../state/market-totals.ts'
import type { Market } from '../state/markets.ts'
import { type MarketBridge, tokenOf } from './bridges.ts'

/** Computes the worth of shares at a price in cents, in the token's smallest unit. */
export function computeWorth(bridge: MarketBridge, amount: bigint, cents: number): bigint {
  return (amount * BigInt(cents) * tokenOf(bridge).unitsPerDollar) / 100n
}

/** Moves tokens of the caller into the vault; action_failed when the caller has fewer. */
export function lock({ store, caller }: ActionContext, bridge: MarketBridge, amount: bigint): void {
  const held = tokenOf(bridge).bridge
  const balance = readBalance(store, held, caller)
  if (balance < amount) throw actionError('insufficient balance')
  setBalance(store, held, caller, balance - amount)
  setVault(store, bridge, readVault(store, bridge) + amount)
}

/** Moves tokens of the vault to a wallet; action_failed for lack of them, which no sequence of orders brings about. */
export function unlock(store: LedgerStore, bridge: MarketBridge, wallet: string, amount: bigint): void {
  const vault = readVault(store, bridge)
  if (vault < amount) throw actionError('insufficient balance')
  setVault(store, bridge, vault - amount)
  const held = tokenOf(bridge).bridge
  setBalance(store, held, wallet, readBalance(store, held, wallet) + amount)
}

/** The audit of a market's collateral, with its figures. */
interface CollateralCheck {
  /** As many shares of YES as of NO. */
  readonly hasParity: boolean
  /** The vault has what all markets of the bridge that are not settled need. */
  readonly isBacked: boolean
  readonly totals: Totals
  readonly vault: bigint
  readonly expected: bigint
}

/** Checks a market's shares, and the vault of its bridge, which all its markets have in common. */
export function checkCollateral(store: LedgerStore, { id, bridge }: Market): CollateralCheck {
  const totals = readMarketTotals(store, id)
  const all = readBridgeTotals(store, bridge)
  const vault = readVault(store, bridge)
  const expected = computeWorth(bridge, all.trueShares, 100) + computeWorth(bridge, all.openBuys, 1)
  return { hasParity: totals.trueShares === totals.falseShares, isBacked: vault >= expected, totals, vault, expected }
}
