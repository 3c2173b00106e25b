/** Reading the order book of a market: orders, volume at each price, best prices. */

import { type ConsolidatedBook, consolidateBook } from '../consolidated-book.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { checkId } from './parameters.ts'

/** A side of a market; outcome true is YES. */
export interface OutcomeParams {
  readonly queryId: number
  readonly outcome: boolean
}

const bookShape = {
  participant_id: 'int',
  price: 'int',
  amount: 'int',
  last_updated: 'int',
  wallet_address: 'hex',
} as const

/** An order in the book. */
export type OrderBookEntry = Row<typeof bookShape>

/**
 * Reads the orders of one outcome by price, then age; holdings are left out.
 *
 * @param params - `queryId` is the market's id, from 1; `outcome` is true for YES.
 * @returns prices in cents, negative for bids; amounts in shares.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const orders = await getOrderBook(client, { queryId: 1, outcome: true })
 * const bids = orders.filter(({ price }) => price < 0)
 */
export async function getOrderBook(client: Client, params: OutcomeParams): Promise<readonly OrderBookEntry[]> {
  return readRows(await callAction(client, 'get_order_book', [checkId(params.queryId), params.outcome]), bookShape)
}

/**
 * Reads the volume of one outcome at each price, `totalAmount` both sides together.
 *
 * @param params - `queryId` is the market's id, from 1; `outcome` is true for YES.
 * @returns prices in cents, volumes in shares.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const [cheapest] = await getMarketDepth(client, { queryId: 1, outcome: true })
 */
export async function getMarketDepth(client: Client, params: OutcomeParams) {
  const table = await callAction(client, 'get_market_depth', [checkId(params.queryId), params.outcome])
  return readRows(table, { price: 'int', buy_volume: 'int', sell_volume: 'int' }).map((level) => ({
    ...level,
    totalAmount: level.buyVolume + level.sellVolume,
  }))
}

/**
 * Reads the volume of both outcomes at each price, all of one moment.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @returns prices in cents, volumes in shares.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const levels = await getFullMarketDepth(client, { queryId: 1 })
 */
export async function getFullMarketDepth(client: Client, params: { readonly queryId: number }) {
  const table = await callAction(client, 'get_full_market_depth', [checkId(params.queryId)])
  const shape = { outcome: 'bool', price: 'int', buy_volume: 'int', sell_volume: 'int' } as const
  return readRows(table, shape).map((level) => ({ ...level, totalAmount: level.buyVolume + level.sellVolume }))
}

/**
 * Reads one book of an outcome that has the orders of both: an order of the other outcome is filled at what is left of
 * the dollar. Both sides are of one moment.
 *
 * @param params - `outcome` is true for YES, which it is when left out.
 * @returns prices in cents, sizes in shares: all, the outcome's own, and those of the other one.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const { bids, asks, isCrossed } = await getConsolidatedOrderBook(client, { queryId: 1 })
 */
export async function getConsolidatedOrderBook(
  client: Client,
  params: { readonly queryId: number; readonly outcome?: boolean | undefined },
): Promise<ConsolidatedBook & OutcomeParams> {
  const { queryId, outcome = true } = params
  return { queryId, outcome, ...consolidateBook(await getFullMarketDepth(client, { queryId }), outcome) }
}

/**
 * Reads the best bid and ask of one outcome; null where there is no order.
 *
 * @param params - `queryId` is the market's id, from 1; `outcome` is true for YES.
 * @returns prices and spread in cents.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const { bestBid, bestAsk } = await getBestPrices(client, { queryId: 1, outcome: true })
 */
export async function getBestPrices(client: Client, params: OutcomeParams) {
  const table = await callAction(client, 'get_best_prices', [checkId(params.queryId), params.outcome])
  const rows = readRows(table, { best_bid: 'int?', best_ask: 'int?', spread: 'int?' })
  return rows[0] ?? { bestBid: null, bestAsk: null, spread: null }
}
