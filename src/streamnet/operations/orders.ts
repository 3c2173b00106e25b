/** Placing, cancelling and changing orders of prediction markets. Prices are cents: bids negative, asks positive. */

import { invalidArgument } from '../errors.ts'
import type { Client, SendOptions } from '../ports.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import type { OutcomeParams } from './order-book.ts'
import { assertAtLeast, assertInteger, checkId } from './parameters.ts'

type OrderParams = OutcomeParams & { readonly price: number; readonly amount: number } & SendOptions
type ChangeParams = OutcomeParams & {
  readonly oldPrice: number
  readonly newPrice: number
  readonly newAmount: number
} & SendOptions

/**
 * Offers to buy shares at a price of 1 to 99 cents.
 *
 * @param params - `price` in cents, 1 to 99; `amount` in shares, from 1.
 * @throws StreamNetError invalid_argument when the id, the price or the amount is out of range.
 *
 * @example
 * // Ten shares of YES for 40 cents each: four dollars are locked.
 * await placeBuyOrder(client, { queryId: 1, outcome: true, price: 40, amount: 10 })
 */
export async function placeBuyOrder(client: Client, params: OrderParams): Promise<TxHash> {
  return placeOrder(client, 'place_buy_order', params)
}

/**
 * Offers shares for sale at a price of 1 to 99 cents.
 *
 * @param params - `price` in cents, 1 to 99; `amount` in shares, from 1.
 * @throws StreamNetError invalid_argument when the id, the price or the amount is out of range.
 *
 * @example
 * await placeSellOrder(client, { queryId: 1, outcome: true, price: 70, amount: 5 })
 */
export async function placeSellOrder(client: Client, params: OrderParams): Promise<TxHash> {
  return placeOrder(client, 'place_sell_order', params)
}

/**
 * Locks one unit of collateral a pair, mints YES and NO shares, keeps YES, and offers NO for sale at 100 minus
 * the price of YES.
 *
 * @param params - `truePrice` is the price of YES in cents, 1 to 99; `amount` in pairs, from 1.
 * @throws StreamNetError invalid_argument when the id, the price or the amount is out of range.
 *
 * @example
 * // Ten pairs: YES is kept, NO is offered for 40 cents.
 * await placeSplitLimitOrder(client, { queryId: 1, truePrice: 60, amount: 10 })
 */
export async function placeSplitLimitOrder(
  client: Client,
  params: { readonly queryId: number; readonly truePrice: number; readonly amount: number } & SendOptions,
): Promise<TxHash> {
  assertInteger(params.truePrice, 1, 99, 'true_price must be between 1 and 99 cents')
  const args = [checkId(params.queryId), params.truePrice, checkAmount(params.amount)]
  return sendTransaction(client, 'place_split_limit_order', [args], params)
}

/**
 * Takes an order back; its price is negative for a buy order, positive for a sell order.
 *
 * @param params - `price` in cents: -99 to -1 for a buy order, 1 to 99 for a sell order.
 * @throws StreamNetError invalid_argument when the id or the price is out of range.
 *
 * @example
 * // A buy order has a negative price.
 * await cancelOrder(client, { queryId: 1, outcome: true, price: -50 })
 */
export async function cancelOrder(
  client: Client,
  params: OutcomeParams & { readonly price: number } & SendOptions,
): Promise<TxHash> {
  const { outcome, price } = params
  if (price === 0) throw invalidArgument('Cannot cancel holdings (price=0), use place_sell_order instead')
  assertInteger(price, -99, 99, 'price must be between -99 and 99 (excluding 0)')
  return sendTransaction(client, 'cancel_order', [[checkId(params.queryId), outcome, price]], params)
}

/**
 * Moves a buy order to another price and amount at once; prices are -99 to -1.
 *
 * @param params - `oldPrice` and `newPrice` in cents, -99 to -1; `newAmount` in shares, from 1.
 * @throws StreamNetError invalid_argument when the id, the price or the amount is out of range.
 *
 * @example
 * await changeBid(client, { queryId: 1, outcome: true, oldPrice: -50, newPrice: -55, newAmount: 20 })
 */
export async function changeBid(client: Client, params: ChangeParams): Promise<TxHash> {
  return changeOrder(client, 'change_bid', params)
}

/**
 * Moves a sell order to another price and amount at once; prices are 1 to 99.
 *
 * @param params - `oldPrice` and `newPrice` in cents, 1 to 99; `newAmount` in shares, from 1.
 * @throws StreamNetError invalid_argument when the id, the price or the amount is out of range.
 *
 * @example
 * await changeAsk(client, { queryId: 1, outcome: true, oldPrice: 65, newPrice: 64, newAmount: 40 })
 */
export async function changeAsk(client: Client, params: ChangeParams): Promise<TxHash> {
  return changeOrder(client, 'change_ask', params)
}

async function placeOrder(client: Client, action: string, params: OrderParams): Promise<TxHash> {
  assertInteger(params.price, 1, 99, 'price must be between 1 and 99 cents')
  const args = [checkId(params.queryId), params.outcome, params.price, checkAmount(params.amount)]
  return sendTransaction(client, action, [args], params)
}

/** Prices of the two sides in cents, and the network's sentence for another price. */
const sides = {
  change_bid: { lowest: -99, highest: -1, rule: 'bid prices must be negative (buy orders)' },
  change_ask: { lowest: 1, highest: 99, rule: 'ask prices must be non-negative (sell orders)' },
} as const

async function changeOrder(client: Client, action: keyof typeof sides, params: ChangeParams): Promise<TxHash> {
  const { outcome, oldPrice, newPrice, newAmount } = params
  const { lowest, highest, rule } = sides[action]
  assertInteger(oldPrice, lowest, highest, rule)
  assertInteger(newPrice, lowest, highest, rule)
  const args = [checkId(params.queryId), outcome, oldPrice, newPrice, checkAmount(newAmount, 'new_amount')]
  return sendTransaction(client, action, [args], params)
}

function checkAmount(amount: number, name = 'amount'): number {
  assertAtLeast(amount, 1, `${name} must be positive`)
  return amount
}
