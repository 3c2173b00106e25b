/** Actions that create markets and read what they ask. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  change,
  columns,
  listing,
  row,
  view,
} from '../actions/action.ts'
import { takePage } from '../actions/checks.ts'
import { chargeFee, recordPayment } from '../actions/fees.ts'
import { actionError, requireColumn } from '../errors.ts'
import { parseMarketBridge, requireMarketBridge, tokenOf } from '../markets/bridges.ts'
import { marketHash } from '../markets/components.ts'
import { requireMarket } from '../markets/order-checks.ts'
import { chargeRows } from '../queries/reader.ts'
import { addMarket, findMarketByHash, listMarkets, type Market } from '../state/markets.ts'

const creationFee = 2n * 10n ** 18n
const maxListed = 100n

const terms = {
  settle_time: ['INT8', (one: Market) => one.settleTime],
  settled: ['BOOLEAN', (one: Market) => one.settlement !== undefined],
  winning_outcome: ['BOOLEAN', (one: Market) => one.settlement?.winningOutcome],
} as const
const limits = {
  max_spread: ['INT', (one: Market) => one.maxSpread],
  min_order_size: ['INT8', (one: Market) => one.minOrderSize],
  created_at: ['INT8', (one: Market) => one.createdAt],
} as const
const id = ['INT', (one: Market) => one.id] as const
const hash = ['BYTEA', (one: Market) => decodeHex(one.hash)] as const
const whole = {
  ...terms,
  settled_at: ['INT8', (one: Market) => one.settlement?.at],
  ...limits,
  creator: ['BYTEA', (one: Market) => decodeHex(one.creator.slice(2))],
} as const
const described = columns<Market>({
  hash,
  query_components: ['BYTEA', (one) => one.components],
  bridge: ['TEXT', (one) => one.bridge],
  ...whole,
})
const found = columns<Market>({ id, ...whole })
const listed = columns<Market>({ id, hash, ...terms, ...limits })

const marketParameters = {
  bridge: 'TEXT',
  query_components: 'BYTEA',
  settle_time: 'INT8',
  max_spread: 'INT',
  min_order_size: 'INT8',
} as const

type MarketArguments = ArgumentsOf<typeof marketParameters>

/** The network's actions on markets as such. */
export const marketActions: readonly Action[] = [
  change('create_market', marketParameters, createMarket, row({ query_id: 'INT' })),
  view('get_market_info', { query_id: 'INT' }, row(described.types), ({ store }, { query_id }) => {
    if (query_id === null) throw actionError('query_id is required')
    return [described.cells(requireMarket(store, query_id, `Market not found: ${query_id}`))]
  }),
  view('get_market_by_hash', { query_hash: 'BYTEA' }, row(found.types), ({ store }, { query_hash }) => {
    if (query_hash === null) throw actionError('query_hash is required')
    const market = findMarketByHash(store, encodeHex(query_hash))
    if (market === undefined) throw actionError('Market not found for given hash')
    return [found.cells(market)]
  }),
  listing(
    'list_markets',
    { settled_filter: 'BOOLEAN', limit_val: 'INT', offset_val: 'INT' },
    listed,
    ({ store, budget }, { settled_filter, limit_val, offset_val }) => {
      const isLimit = limit_val !== null && limit_val > 0n && limit_val <= maxListed
      const isMeant = (market: Market) => [null, market.settlement !== undefined].includes(settled_filter)
      const page = { isMeant, limit: isLimit ? limit_val : maxListed, offset: offset_val ?? 0n }
      return takePage(chargeRows(budget, listMarkets(store)), page)
    },
  ),
  view('market_exists', { query_hash: 'BYTEA' }, row({ market_exists: 'BOOLEAN' }), ({ store }, { query_hash }) => [
    [query_hash !== null && findMarketByHash(store, encodeHex(query_hash)) !== undefined],
  ]),
  view(
    'get_bridge_units_per_dollar',
    { bridge: 'TEXT' },
    row({ units_per_dollar: 'NUMERIC(78,0)' }),
    (_, { bridge }) => [[tokenOf(requireMarketBridge(bridge)).unitsPerDollar]],
  ),
]

function createMarket(context: ActionContext, args: MarketArguments): void {
  const bridge = parseMarketBridge(args.bridge)
  const hash = encodeHex(marketHash(args.query_components))
  const existing = findMarketByHash(context.store, hash)
  if (existing !== undefined) {
    throw actionError(`Market already exists with this query hash (query_id: ${existing.id})`)
  }
  assertTerms(context, args)
  const payment = chargeFee(
    context,
    creationFee,
    'Insufficient TRUF balance for market creation fee. Required: 2 TRUF (hoodi_tt balance)',
  )
  addMarket(context.store, {
    hash,
    components: args.query_components ?? new Uint8Array(),
    bridge,
    settleTime: requireColumn(args.settle_time, 'settle_time', 'ob_queries'),
    maxSpread: requireColumn(args.max_spread, 'max_spread', 'ob_queries'),
    minOrderSize: requireColumn(args.min_order_size, 'min_order_size', 'ob_queries'),
    createdAt: context.height,
    creator: context.caller.toLowerCase(),
  })
  recordPayment(context, 'createMarket', payment)
}

/** Checks the terms of a new market. A comparison with null is not true, so null passes here and fails at the table. */
function assertTerms({ blockTime }: ActionContext, { settle_time, max_spread, min_order_size }: MarketArguments): void {
  if (settle_time !== null && settle_time <= BigInt(blockTime)) {
    throw actionError('Settlement time must be in the future')
  }
  if (max_spread !== null && (max_spread < 1n || max_spread > 50n)) {
    throw actionError('Max spread must be between 1 and 50 (price-points)')
  }
  if (min_order_size !== null && min_order_size < 1n) {
    throw actionError('Minimum order size must be positive')
  }
}
