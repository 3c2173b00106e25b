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
  table,
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
const create = { action: 'create_market' }

const market = {
  settle_time: 'integer',
  settled: 'boolean',
  winning_outcome: nullable('boolean'),
  max_spread: 'integer',
  min_order_size: 'integer',
  created_at: 'integer',
} as const

/** The question of a market. */
export const marketQuestion = record({
  data_provider: 'address',
  stream_id: 'string',
  action_id: 'string',
  type: oneOf('above', 'below', 'between', 'equals', 'unknown'),
  thresholds: list('decimal'),
})

/** Markets. */
export const markets = [
  execute(
    'create_price_above_threshold_market',
    [...question, bound('threshold', 'The bound.'), ...ends],
    'Creates a market that resolves true when the value exceeds the threshold.',
    create,
  ),
  execute(
    'create_price_below_threshold_market',
    [...question, bound('threshold', 'The bound.'), ...ends],
    'Creates a market that resolves true when the value is below the threshold.',
    create,
  ),
  execute(
    'create_value_in_range_market',
    [
      ...question,
      bound('min_value', 'The lower bound, inclusive.'),
      bound('max_value', 'The upper bound, inclusive.'),
      ...ends,
    ],
    'Creates a market that resolves true when the value lies in the range.',
    create,
  ),
  execute(
    'create_value_equals_market',
    [...question, bound('target', 'The value.'), bound('tolerance', 'The distance allowed.'), ...ends],
    'Creates a market that resolves true when the value is the target.',
    create,
  ),
  execute('create_market', [components, ...terms], 'Creates a market from encoded query components.'),
  view(
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
    [hash],
    record({ id: 'integer', ...market, settled_at: nullable('integer'), creator: 'bytes' }),
    'Finds a market by the hash of its query components.',
  ),
  view('market_exists', [hash], 'boolean', 'Tells whether there is a market of this hash.'),
  view(
    'list_markets',
    [
      optional(
        'settled_filter',
        { anyOf: ['boolean', oneOf('all', 'active', 'settled')] },
        'active, settled or all; true for settled and false for active, as the node has it.',
      ),
      optional('documented_filter', 'boolean', 'Read a boolean filter the other way round.', { default: false }),
      ...page(100, 100),
    ],
    table({ id: 'integer', hash: 'bytes', ...market }),
    'Lists markets, newest first.',
  ),
  local('decode_market_data', [components], marketQuestion, "Decodes a market's question."),
  local(
    'decode_query_components',
    [components],
    record({ data_provider: 'address', stream_id: 'string', action_id: 'string', args: 'string' }),
    'Decodes the basic parts of query components.',
  ),
  local(
    'encode_query_components',
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
    [required('args', list('argument'), 'The arguments.')],
    'bytes',
    'Encodes arguments canonically.',
  ),
  local('hash_query_components', [components], 'bytes', 'The hash that identifies a market.'),
  execute('settle_market', [shared.queryId], 'Settles a market whose time has come.'),
  view(
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
    [required('distribution_id', 'integer', 'The distribution.', { min: 1 })],
    table({
      participant_id: 'integer',
      wallet_address: 'string',
      reward_amount: 'wei',
      total_reward_percent: 'decimal',
    }),
    'Reads who got how much of a distribution.',
  ),
  view(
    'get_participant_reward_history',
    [shared.wallet],
    table({
      distribution_id: 'integer',
      query_id: 'integer',
      reward_amount: 'wei',
      total_reward_percent: 'decimal',
      distributed_at: 'integer',
    }),
    'Reads what a wallet got of all distributions.',
  ),
  execute(
    'sample_lp_rewards',
    [shared.queryId, required('block', 'integer', 'The height of the sample.', { min: 0 })],
    "Asks for a sample of a market's liquidity rewards, which today's network takes by itself.",
  ),
]
