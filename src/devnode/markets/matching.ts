/**
 * Matching: what happens to a market when an order comes in.
 *
 * - direct: the lowest sell and the highest buy of an outcome trade at the price of the sell while they cross
 * - mint: a buy of YES at p and a buy of NO at 100 - p become a pair of shares
 * - burn: a sell of YES at p and a sell of NO at 100 - p destroy a pair, and its dollar is paid out
 *
 * Every step reads the first entry of a range, so its cost does not depend on the size of the book.
 */

import type { ActionContext } from '../actions/action.ts'
import { bestOrder, oldestOrder } from '../state/market-book.ts'
import { addOrderEvent, type OrderEvent, type OrderEventType } from '../state/market-events.ts'
import { readWallet } from '../state/market-participants.ts'
import type { Position } from '../state/market-places.ts'
import type { Market } from '../state/markets.ts'
import { computeWorth, unlock } from './collateral.ts'
import { receive, take } from './stakes.ts'

/** An event of an order, as an action tells it. */
type OrderNotice = Omit<OrderEvent, 'id' | 'market' | 'height' | 'time'>

/** Writes an event of an order at the block that is being made. */
export function recordOrderEvent(context: ActionContext, market: Market, notice: OrderNotice): void {
  const { store, height, blockTime } = context
  addOrderEvent(store, { ...notice, market: market.id, height, time: blockTime })
}

/** Matches what can be matched after an order of an outcome at a price of 1 to 99 cents. */
export function matchOrders(context: ActionContext, market: Market, outcome: boolean, cents: number): void {
  while (matchDirect(context, market, outcome));
  const yes = outcome ? cents : 100 - cents
  while (matchMint(context, market, yes));
  while (matchBurn(context, market, yes));
}

function matchDirect(context: ActionContext, market: Market, outcome: boolean): boolean {
  const { store } = context
  const sell = bestOrder(store, { market, outcome, side: 'ask' })
  const buy = sell === undefined ? undefined : bestOrder(store, { market, outcome, side: 'bid' })
  if (sell === undefined || buy === undefined || -buy.price < sell.price) return false
  const amount = smaller(buy, sell)
  pay(context, market, { receiver: sell, cents: sell.price, amount })
  recordFill(context, market, { type: 'direct_buy_fill', own: buy, other: sell, price: sell.price, amount })
  recordFill(context, market, { type: 'direct_sell_fill', own: sell, other: buy, price: sell.price, amount })
  const better = -buy.price - sell.price
  if (better > 0) pay(context, market, { receiver: buy, cents: better, amount })
  take(store, sell, amount)
  receive(context, { ...buy, price: 0 }, amount)
  take(store, buy, amount)
  return true
}

function matchMint(context: ActionContext, market: Market, yesCents: number): boolean {
  const pair = findPair(context, market, -yesCents, yesCents - 100)
  if (pair === undefined) return false
  const amount = recordPair(context, market, 'mint_fill', pair)
  for (const order of pair) {
    take(context.store, order, amount)
    receive(context, { ...order, price: 0 }, amount)
  }
  return true
}

function matchBurn(context: ActionContext, market: Market, yesCents: number): boolean {
  const pair = findPair(context, market, yesCents, 100 - yesCents)
  if (pair === undefined) return false
  const amount = recordPair(context, market, 'burn_fill', pair)
  for (const order of pair) {
    pay(context, market, { receiver: order, cents: order.price, amount })
    take(context.store, order, amount)
  }
  return true
}

type Pair = readonly [yes: Position, no: Position]

function findPair({ store }: ActionContext, market: Market, yesPrice: number, noPrice: number): Pair | undefined {
  const yes = oldestOrder(store, { market, outcome: true, price: yesPrice })
  const no = yes && oldestOrder(store, { market, outcome: false, price: noPrice })
  return yes === undefined || no === undefined ? undefined : [yes, no]
}

function recordPair(context: ActionContext, market: Market, type: OrderEventType, [yes, no]: Pair): bigint {
  const amount = smaller(yes, no)
  recordFill(context, market, { type, own: yes, other: no, price: Math.abs(yes.price), amount })
  recordFill(context, market, { type, own: no, other: yes, price: Math.abs(no.price), amount })
  return amount
}

type Fill = Pick<OrderEvent, 'type' | 'price' | 'amount'> & Readonly<Record<'own' | 'other', Position>>

function recordFill(context: ActionContext, market: Market, { type, own, other, price, amount }: Fill): void {
  const { participant, outcome } = own
  const counterparty = other.participant
  // Stored in this order.
  recordOrderEvent(context, market, { participant, type, outcome, price, amount, counterparty })
}

/** Pays shares out of the vault. */
function pay({ store }: ActionContext, { bridge }: Market, { receiver, cents, amount }: Payout): void {
  unlock(store, bridge, readWallet(store, receiver.participant), computeWorth(bridge, amount, cents))
}

interface Payout {
  readonly receiver: Position
  /** For each share. */
  readonly cents: number
  /** In shares. */
  readonly amount: bigint
}

function smaller(left: Position, right: Position): bigint {
  return left.amount < right.amount ? left.amount : right.amount
}
