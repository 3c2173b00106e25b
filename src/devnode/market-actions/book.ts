/** Actions that read books, positions and collateral. */

import { type Action, type ActionContext, columns, listing, optional, row, table, view } from '../actions/action.ts'
import { parseWallet } from '../actions/checks.ts'
import type { Value } from '../actions/types.ts'
import { actionError } from '../errors.ts'
import { type MarketBridge, requireMarketBridge, tokenOf } from '../markets/bridges.ts'
import { checkCollateral } from '../markets/collateral.ts'
import { requireMarket } from '../markets/order-checks.ts'
import { bestOrder, type Level, listLevels, listOrders } from '../state/market-book.ts'
import { toId } from '../state/market-keys.ts'
import { findParticipant, readWallet } from '../state/market-participants.ts'
import type { Position } from '../state/market-places.ts'
import { listHeldMarkets, listWalletPositions } from '../state/market-positions.ts'
import { findMarket, type Market } from '../state/markets.ts'

const positionColumns = table({ query_id: 'INT', outcome: 'BOOL', price: 'INT', amount: 'INT8', position_type: 'TEXT' })
const collateralColumns = row({
  total_locked: 'NUMERIC(78,0)',
  buy_orders_locked: 'NUMERIC(78,0)',
  shares_value: 'NUMERIC(78,0)',
})

const bookOrders = columns<Position & { readonly wallet: string }>({
  participant_id: ['INT', (one) => one.participant],
  price: ['INT', (one) => one.price],
  amount: ['INT8', (one) => one.amount],
  last_updated: ['INT8', (one) => one.since],
  wallet_address: ['TEXT', (one) => one.wallet],
})

/** The network's actions that read books and positions. */
export const marketBookActions: readonly Action[] = [
  listing('get_order_book', { query_id: 'INT', outcome: 'BOOL' }, bookOrders, (context, { query_id, outcome }) => {
    const market = findGivenMarket(context, query_id)
    if (outcome === null) throw actionError('outcome is required (TRUE for YES, FALSE for NO)')
    if (market === undefined) return []
    const { store, budget } = context
    const orders = (['bid', 'ask'] as const).flatMap((side) => [...listOrders(store, { market, outcome, side })])
    budget.spend(orders.length)
    return orders.sort(compareOrders).map((order) => ({ ...order, wallet: readWallet(store, order.participant) }))
  }),
  view(
    'get_market_depth',
    { query_id: 'INT', outcome: 'BOOL' },
    table({ price: 'INT', buy_volume: 'INT8', sell_volume: 'INT8' }),
    (context, { query_id, outcome }) => {
      const market = findGivenMarket(context, query_id)
      if (outcome === null) throw actionError('outcome is required')
      return market === undefined ? [] : readDepth(context, market, outcome)
    },
  ),
  view(
    'get_full_market_depth',
    { query_id: 'INT' },
    table({ outcome: 'BOOL', price: 'INT', buy_volume: 'INT8', sell_volume: 'INT8' }),
    (context, { query_id }) => {
      const market = findGivenMarket(context, query_id)
      if (market === undefined) return []
      return [true, false].flatMap((outcome) => readDepth(context, market, outcome).map((level) => [outcome, ...level]))
    },
  ),
  view(
    'get_best_prices',
    { query_id: 'INT', outcome: 'BOOL' },
    row({ best_bid: 'INT', best_ask: 'INT', spread: 'INT' }),
    (context, { query_id, outcome }) => {
      const market = findGivenMarket(context, query_id)
      if (outcome === null) throw actionError('outcome is required')
      const bid = market && bestOrder(context.store, { market, outcome, side: 'bid' })
      const ask = market && bestOrder(context.store, { market, outcome, side: 'ask' })
      const [low, high] = [bid && BigInt(-bid.price), ask && BigInt(ask.price)]
      return [[low ?? null, high ?? null, low === undefined || high === undefined ? null : high - low]]
    },
  ),
  view('get_user_positions', {}, positionColumns, (context) => positionRows(context, context.caller.toLowerCase())),
  view('get_positions_by_wallet', { wallet_address: 'TEXT' }, positionColumns, (context, { wallet_address }) =>
    positionRows(context, parseWallet('wallet_address', wallet_address)),
  ),
  view(
    'get_user_collateral',
    { bridge: optional('TEXT', 'ethereum_bridge') },
    collateralColumns,
    (context, { bridge }) => collateralRow(context, context.caller.toLowerCase(), requireMarketBridge(bridge)),
  ),
  view(
    'get_collateral_by_wallet',
    { wallet_address: 'TEXT', bridge: 'TEXT' },
    collateralColumns,
    (context, { wallet_address, bridge }) => {
      const collateral = requireMarketBridge(bridge)
      return collateralRow(context, parseWallet('wallet_address', wallet_address), collateral)
    },
  ),
  view(
    'validate_market_collateral',
    { query_id: 'INT' },
    row({
      valid_token_binaries: 'BOOL',
      valid_collateral: 'BOOL',
      total_true: 'BIGINT',
      total_false: 'BIGINT',
      vault_balance: 'NUMERIC(78,0)',
      expected_collateral: 'NUMERIC(78,0)',
      open_buys_value: 'BIGINT',
    }),
    ({ store }, { query_id }) => {
      const market = requireMarket(store, query_id, `Market not found for query_id: ${query_id}`)
      const { hasParity, isBacked, totals, vault, expected } = checkCollateral(store, market)
      const { trueShares, falseShares, openBuys } = totals
      return [[hasParity, isBacked, trueShares, falseShares, vault, expected, openBuys]]
    },
  ),
]

function findGivenMarket({ store }: ActionContext, queryId: bigint | null): Market | undefined {
  if (queryId === null) throw actionError('query_id is required')
  return findMarket(store, toId(queryId))
}

/** By the price on both sides, then by time. */
function compareOrders(left: Position, right: Position): number {
  return Math.abs(left.price) - Math.abs(right.price) || left.since - right.since || left.rank - right.rank
}

function readDepth({ store, budget }: ActionContext, market: Market, outcome: boolean): Value[][] {
  const levels = new Map<number, readonly [buy: bigint, sell: bigint]>()
  const add = ({ price, volume }: Level) => {
    const [buy, sell] = levels.get(Math.abs(price)) ?? [0n, 0n]
    levels.set(Math.abs(price), price < 0 ? [buy + volume, sell] : [buy, sell + volume])
  }
  for (const level of listLevels(store, { market, outcome, side: 'bid' })) add(level)
  for (const level of listLevels(store, { market, outcome, side: 'ask' })) add(level)
  budget.spend(levels.size)
  return [...levels].sort(([left], [right]) => left - right).map(([price, [buy, sell]]) => [BigInt(price), buy, sell])
}

function* listPositions({ store, budget }: ActionContext, wallet: string): Generator<[Market, Position]> {
  const participant = findParticipant(store, wallet)
  if (participant === undefined) return
  for (const id of listHeldMarkets(store, participant)) {
    const market = findMarket(store, id)
    const positions = market === undefined ? [] : [...listWalletPositions(store, market, participant)]
    budget.spend(1 + positions.length)
    // By outcome upwards, by price downwards.
    positions.sort((left, right) => Number(left.outcome) - Number(right.outcome) || right.price - left.price)
    for (const position of positions) if (market !== undefined) yield [market, position]
  }
}

function positionRows(context: ActionContext, wallet: string): Value[][] {
  return Array.from(listPositions(context, wallet), ([market, { outcome, price, amount }]) => {
    const type = price === 0 ? 'holding' : price < 0 ? 'buy_order' : 'sell_order'
    return [BigInt(market.id), outcome, BigInt(price), amount, type]
  })
}

function collateralRow(context: ActionContext, wallet: string, bridge: MarketBridge): Value[][] {
  let [cents, shares] = [0n, 0n]
  for (const [market, { price, amount }] of listPositions(context, wallet)) {
    if (market.bridge !== bridge) continue
    if (price < 0) cents += amount * BigInt(-price)
    else shares += amount
  }
  const { unitsPerDollar } = tokenOf(bridge)
  const [locked, held] = [(cents * unitsPerDollar) / 100n, shares * unitsPerDollar]
  return [[locked + held, locked, held]]
}
