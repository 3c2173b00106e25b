/** Prediction markets: created, found, and settled. */

import { invalidArgument } from '../errors.ts'
import { parseAddress } from '../ids.ts'
import { encodeMarketQuestion, type MarketAction, type MarketQuestion } from '../market-data.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertInteger, firstOf, idOf, type Page, pageOf, readPages } from './parameters.ts'

const marketShape = {
  settle_time: 'int',
  settled: 'bool',
  winning_outcome: 'bool?',
  max_spread: 'int',
  min_order_size: 'int',
  created_at: 'int',
} as const
const summaryShape = { id: 'int', hash: 'bytes', ...marketShape } as const
const byHashShape = { id: 'int', ...marketShape, settled_at: 'int?', creator: 'bytes' } as const
const infoShape = {
  hash: 'bytes',
  query_components: 'bytes',
  bridge: 'text?',
  ...marketShape,
  settled_at: 'int?',
  creator: 'bytes',
} as const

/** One row of `listMarkets`; `settleTime` is Unix time in seconds, `createdAt` a block height. */
export type MarketSummary = Row<typeof summaryShape>
/** A market as `getMarketInfo` tells it. */
export type MarketInfo = Row<typeof infoShape> & { readonly id: number }
/** A market as `getMarketByHash` tells it. */
export type MarketByHash = Row<typeof byHashShape>

/** How a market is traded and settled. */
export interface MarketTerms {
  /** The collateral's bridge: `eth_stable`, `eth_main`, `testnet_b`, or the network's own name. */
  readonly bridge: string
  /** Unix time in seconds. */
  readonly settleTime: number
  /** 1 to 50 cents. */
  readonly maxSpread: number
  /** In shares, at least 1. */
  readonly minOrderSize: number
}

type ThresholdParams = MarketQuestion & { readonly threshold: string } & MarketTerms & SendOptions
type RangeParams = MarketQuestion & { readonly minValue: string; readonly maxValue: string } & MarketTerms &
  SendOptions
type EqualsParams = MarketQuestion & { readonly target: string; readonly tolerance: string } & MarketTerms &
  SendOptions

// The network's own names of the bridges that can hold collateral, by the names of the description.
const collateral: Readonly<Record<string, string>> = {
  eth_stable: 'eth_usdc',
  eth_main: 'eth_truf',
  testnet_b: 'hoodi_tt2',
  testnet_legacy: 'sepolia_bridge',
}
const collateralBridges = [...Object.values(collateral), 'ethereum_bridge']

/**
 * Creates a market from encoded query components; `getMarketByHash` finds its id. Costs the creation fee.
 *
 * @example
 * ```ts
 * const args = encodeActionArgs(client, { args: [provider, streamId, settleTime, numeric('15'), null] })
 * const question = { dataProvider: provider, streamId, actionId: 'price_above_threshold', args }
 * const queryComponents = encodeQueryComponents(client, question)
 * await createMarket(client, { queryComponents, bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 })
 * ```
 */
export async function createMarket(
  client: Client,
  params: { readonly queryComponents: Uint8Array } & MarketTerms & SendOptions,
): Promise<TxHash> {
  const { queryComponents, settleTime, maxSpread, minOrderSize } = params
  if (queryComponents.length < 128) throw invalidArgument('query_components too short for ABI-encoded tuple')
  assertInteger(settleTime, 1, Number.MAX_SAFE_INTEGER, 'settle_time must be Unix time in seconds')
  assertInteger(maxSpread, 1, 50, 'max_spread must be between 1 and 50')
  assertInteger(minOrderSize, 1, Number.MAX_SAFE_INTEGER, 'min_order_size must be positive')
  const args = [bridgeOf(params.bridge), queryComponents, settleTime, maxSpread, minOrderSize]
  return sendTransaction(client, 'create_market', [args], params)
}

/**
 * Creates a market that resolves true when the value exceeds the threshold.
 *
 * @example
 * ```ts
 * await createPriceAboveThresholdMarket(client, {
 *   dataProvider: provider,
 *   streamId,
 *   timestamp: settleTime,
 *   threshold: '42.5',
 *   bridge: 'testnet_b',
 *   settleTime,
 *   maxSpread: 5,
 *   minOrderSize: 1,
 * })
 * ```
 */
export async function createPriceAboveThresholdMarket(
  client: Client,
  params: ThresholdParams,
): Promise<TxHash> {
  return createQuestion(client, 'price_above_threshold', params, [params.threshold])
}

/**
 * Creates a market that resolves true when the value is below the threshold.
 *
 * @example
 * ```ts
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createPriceBelowThresholdMarket(client, { ...question, ...terms, threshold: '42.5' })
 * ```
 */
export async function createPriceBelowThresholdMarket(
  client: Client,
  params: ThresholdParams,
): Promise<TxHash> {
  return createQuestion(client, 'price_below_threshold', params, [params.threshold])
}

/**
 * Creates a market that resolves true when the value lies in the range, bounds included.
 *
 * @example
 * ```ts
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createValueInRangeMarket(client, { ...question, ...terms, minValue: '40', maxValue: '50' })
 * ```
 */
export async function createValueInRangeMarket(client: Client, params: RangeParams): Promise<TxHash> {
  return createQuestion(client, 'value_in_range', params, [params.minValue, params.maxValue])
}

/**
 * Creates a market that resolves true when the value is the target, give or take the tolerance.
 *
 * @example
 * ```ts
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createValueEqualsMarket(client, { ...question, ...terms, target: '45', tolerance: '0.5' })
 * ```
 */
export async function createValueEqualsMarket(client: Client, params: EqualsParams): Promise<TxHash> {
  return createQuestion(client, 'value_equals', params, [params.target, params.tolerance])
}

/**
 * Reads a market.
 *
 * @throws not_found `Market not found: ...`
 *
 * @example
 * ```ts
 * const { settled, winningOutcome } = await getMarketInfo(client, { queryId: 1 })
 * ```
 */
export async function getMarketInfo(
  client: Client,
  params: { readonly queryId: number },
): Promise<MarketInfo> {
  const { queryId } = params
  const rows = readRows(await callAction(client, 'get_market_info', [idOf(queryId)]), infoShape)
  return { id: queryId, ...firstOf(rows, `Market not found: ${queryId}`) }
}

/**
 * Finds a market by the hash of its query components.
 *
 * @throws not_found
 *
 * @example
 * ```ts
 * const { hash } = await getMarketInfo(client, { queryId: 1 })
 * const { id } = await getMarketByHash(client, { hash })
 * ```
 */
export async function getMarketByHash(
  client: Client,
  params: { readonly hash: Uint8Array },
): Promise<MarketByHash> {
  const rows = readRows(await callAction(client, 'get_market_by_hash', [hashOf(params.hash)]), byHashShape)
  return firstOf(rows, 'Market not found by this hash')
}

/**
 * Tells whether there is a market of this hash.
 *
 * @example
 * ```ts
 * const { hash } = await getMarketInfo(client, { queryId: 1 })
 * const exists = await marketExists(client, { hash })
 * ```
 */
export async function marketExists(client: Client, params: { readonly hash: Uint8Array }): Promise<boolean> {
  const [row] = readRows(await callAction(client, 'market_exists', [hashOf(params.hash)]), {
    market_exists: 'bool',
  })
  return row?.marketExists ?? false
}

/** What `listMarkets` may be asked, at most 100 rows at once. */
export interface ListMarketsParams extends Page {
  /**
   * `active`, `settled` or `all`, or a boolean as the node takes it: true for settled markets, false for the
   * others.
   */
  readonly settledFilter?: boolean | 'all' | 'active' | 'settled' | null | undefined
  /** True to read a boolean filter the other way round, as the description of the interface has it. */
  readonly documentedFilter?: boolean | undefined
}

/**
 * Lists markets, newest first.
 *
 * @example
 * ```ts
 * const open = await listMarkets(client, { settledFilter: 'active', limit: 10 })
 * ```
 */
export async function listMarkets(
  client: Client,
  params: ListMarketsParams = {},
): Promise<readonly MarketSummary[]> {
  const args = [settledOf(params), ...pageOf(params, 100, 100)]
  return readRows(await callAction(client, 'list_markets', args), summaryShape)
}

/**
 * Lists markets one by one, reading a page when the last is used up.
 *
 * @example
 * ```ts
 * for await (const { id } of iterateMarkets(client, { settledFilter: 'active' })) console.log(id)
 * ```
 */
export function iterateMarkets(client: Client, params: ListMarketsParams = {}): AsyncIterable<MarketSummary> {
  const { limit = 100, offset = 0 } = params
  return readPages(limit, offset, (size, start) =>
    listMarkets(client, { ...params, limit: size, offset: start }),
  )
}

/** Settles a market whose time has come and whose attestation is signed. Anyone may. */
export async function settleMarket(
  client: Client,
  params: { readonly queryId: number } & SendOptions,
): Promise<TxHash> {
  return sendTransaction(client, 'settle_market', [[idOf(params.queryId)]], params)
}

/**
 * Checks that a market's shares and its vault agree.
 *
 * @example
 * ```ts
 * const { validCollateral } = await validateMarketCollateral(client, { queryId: 1 })
 * ```
 */
export async function validateMarketCollateral(client: Client, params: { readonly queryId: number }) {
  const rows = readRows(await callAction(client, 'validate_market_collateral', [idOf(params.queryId)]), {
    valid_token_binaries: 'bool',
    valid_collateral: 'bool',
    total_true: 'int',
    total_false: 'int',
    vault_balance: 'decimal',
    expected_collateral: 'decimal',
    open_buys_value: 'int',
  })
  return firstOf(rows, `Market not found: ${params.queryId}`)
}

/**
 * Reads how a settled market's fees were shared; null while they are not.
 *
 * @example
 * ```ts
 * // Null until the market is settled.
 * const summary = await getDistributionSummary(client, { queryId: 1 })
 * ```
 */
export async function getDistributionSummary(client: Client, params: { readonly queryId: number }) {
  const rows = readRows(await callAction(client, 'get_distribution_summary', [idOf(params.queryId)]), {
    distribution_id: 'int',
    total_lp_fees_distributed: 'decimal',
    total_dp_fees: 'decimal',
    total_validator_fees: 'decimal',
    total_lp_count: 'int',
    block_count: 'int',
    distributed_at: 'int',
  })
  return rows[0] ?? null
}

/**
 * Reads who got how much of a distribution.
 *
 * @example
 * ```ts
 * const payments = await getDistributionDetails(client, { distributionId: 1 })
 * ```
 */
export async function getDistributionDetails(client: Client, params: { readonly distributionId: number }) {
  return readRows(
    await callAction(client, 'get_distribution_details', [idOf(params.distributionId, 'distribution_id')]),
    {
      participant_id: 'int',
      wallet_address: 'text',
      reward_amount: 'decimal',
      total_reward_percent: 'decimal',
    },
  )
}

/**
 * Reads what a wallet got of all distributions.
 *
 * @example
 * ```ts
 * const rewards = await getParticipantRewardHistory(client, { wallet: provider })
 * ```
 */
export async function getParticipantRewardHistory(client: Client, params: { readonly wallet: string }) {
  return readRows(
    await callAction(client, 'get_participant_reward_history', [parseAddress(params.wallet, 'wallet')]),
    {
      distribution_id: 'int',
      query_id: 'int',
      reward_amount: 'decimal',
      total_reward_percent: 'decimal',
      distributed_at: 'int',
    },
  )
}

async function createQuestion(
  client: Client,
  action: MarketAction,
  params: MarketQuestion & MarketTerms & SendOptions,
  thresholds: readonly string[],
): Promise<TxHash> {
  return createMarket(client, {
    ...params,
    queryComponents: encodeMarketQuestion(action, params, thresholds),
  })
}

function bridgeOf(bridge: string): string {
  const name = Object.hasOwn(collateral, bridge) ? collateral[bridge] : bridge
  if (name && collateralBridges.includes(name)) return name
  throw invalidArgument(
    `bridge must be one of: ${[...Object.keys(collateral), ...collateralBridges].join(', ')}`,
  )
}

function settledOf({ settledFilter, documentedFilter = false }: ListMarketsParams): boolean | null {
  if (typeof settledFilter === 'boolean') return settledFilter !== documentedFilter
  if (settledFilter === 'active') return false
  if (settledFilter === 'settled') return true
  if (settledFilter === 'all' || settledFilter == null) return null
  throw invalidArgument(`settled_filter is "${settledFilter}", expected all, active, settled, true or false`)
}

function hashOf(hash: Uint8Array): Uint8Array {
  if (hash.length !== 32) throw invalidArgument(`hash has ${hash.length} bytes, expected 32`)
  return hash
}
