/** The catalogue's entries about prediction markets. */

import {
  execute,
  list,
  local,
  nullable,
  oneOf,
  optional,
  page,
  record,
  required,
  shared,
  view,
} from './entry.ts'

const terms = [
  required('bridge', 'string', 'The collateral: eth_stable, eth_main or testnet_b.'),
  required('settle_time', 'integer', 'Unix time in seconds.', { min: 1 }),
  required('max_spread', 'integer', 'In cents.', { min: 1, max: 50 }),
  required('min_order_size', 'integer', 'In shares.', { min: 1 }),
]
const question = [
  required('data_provider', 'address', "The stream's owner, with 0x."),
  shared.streamId,
  required('timestamp', 'integer', 'Unix time in seconds at which the value counts.'),
]
const ends = [...terms, shared.frozenAt]
const bound = (name: string, about: string) => required(name, 'decimal', about)
const components = required('query_components', 'bytes', "The market's encoded question.")
const hash = required('hash', 'bytes', "The market's hash, 32 bytes.")
const create = 'create_market'

const market = {
  settle_time: 'integer',
  settled: 'boolean',
  winning_outcome: nullable('boolean'),
  max_spread: 'integer',
  min_order_size: 'integer',
  created_at: 'integer',
} as const

/** Markets. */
export const markets = [
  execute(
    'create_price_above_threshold_market',
    'createPriceAboveThresholdMarket',
    create,
    [...question, bound('threshold', 'The bound.'), ...ends],
    'Creates a market that resolves true when the value exceeds the threshold.',
  ),
  execute(
    'create_price_below_threshold_market',
    'createPriceBelowThresholdMarket',
    create,
    [...question, bound('threshold', 'The bound.'), ...ends],
    'Creates a market that resolves true when the value is below the threshold.',
  ),
  execute(
    'create_value_in_range_market',
    'createValueInRangeMarket',
    create,
    [
      ...question,
      bound('min_value', 'The lower bound, inclusive.'),
      bound('max_value', 'The upper bound, inclusive.'),
      ...ends,
    ],
    'Creates a market that resolves true when the value lies in the range.',
  ),
  execute(
    'create_value_equals_market',
    'createValueEqualsMarket',
    create,
    [...question, bound('target', 'The value.'), bound('tolerance', 'The distance allowed.'), ...ends],
    'Creates a market that resolves true when the value is the target.',
  ),
  execute(
    'create_market',
    'createMarket',
    create,
    [components, ...terms],
    'Creates a market from encoded query components.',
  ),
  view(
    'get_market_info',
    'getMarketInfo',
    'get_market_info',
    [shared.queryId],
    record({
      id: 'integer',
      hash: 'bytes',
      query_components: 'bytes',
      bridge: nullable('string'),
      ...market,
      settled_at: nullable('integer'),
      creator: 'bytes',
    }),
    'Reads a market.',
  ),
  view(
    'get_market_by_hash',
    'getMarketByHash',
    'get_market_by_hash',
    [hash],
    record({ id: 'integer', ...market, settled_at: nullable('integer'), creator: 'bytes' }),
    'Finds a market by the hash of its query components.',
  ),
  view(
    'market_exists',
    'marketExists',
    'market_exists',
    [hash],
    'boolean',
    'Tells whether there is a market of this hash.',
  ),
  view(
    'list_markets',
    'listMarkets',
    'list_markets',
    [
      optional(
        'settled_filter',
        { anyOf: ['boolean', oneOf('all', 'active', 'settled')] },
        'active, settled or all; true for settled and false for active, as the node has it.',
      ),
      optional('documented_filter', 'boolean', 'Read a boolean filter the other way round.', {
        default: false,
      }),
      ...page(100, 100),
    ],
    list(record({ id: 'integer', hash: 'bytes', ...market })),
    'Lists markets, newest first.',
  ),
  local(
    'decode_market_data',
    'decodeMarketData',
    [components],
    record({
      data_provider: 'address',
      stream_id: 'string',
      action_id: 'string',
      type: oneOf('above', 'below', 'between', 'equals', 'unknown'),
      thresholds: list('decimal'),
    }),
    "Decodes a market's question.",
  ),
  local(
    'decode_query_components',
    'decodeQueryComponents',
    [components],
    record({ data_provider: 'address', stream_id: 'string', action_id: 'string', args: 'string' }),
    'Decodes the basic parts of query components.',
  ),
  local(
    'encode_query_components',
    'encodeQueryComponents',
    [
      required('data_provider', 'address', "The stream's owner, with 0x."),
      required('stream_id', 'string', 'The stream, 32 characters.'),
      required('action_id', 'string', "The action's name."),
      required('args', 'bytes', 'Its canonical arguments.'),
    ],
    'bytes',
    'Encodes query components from their parts.',
  ),
  local(
    'encode_action_args',
    'encodeActionArgs',
    [required('args', list('argument'), 'The arguments.')],
    'bytes',
    'Encodes arguments canonically.',
  ),
  local(
    'hash_query_components',
    'hashQueryComponents',
    [components],
    'bytes',
    'The hash that identifies a market.',
  ),
  execute(
    'settle_market',
    'settleMarket',
    'settle_market',
    [shared.queryId],
    'Settles a market whose time has come.',
  ),
  view(
    'validate_market_collateral',
    'validateMarketCollateral',
    'validate_market_collateral',
    [shared.queryId],
    record({
      valid_token_binaries: 'boolean',
      valid_collateral: 'boolean',
      total_true: 'integer',
      total_false: 'integer',
      vault_balance: 'wei',
      expected_collateral: 'wei',
      open_buys_value: 'integer',
    }),
    "Checks that a market's shares and its vault agree.",
  ),
  view(
    'get_distribution_summary',
    'getDistributionSummary',
    'get_distribution_summary',
    [shared.queryId],
    nullable(
      record({
        distribution_id: 'integer',
        total_lp_fees_distributed: 'wei',
        total_dp_fees: 'wei',
        total_validator_fees: 'wei',
        total_lp_count: 'integer',
        block_count: 'integer',
        distributed_at: 'integer',
      }),
    ),
    "Reads how a settled market's fees were shared.",
  ),
  view(
    'get_distribution_details',
    'getDistributionDetails',
    'get_distribution_details',
    [required('distribution_id', 'integer', 'The distribution.', { min: 1 })],
    list(
      record({
        participant_id: 'integer',
        wallet_address: 'string',
        reward_amount: 'wei',
        total_reward_percent: 'decimal',
      }),
    ),
    'Reads who got how much of a distribution.',
  ),
  view(
    'get_participant_reward_history',
    'getParticipantRewardHistory',
    'get_participant_reward_history',
    [shared.wallet],
    list(
      record({
        distribution_id: 'integer',
        query_id: 'integer',
        reward_amount: 'wei',
        total_reward_percent: 'decimal',
        distributed_at: 'integer',
      }),
    ),
    'Reads what a wallet got of all distributions.',
  ),
]

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

/** Orders and positions. */
export const orders = [
  execute(
    'place_buy_order',
    'placeBuyOrder',
    'place_buy_order',
    [...side, price, amount],
    'Offers to buy shares.',
  ),
  execute(
    'place_sell_order',
    'placeSellOrder',
    'place_sell_order',
    [...side, price, amount],
    'Offers shares for sale.',
  ),
  execute(
    'place_split_limit_order',
    'placeSplitLimitOrder',
    'place_split_limit_order',
    [
      shared.queryId,
      required('true_price', 'integer', 'Price of YES in cents.', { min: 1, max: 99 }),
      amount,
    ],
    'Mints pairs, keeps YES, and offers NO for sale at 100 minus the price.',
  ),
  execute(
    'cancel_order',
    'cancelOrder',
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
  execute(
    'change_bid',
    'changeBid',
    'change_bid',
    change(-99, -1),
    'Moves a buy order at once; prices are negative.',
  ),
  execute('change_ask', 'changeAsk', 'change_ask', change(1, 99), 'Moves a sell order at once.'),
  view(
    'get_order_book',
    'getOrderBook',
    'get_order_book',
    side,
    list(
      record({
        participant_id: 'integer',
        price: 'integer',
        amount: 'integer',
        last_updated: 'integer',
        wallet_address: 'bytes',
      }),
    ),
    'Reads the orders of one outcome.',
  ),
  view(
    'get_user_positions',
    'getUserPositions',
    'get_user_positions',
    [],
    list(position),
    "Reads the caller's positions.",
  ),
  view(
    'get_positions_by_wallet',
    'getPositionsByWallet',
    'get_positions_by_wallet',
    [shared.wallet],
    list(position),
    'Reads the positions of any wallet.',
  ),
  view(
    'get_market_depth',
    'getMarketDepth',
    'get_market_depth',
    side,
    list(
      record({ price: 'integer', buy_volume: 'integer', sell_volume: 'integer', total_amount: 'integer' }),
    ),
    'Reads the volume of one outcome at each price.',
  ),
  view(
    'get_full_market_depth',
    'getFullMarketDepth',
    'get_full_market_depth',
    [shared.queryId],
    list(
      record({
        outcome: 'boolean',
        price: 'integer',
        buy_volume: 'integer',
        sell_volume: 'integer',
        total_amount: 'integer',
      }),
    ),
    'Reads the volume of both outcomes at each price, all of one moment.',
  ),
  view(
    'get_order_events_by_wallet',
    'getOrderEventsByWallet',
    'get_order_events_by_wallet',
    [shared.wallet, optional('query_id', 'integer', 'Only of this market.', { min: 1 }), ...page(100, 1000)],
    list(
      record({
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
    ),
    'Lists what happened to the orders of a wallet, oldest first.',
  ),
  view(
    'get_best_prices',
    'getBestPrices',
    'get_best_prices',
    side,
    record({ best_bid: nullable('integer'), best_ask: nullable('integer'), spread: nullable('integer') }),
    'Reads the best bid and ask of one outcome.',
  ),
  view(
    'get_user_collateral',
    'getUserCollateral',
    'get_user_collateral',
    [optional('bridge', 'string', "The collateral's bridge; the network's own default when left out.")],
    collateral,
    'Reads what the caller has locked.',
  ),
  view(
    'get_collateral_by_wallet',
    'getCollateralByWallet',
    'get_collateral_by_wallet',
    [shared.wallet, required('bridge', 'string', "The collateral's bridge.")],
    collateral,
    'Reads what any wallet has locked.',
  ),
]
