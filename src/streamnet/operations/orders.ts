/** Orders and positions of prediction markets. Prices are cents: bids negative, asks positive, holdings 0. */

import { invalidArgument } from '../errors.ts'
import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertInteger, firstOf, idOf, type Page, pageOf } from './parameters.ts'

/** Which side of which market; outcome true is YES. */
export interface OutcomeParams {
  readonly queryId: number
  readonly outcome: boolean
}

type OrderParams = OutcomeParams & { readonly price: number; readonly amount: number } & SendOptions
type ChangeParams = OutcomeParams & {
  readonly oldPrice: number
  readonly newPrice: number
  readonly newAmount: number
} & SendOptions

const bookShape = {
  participant_id: 'int',
  price: 'int',
  amount: 'int',
  last_updated: 'int',
  wallet_address: 'hex',
} as const
const positionShape = {
  query_id: 'int',
  outcome: 'bool',
  price: 'int',
  amount: 'int',
  position_type: 'text',
} as const
const collateralShape = {
  total_locked: 'decimal',
  buy_orders_locked: 'decimal',
  shares_value: 'decimal',
} as const

/** An order in the book. */
export type OrderBookEntry = Row<typeof bookShape>
/** A position; its type is `holding`, `buy_order` or `sell_order`. */
export type Position = Row<typeof positionShape>
/** What is locked, in wei. */
export type Collateral = Row<typeof collateralShape>

/**
 * Offers to buy shares at a price of 1 to 99 cents.
 *
 * @example
 * ```ts
 * // Ten shares of YES for 40 cents each: four dollars are locked.
 * await placeBuyOrder(client, { queryId: 1, outcome: true, price: 40, amount: 10 })
 * ```
 */
export async function placeBuyOrder(client: Client, params: OrderParams): Promise<TxHash> {
  return placeOrder(client, 'place_buy_order', params)
}

/**
 * Offers shares for sale at a price of 1 to 99 cents.
 *
 * @example
 * ```ts
 * await placeSellOrder(client, { queryId: 1, outcome: true, price: 70, amount: 5 })
 * ```
 */
export async function placeSellOrder(client: Client, params: OrderParams): Promise<TxHash> {
  return placeOrder(client, 'place_sell_order', params)
}

/**
 * Locks one unit of collateral a pair, mints YES and NO shares, keeps YES, and offers NO for sale at 100 minus
 * the price of YES.
 *
 * @example
 * ```ts
 * // Ten pairs: YES is kept, NO is offered for 40 cents.
 * await placeSplitLimitOrder(client, { queryId: 1, truePrice: 60, amount: 10 })
 * ```
 */
export async function placeSplitLimitOrder(
  client: Client,
  params: { readonly queryId: number; readonly truePrice: number; readonly amount: number } & SendOptions,
): Promise<TxHash> {
  assertInteger(params.truePrice, 1, 99, 'true_price must be between 1 and 99 cents')
  const args = [idOf(params.queryId), params.truePrice, amountOf(params.amount, 'amount')]
  return sendTransaction(client, 'place_split_limit_order', [args], params)
}

/**
 * Takes an order back; its price is negative for a buy order, positive for a sell order.
 *
 * @example
 * ```ts
 * // A buy order has a negative price.
 * await cancelOrder(client, { queryId: 1, outcome: true, price: -50 })
 * ```
 */
export async function cancelOrder(
  client: Client,
  params: OutcomeParams & { readonly price: number } & SendOptions,
): Promise<TxHash> {
  const { outcome, price } = params
  if (price === 0) throw invalidArgument('Cannot cancel holdings (price=0), use place_sell_order instead')
  assertInteger(price, -99, 99, 'price must be between -99 and 99 (excluding 0)')
  return sendTransaction(client, 'cancel_order', [[idOf(params.queryId), outcome, price]], params)
}

/**
 * Moves a buy order to another price and amount at once; prices are -99 to -1.
 *
 * @example
 * ```ts
 * await changeBid(client, { queryId: 1, outcome: true, oldPrice: -50, newPrice: -55, newAmount: 20 })
 * ```
 */
export async function changeBid(client: Client, params: ChangeParams): Promise<TxHash> {
  return changeOrder(client, 'change_bid', params, -99, -1, 'bid prices must be negative (buy orders)')
}

/**
 * Moves a sell order to another price and amount at once; prices are 1 to 99.
 *
 * @example
 * ```ts
 * await changeAsk(client, { queryId: 1, outcome: true, oldPrice: 65, newPrice: 64, newAmount: 40 })
 * ```
 */
export async function changeAsk(client: Client, params: ChangeParams): Promise<TxHash> {
  return changeOrder(client, 'change_ask', params, 1, 99, 'ask prices must be non-negative (sell orders)')
}

/**
 * Reads the orders of one outcome by price, then age; holdings are left out.
 *
 * @example
 * ```ts
 * const orders = await getOrderBook(client, { queryId: 1, outcome: true })
 * const bids = orders.filter(({ price }) => price < 0)
 * ```
 */
export async function getOrderBook(
  client: Client,
  params: OutcomeParams,
): Promise<readonly OrderBookEntry[]> {
  return readRows(
    await callAction(client, 'get_order_book', [idOf(params.queryId), params.outcome]),
    bookShape,
  )
}

/**
 * Reads the volume of one outcome at each price, `totalAmount` both sides together.
 *
 * @example
 * ```ts
 * const [cheapest] = await getMarketDepth(client, { queryId: 1, outcome: true })
 * ```
 */
export async function getMarketDepth(client: Client, params: OutcomeParams) {
  const table = await callAction(client, 'get_market_depth', [idOf(params.queryId), params.outcome])
  return readRows(table, { price: 'int', buy_volume: 'int', sell_volume: 'int' }).map((level) => ({
    ...level,
    totalAmount: level.buyVolume + level.sellVolume,
  }))
}

/**
 * Reads the volume of both outcomes at each price, all of one moment.
 *
 * @example
 * ```ts
 * const levels = await getFullMarketDepth(client, { queryId: 1 })
 * ```
 */
export async function getFullMarketDepth(client: Client, params: { readonly queryId: number }) {
  const table = await callAction(client, 'get_full_market_depth', [idOf(params.queryId)])
  const shape = { outcome: 'bool', price: 'int', buy_volume: 'int', sell_volume: 'int' } as const
  return readRows(table, shape).map((level) => ({
    ...level,
    totalAmount: level.buyVolume + level.sellVolume,
  }))
}

const eventShape = {
  id: 'int',
  query_id: 'int',
  event_type: 'text',
  outcome: 'bool',
  price: 'int',
  amount: 'int',
  wallet_address: 'text',
  counterparty_address: 'text?',
  block_height: 'int',
  block_timestamp: 'int',
} as const

/** Something that happened to an order of a wallet: placed, filled, cancelled, settled. */
export type OrderEvent = Row<typeof eventShape>

/**
 * Lists what happened to the orders of a wallet, oldest first, in one market or in all.
 *
 * @example
 * ```ts
 * const events = await getOrderEventsByWallet(client, { wallet: provider, queryId: 1, limit: 20 })
 * ```
 */
export async function getOrderEventsByWallet(
  client: Client,
  params: { readonly wallet: string; readonly queryId?: number | undefined } & Page,
): Promise<readonly OrderEvent[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  const market = params.queryId === undefined ? null : idOf(params.queryId)
  const args = [wallet, market, ...pageOf(params, 100, 1000)]
  return readRows(await callAction(client, 'get_order_events_by_wallet', args), eventShape)
}

/**
 * Reads the best bid and ask of one outcome; null where there is no order.
 *
 * @example
 * ```ts
 * const { bestBid, bestAsk } = await getBestPrices(client, { queryId: 1, outcome: true })
 * ```
 */
export async function getBestPrices(client: Client, params: OutcomeParams) {
  const table = await callAction(client, 'get_best_prices', [idOf(params.queryId), params.outcome])
  const rows = readRows(table, { best_bid: 'int?', best_ask: 'int?', spread: 'int?' })
  return rows[0] ?? { bestBid: null, bestAsk: null, spread: null }
}

/**
 * Reads the caller's positions in all markets.
 *
 * @example
 * ```ts
 * const held = (await getUserPositions(client)).filter(({ positionType }) => positionType === 'holding')
 * ```
 */
export async function getUserPositions(client: Client): Promise<readonly Position[]> {
  return readRows(await callAction(client, 'get_user_positions', []), positionShape)
}

/**
 * Reads the positions of any wallet.
 *
 * @example
 * ```ts
 * const positions = await getPositionsByWallet(client, { wallet: provider })
 * ```
 */
export async function getPositionsByWallet(
  client: Client,
  params: { readonly wallet: string },
): Promise<readonly Position[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  return readRows(await callAction(client, 'get_positions_by_wallet', [wallet]), positionShape)
}

/**
 * Reads what the caller has locked; name the bridge, because its default differs from network to network.
 *
 * @example
 * ```ts
 * const { totalLocked } = await getUserCollateral(client, { bridge: 'hoodi_tt2' })
 * ```
 */
export async function getUserCollateral(
  client: Client,
  params: { readonly bridge?: string | undefined } = {},
): Promise<Collateral> {
  const rows = readRows(
    await callAction(client, 'get_user_collateral', params.bridge ? [params.bridge] : []),
    collateralShape,
  )
  return firstOf(rows, 'Collateral not found')
}

/**
 * Reads what any wallet has locked.
 *
 * @example
 * ```ts
 * const { totalLocked } = await getCollateralByWallet(client, { wallet: provider, bridge: 'hoodi_tt2' })
 * ```
 */
export async function getCollateralByWallet(
  client: Client,
  params: { readonly wallet: string; readonly bridge: string },
): Promise<Collateral> {
  const args = [parseAddress(params.wallet, 'wallet'), params.bridge]
  return firstOf(
    readRows(await callAction(client, 'get_collateral_by_wallet', args), collateralShape),
    'Collateral not found',
  )
}

async function placeOrder(client: Client, action: string, params: OrderParams): Promise<TxHash> {
  assertInteger(params.price, 1, 99, 'price must be between 1 and 99 cents')
  const args = [idOf(params.queryId), params.outcome, params.price, amountOf(params.amount, 'amount')]
  return sendTransaction(client, action, [args], params)
}

async function changeOrder(
  client: Client,
  action: string,
  params: ChangeParams,
  min: number,
  max: number,
  rule: string,
): Promise<TxHash> {
  const { outcome, oldPrice, newPrice, newAmount } = params
  assertInteger(oldPrice, min, max, rule)
  assertInteger(newPrice, min, max, rule)
  const args = [idOf(params.queryId), outcome, oldPrice, newPrice, amountOf(newAmount, 'new_amount')]
  return sendTransaction(client, action, [args], params)
}

function amountOf(amount: number, name: string): number {
  assertInteger(amount, 1, Number.MAX_SAFE_INTEGER, `${name} must be positive`)
  return amount
}
