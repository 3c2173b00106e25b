/** Orders: buy, sell, split and cancel. */

import { divideRounded } from '../../base/decimal.ts'
import type { ActionContext, ArgumentsOf } from '../actions/action.ts'
import { actionError, describeNullArgument, nullColumnError } from '../errors.ts'
import { readBalance } from '../state/balances.ts'
import { ensureParticipant, findParticipant } from '../state/market-participants.ts'
import { findPosition, putPosition } from '../state/market-positions.ts'
import type { Market } from '../state/markets.ts'
import { tokenOf } from './bridges.ts'
import { computeWorth, lock, unlock } from './collateral.ts'
import { matchOrders, recordOrderEvent } from './matching.ts'
import { assertTerms, assertTrading, requireMarket } from './order-checks.ts'
import { place, take } from './stakes.ts'

/** The parameters that name an order: its market, whether it is of YES, and its price in cents. */
export const orderPlace = { query_id: 'INT', outcome: 'BOOL', price: 'INT' } as const
/** The parameters of a new order. */
export const orderTerms = { ...orderPlace, amount: 'INT8' } as const
/** The parameters of a split. */
export const splitTerms = { query_id: 'INT', true_price: 'INT', amount: 'INT8' } as const

type OrderTerms = ArgumentsOf<typeof orderTerms>

const settledText = 'Market has already settled (no trading allowed)'

/**
 * Bids for shares: locks what they would cost, and matches. As every function of this file, it throws action_failed
 * when the market takes no orders, a price or an amount is out of range, or the caller has too little.
 */
export function placeBuy(context: ActionContext, { query_id, outcome, price, amount }: OrderTerms): void {
  const market = requireMarket(context.store, query_id)
  const isYes = requireOutcome(outcome)
  assertTerms('price', price, amount)
  assertTrading(context, market, settledText)
  if (price === null || amount === null) throw actionError(describeNullArgument('lock', 1))
  const cents = Number(price)
  lockCost(context, market, computeWorth(market.bridge, amount, cents))
  const participant = ensureParticipant(context.store, context.caller.toLowerCase())
  place(context, { market, participant, outcome: isYes, price: -cents }, amount)
  recordOrderEvent(context, market, { participant, type: 'buy_placed', outcome: isYes, price: cents, amount })
  matchOrders(context, market, isYes, cents)
}

/** Offers shares that the caller holds, and matches. */
export function placeSell(context: ActionContext, { query_id, outcome, price, amount }: OrderTerms): void {
  const { store } = context
  const market = requireMarket(store, query_id)
  const isYes = requireOutcome(outcome)
  assertTerms('price', price, amount)
  assertTrading(context, market, settledText)
  const participant = findParticipant(store, context.caller.toLowerCase())
  if (participant === undefined) throw actionError('No shares found. You must own shares before selling.')
  const holding = { market, participant, outcome: isYes, price: 0 }
  const held = findPosition(store, holding)?.amount
  if (held === undefined) {
    throw actionError('No shares found. You must own shares of the specified outcome before selling.')
  }
  if (amount !== null && held < amount) {
    throw actionError(`Insufficient shares. You own: ${held} shares, trying to sell: ${amount}`)
  }
  if (price === null || amount === null) throw nullColumnError(price === null ? 'price' : 'amount', 'ob_positions')
  const cents = Number(price)
  take(store, holding, amount)
  place(context, { ...holding, price: cents }, amount)
  recordOrderEvent(context, market, { participant, type: 'sell_placed', outcome: isYes, price: cents, amount })
  matchOrders(context, market, isYes, cents)
}

/** Makes pairs of shares: the caller holds YES and offers NO at what is left of the dollar. */
export function placeSplit(context: ActionContext, terms: ArgumentsOf<typeof splitTerms>): void {
  const { true_price, amount } = terms
  const market = requireMarket(context.store, terms.query_id)
  assertTerms('true_price', true_price, amount)
  assertTrading(context, market, settledText)
  if (amount === null) throw actionError(describeNullArgument('lock', 1))
  lockCost(context, market, computeWorth(market.bridge, amount, 100))
  if (true_price === null) throw nullColumnError('price', 'ob_positions')
  const [yes, no] = [Number(true_price), 100 - Number(true_price)]
  const participant = ensureParticipant(context.store, context.caller.toLowerCase())
  place(context, { market, participant, outcome: true, price: 0 }, amount)
  place(context, { market, participant, outcome: false, price: no }, amount)
  const event = { participant, type: 'split_placed', amount } as const
  recordOrderEvent(context, market, { ...event, outcome: true, price: yes })
  recordOrderEvent(context, market, { ...event, outcome: false, price: no })
  matchOrders(context, market, false, no)
}

/** Takes an order back: a buy gives its collateral, a sell its shares. */
export function cancel(context: ActionContext, { query_id, outcome, price }: ArgumentsOf<typeof orderPlace>): void {
  const { store } = context
  const market = requireMarket(store, query_id)
  if (outcome === null) throw actionError('Outcome must be specified (TRUE for YES, FALSE for NO)')
  if (price !== null && (price < -99n || price > 99n || price === 0n)) {
    throw actionError('Price must be between -99 and 99 (excluding 0). Holdings (price=0) cannot be cancelled.')
  }
  if (market.settlement !== undefined) throw actionError('Cannot cancel orders on settled market')
  const participant = findParticipant(store, context.caller.toLowerCase())
  if (participant === undefined) throw actionError('No participant record found for this wallet')
  const at = { market, participant, outcome, price: Number(price ?? 0n) }
  const order = price === null ? undefined : findPosition(store, at)
  if (order === undefined) throw actionError('Order not found or does not belong to you')
  const { amount } = order
  const cents = Math.abs(at.price)
  if (at.price < 0) unlock(store, market.bridge, context.caller, computeWorth(market.bridge, amount, cents))
  else place(context, { ...at, price: 0 }, amount)
  recordOrderEvent(context, market, { participant, type: 'cancelled', outcome, price: cents, amount })
  putPosition(store, at, undefined)
}

function requireOutcome(outcome: boolean | null): boolean {
  if (outcome !== null) return outcome
  throw actionError('outcome is required (TRUE for YES, FALSE for NO)')
}

function lockCost(context: ActionContext, { bridge: name }: Market, cost: bigint): void {
  const { bridge, unitsPerDollar } = tokenOf(name)
  if (readBalance(context.store, bridge, context.caller) < cost) {
    // The network divides in its numerics, which round half away from zero.
    const dollars = divideRounded(cost, unitsPerDollar)
    throw actionError(`Insufficient balance. Required: ${cost} base units ($${dollars})`)
  }
  lock(context, name, cost)
}
