/** The catalogue's entries about orders and positions of prediction markets. */

import { execute, list, nullable, oneOf, optional, page, record, required, shared, table, view } from './entry.ts'

const price = required('price', 'integer', 'In cents.', { min: 1, max: 99 })
const amount = required('amount', 'integer', 'Shares.', { min: 1 })
const side = [shared.queryId, shared.outcome]
const change = (min: number, max: number) => [
  ...side,
  required('old_price', 'integer', 'In cents.', { min, max }),
  required('new_price', 'integer', 'In cents.', { min, max }),
  required('new_amount', 'integer', 'Shares.', { min: 1 }),
]
const position = record({
  query_id: 'integer',
  outcome: 'boolean',
  price: 'integer',
  amount: 'integer',
  position_type: oneOf('holding', 'buy_order', 'sell_order'),
})
const collateral = record({ total_locked: 'wei', buy_orders_locked: 'wei', shares_value: 'wei' })

const levels = table({ price: 'integer', total: 'integer', native: 'integer', inverse: 'integer' })

const basis = oneOf('interior', 'tail', 'unresolved')
const forecast = record({
  value: 'number',
  p10: nullable('number'),
  p90: nullable('number'),
  margin_of_error: 'number',
  sigma: 'number',
  value_basis: basis,
  p10_basis: basis,
  p90_basis: basis,
  method: oneOf('rank', 'discrete'),
  buckets: table({
    query_id: 'integer',
    lower: nullable('number'),
    upper: nullable('number'),
    probability: 'number',
    raw_probability: 'number',
    confidence: 'number',
    one_sided: 'boolean',
    quoted: 'boolean',
  }),
  warnings: list('string'),
  multimodal: 'boolean',
  n_peaks: 'integer',
  low: 'number',
  high: 'number',
})

/** Orders and positions. */
export const orders = [
  execute('place_buy_order', [...side, price, amount], 'Offers to buy shares.'),
  execute('place_sell_order', [...side, price, amount], 'Offers shares for sale.'),
  execute(
    'place_split_limit_order',
    [shared.queryId, required('true_price', 'integer', 'Price of YES in cents.', { min: 1, max: 99 }), amount],
    'Mints pairs, keeps YES, and offers NO for sale at 100 minus the price.',
  ),
  execute(
    'cancel_order',
    [
      ...side,
      required('price', 'integer', 'In cents; negative for a buy order, positive for a sell order.', {
        min: -99,
        max: 99,
      }),
    ],
    'Takes an order back.',
  ),
  execute('change_bid', change(-99, -1), 'Moves a buy order at once; prices are negative.'),
  execute('change_ask', change(1, 99), 'Moves a sell order at once.'),
  view(
    'get_order_book',
    side,
    table({
      participant_id: 'integer',
      price: 'integer',
      amount: 'integer',
      last_updated: 'integer',
      wallet_address: 'bytes',
    }),
    'Reads the orders of one outcome.',
  ),
  view('get_user_positions', [], list(position), "Reads the caller's positions."),
  view('get_positions_by_wallet', [shared.wallet], list(position), 'Reads the positions of any wallet.'),
  view(
    'get_market_depth',
    side,
    table({ price: 'integer', buy_volume: 'integer', sell_volume: 'integer', total_amount: 'integer' }),
    'Reads the volume of one outcome at each price.',
  ),
  view(
    'get_full_market_depth',
    [shared.queryId],
    table({
      outcome: 'boolean',
      price: 'integer',
      buy_volume: 'integer',
      sell_volume: 'integer',
      total_amount: 'integer',
    }),
    'Reads the volume of both outcomes at each price, all of one moment.',
  ),
  view(
    'get_consolidated_order_book',
    [shared.queryId, optional('outcome', 'boolean', 'True for YES, false for NO.', { default: true })],
    record({ query_id: 'integer', outcome: 'boolean', bids: levels, asks: levels, is_crossed: 'boolean' }),
    'Reads the book of one outcome with the orders of the other at what is left of the dollar.',
    { action: 'get_full_market_depth' },
  ),
  view(
    'get_market_forecast',
    [required('query_ids', list('integer'), 'The markets that are the buckets of one event, 2 to 100.')],
    nullable(forecast),
    'Reads the value that the order books of the buckets of a market imply; null without orders that count.',
    { action: 'get_full_market_depth' },
  ),
  view(
    'get_order_events_by_wallet',
    [shared.wallet, optional('query_id', 'integer', 'Only of this market.', { min: 1 }), ...page(100, 1000)],
    table({
      id: 'integer',
      query_id: 'integer',
      event_type: 'string',
      outcome: 'boolean',
      price: 'integer',
      amount: 'integer',
      wallet_address: 'address',
      counterparty_address: nullable('address'),
      block_height: 'integer',
      block_timestamp: 'integer',
    }),
    'Lists what happened to the orders of a wallet, oldest first.',
  ),
  view(
    'get_best_prices',
    side,
    record({ best_bid: nullable('integer'), best_ask: nullable('integer'), spread: nullable('integer') }),
    'Reads the best bid and ask of one outcome.',
  ),
  view(
    'get_user_collateral',
    [
      optional(
        'bridge',
        'string',
        "The collateral's bridge, such as eth_stable; the network's own default when left out.",
      ),
    ],
    collateral,
    'Reads what the caller has locked.',
  ),
  view(
    'get_collateral_by_wallet',
    [shared.wallet, required('bridge', 'string', "The collateral's bridge, such as eth_stable.")],
    collateral,
    'Reads what any wallet has locked.',
  ),
]
