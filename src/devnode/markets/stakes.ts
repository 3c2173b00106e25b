/** Changes of single positions: add to one, take from one. */

import type { ActionContext } from '../actions/action.ts'
import type { LedgerStore } from '../ports.ts'
import type { PositionPlace, Stake } from '../state/market-places.ts'
import { findPosition, putPosition } from '../state/market-positions.ts'

/** Adds shares to a place as of now; what is there already goes to the end of its price's queue. */
export function place({ store, blockTime }: ActionContext, at: PositionPlace, amount: bigint): void {
  const before = findPosition(store, at)
  putPosition(store, at, { since: blockTime, rank: at.participant, amount: amount + (before?.amount ?? 0n) })
}

/** Adds shares that a match gave; what is there already keeps its time. */
export function receive({ store, blockTime }: ActionContext, at: PositionPlace, amount: bigint): void {
  const before = findPosition(store, at) ?? { amount: 0n, since: blockTime, rank: at.participant }
  putPosition(store, at, { ...before, amount: before.amount + amount })
}

/** Adds an order that was at another price; of the two times the earlier one stays. */
export function move(store: LedgerStore, at: PositionPlace, order: Stake): void {
  const before = findPosition(store, at)
  const { since, rank } = before !== undefined && before.since < order.since ? before : order
  putPosition(store, at, { since, rank, amount: order.amount + (before?.amount ?? 0n) })
}

/** Takes shares from a place that has at least as many; an empty place is removed. */
export function take(store: LedgerStore, at: PositionPlace, amount: bigint): void {
  const before = findPosition(store, at)
  if (before === undefined) return
  const left = before.amount - amount
  putPosition(store, at, left === 0n ? undefined : { ...before, amount: left })
}
