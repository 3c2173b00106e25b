/**
 * Checks of an order before it changes anything, in the order of the network's own checks.
 *
 * In the network's language a comparison with null is not true, so a null price or amount passes the checks of its
 * range and is refused later: by the bridge that is to lock it, or by the table that is to keep it.
 */

import type { ActionContext } from '../actions/action.ts'
import { actionError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { toId } from '../state/market-keys.ts'
import { findMarket, type Market } from '../state/markets.ts'

const maxAmount = 1_000_000_000n

/** Finds a market; action_failed with a text when it is unknown, and without any text where there is no id. */
export function requireMarket(
  store: LedgerStore,
  queryId: bigint | null,
  refusal = `Market does not exist (query_id: ${queryId})`,
): Market {
  const market = findMarket(store, toId(queryId))
  if (market !== undefined) return market
  throw actionError(queryId === null ? '' : refusal)
}

/** Refuses a price, by its name, or an amount of a new order that is out of range: action_failed. */
export function assertTerms(name: string, cents: bigint | null, amount: bigint | null): void {
  if (cents !== null && (cents < 1n || cents > 99n)) {
    throw actionError(`${name} must be between 1 and 99 ($0.01 to $0.99)`)
  }
  if (amount !== null && amount <= 0n) throw actionError('amount must be positive')
  assertAmountLimit(amount)
}

/** Refuses an amount that no order may have: action_failed. */
export function assertAmountLimit(amount: bigint | null): void {
  if (amount !== null && amount > maxAmount) {
    throw actionError('amount exceeds maximum allowed of 1,000,000,000')
  }
}

/** Refuses to trade in a market that is settled, with that text, or due: action_failed. */
export function assertTrading({ blockTime }: ActionContext, market: Market, settled: string): void {
  if (market.settlement !== undefined) throw actionError(settled)
  if (BigInt(blockTime) >= market.settleTime) {
    throw actionError('Trading is closed. Market has passed its settlement time.')
  }
}
