/** Changes of orders: another price and amount in one step, which keeps the order's time. */

import type { ActionContext, ArgumentsOf } from '../actions/action.ts'
import { actionError, nullColumnError } from '../errors.ts'
import type { OrderEvent } from '../state/market-events.ts'
import { findParticipant } from '../state/market-participants.ts'
import type { Position } from '../state/market-places.ts'
import { findPosition, putPosition } from '../state/market-positions.ts'
import type { Market } from '../state/markets.ts'
import { computeWorth, lock, unlock } from './collateral.ts'
import { matchOrders, recordOrderEvent } from './matching.ts'
import { assertAmountLimit, assertTrading, requireMarket } from './order-checks.ts'
import { move, place, take } from './stakes.ts'

/** The parameters of a change; prices in cents, of buys negative. */
export const orderChange = {
  query_id: 'INT',
  outcome: 'BOOL',
  old_price: 'INT',
  new_price: 'INT',
  new_amount: 'INT8',
} as const

type OrderChange = ArgumentsOf<typeof orderChange>

/** Moves a buy: locks or gives back only the difference, and matches; action_failed as for a new order. */
export function changeBid(context: ActionContext, change: OrderChange): void {
  const order = findOrder(context, change, {
    isPrice: (price) => price < 0n && price >= -99n,
    expected: 'must be negative (buy order) between -99 and -1',
    stranger: 'No participant record found for this wallet',
  })
  const { price, amount } = requireTerms(change)
  const { bridge } = order.market
  const added = computeWorth(bridge, amount, -price) - computeWorth(bridge, order.amount, -order.price)
  if (added > 0n) lock(context, bridge, added)
  if (added < 0n) unlock(context.store, bridge, context.caller, -added)
  replace(context, order, { type: 'bid_changed', price, amount })
}

/**
 * Moves a sell: takes what more it needs from the caller's holding, or gives back what it does not, and matches.
 *
 * More than a holding that is empty is refused. On the network that check is a comparison with null and lets it pass,
 * which makes shares of nothing and a market that can never be settled.
 */
export function changeAsk(context: ActionContext, change: OrderChange): void {
  const order = findOrder(context, change, {
    isPrice: (price) => price > 0n && price <= 99n,
    expected: 'must be positive (sell order) between 1 and 99',
    stranger: 'No participant record found for this wallet. You must own shares before selling.',
  })
  const added = (change.new_amount ?? order.amount) - order.amount
  const holding = { ...order, price: 0 }
  const held = findPosition(context.store, holding)?.amount ?? 0n
  if (held < added) {
    throw actionError(`Insufficient shares in holdings. Need ${added} more shares, but only have ${held} in holdings.`)
  }
  const { price, amount } = requireTerms(change)
  if (added > 0n) take(context.store, holding, added)
  if (added < 0n) place(context, holding, -added)
  replace(context, order, { type: 'ask_changed', price, amount })
}

interface Rules {
  isPrice(price: bigint): boolean
  readonly expected: string
  readonly stranger: string
}

type MarketPosition = Position & { readonly market: Market }

function findOrder(context: ActionContext, change: OrderChange, rules: Rules): MarketPosition {
  const { outcome, old_price, new_price, new_amount } = change
  const market = requireMarket(context.store, change.query_id)
  if (outcome === null) throw actionError('Outcome must be specified (TRUE for YES, FALSE for NO)')
  if (old_price !== null && !rules.isPrice(old_price)) throw actionError(`Old price ${rules.expected}`)
  if (new_price !== null && !rules.isPrice(new_price)) throw actionError(`New price ${rules.expected}`)
  if (old_price !== null && old_price === new_price) {
    throw actionError('New price must differ from old price. Use cancel_order() to remove an order.')
  }
  if (new_amount !== null && new_amount <= 0n) throw actionError('New amount must be positive')
  assertAmountLimit(new_amount)
  assertTrading(context, market, 'Cannot modify orders on settled market')
  const participant = findParticipant(context.store, context.caller.toLowerCase())
  if (participant === undefined) throw actionError(rules.stranger)
  const at = { market, participant, outcome, price: Number(old_price ?? 0n) }
  const order = old_price === null ? undefined : findPosition(context.store, at)
  if (order === undefined) throw actionError('Old order not found at specified price')
  return { ...order, market }
}

function requireTerms({ new_price, new_amount }: OrderChange): { readonly price: number; readonly amount: bigint } {
  if (new_price === null) throw nullColumnError('price', 'ob_positions')
  if (new_amount === null) throw nullColumnError('amount', 'ob_positions')
  return { price: Number(new_price), amount: new_amount }
}

/** The change as its event tells it, but the price of a buy negative. */
type Replacement = Pick<OrderEvent, 'type' | 'price' | 'amount'>

function replace(context: ActionContext, order: MarketPosition, { type, price, amount }: Replacement): void {
  const { market, participant, outcome, since, rank } = order
  putPosition(context.store, order, undefined)
  move(context.store, { ...order, price }, { since, rank, amount })
  const cents = Math.abs(price)
  recordOrderEvent(context, market, { participant, type, outcome, price: cents, amount })
  matchOrders(context, market, outcome, cents)
}
