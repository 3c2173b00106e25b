/** Creating prediction markets: the question, the collateral, and the terms. */

import { requireCollateral } from '../bridge-names.ts'
import { invalidArgument } from '../errors.ts'
import { encodeMarketQuestion, type MarketAction, type MarketQuestion } from '../market-question.ts'
import type { Client, SendOptions } from '../ports.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertAtLeast, assertInteger } from './parameters.ts'

/** The terms of trade and settlement of a market. */
export interface MarketTerms {
  /** The collateral's bridge: `eth_stable`, `eth_main`, `testnet_b`, or another of its names. */
  readonly bridge: string
  /** Unix time in seconds. */
  readonly settleTime: number
  /** 1 to 50 cents. */
  readonly maxSpread: number
  /** In shares, at least 1. */
  readonly minOrderSize: number
}

type ThresholdParams = MarketQuestion & { readonly threshold: string } & MarketTerms & SendOptions
type RangeParams = MarketQuestion & { readonly minValue: string; readonly maxValue: string } & MarketTerms & SendOptions
type EqualsParams = MarketQuestion & { readonly target: string; readonly tolerance: string } & MarketTerms & SendOptions

/**
 * Creates a market from encoded query components; `getMarketByHash` finds its id. Costs the creation fee.
 *
 * @param params - `queryComponents` as `encodeQueryComponents` makes them; `settleTime` is Unix time in
 * seconds, `maxSpread` 1 to 50 cents, `minOrderSize` in shares.
 * @throws StreamNetError invalid_argument when the components are shorter than 128 bytes, the bridge is
 * unknown, or a number is out of range.
 *
 * @example
 * const args = encodeActionArgs(client, { args: [provider, streamId, settleTime, numeric('15'), null] })
 * const question = { dataProvider: provider, streamId, actionId: 'price_above_threshold', args }
 * const queryComponents = encodeQueryComponents(client, question)
 * await createMarket(client, { queryComponents, bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 })
 */
export async function createMarket(
  client: Client,
  params: { readonly queryComponents: Uint8Array } & MarketTerms & SendOptions,
): Promise<TxHash> {
  const { queryComponents, settleTime, maxSpread, minOrderSize } = params
  if (queryComponents.length < 128) throw invalidArgument('query_components too short for ABI-encoded tuple')
  assertAtLeast(settleTime, 1, 'settle_time must be Unix time in seconds')
  assertInteger(maxSpread, 1, 50, 'max_spread must be between 1 and 50')
  assertAtLeast(minOrderSize, 1, 'min_order_size must be positive')
  const args = [requireCollateral(params.bridge), queryComponents, settleTime, maxSpread, minOrderSize]
  return sendTransaction(client, 'create_market', [args], params)
}

/**
 * Creates a market that resolves true when the value exceeds the threshold.
 *
 * @param params - `timestamp` and `settleTime` are Unix times in seconds; `threshold` is decimal text.
 * @throws StreamNetError invalid_argument when a part of the question or of the terms is out of its form.
 *
 * @example
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
 */
export async function createPriceAboveThresholdMarket(client: Client, params: ThresholdParams): Promise<TxHash> {
  return createQuestion(client, 'price_above_threshold', params, [params.threshold])
}

/**
 * Creates a market that resolves true when the value is below the threshold.
 *
 * @param params - `timestamp` and `settleTime` are Unix times in seconds; `threshold` is decimal text.
 * @throws StreamNetError invalid_argument when a part of the question or of the terms is out of its form.
 *
 * @example
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createPriceBelowThresholdMarket(client, { ...question, ...terms, threshold: '42.5' })
 */
export async function createPriceBelowThresholdMarket(client: Client, params: ThresholdParams): Promise<TxHash> {
  return createQuestion(client, 'price_below_threshold', params, [params.threshold])
}

/**
 * Creates a market that resolves true when the value lies in the range, bounds included.
 *
 * @param params - `timestamp` and `settleTime` are Unix times in seconds; `minValue` and `maxValue` are
 * decimal text.
 * @throws StreamNetError invalid_argument when a part of the question or of the terms is out of its form.
 *
 * @example
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createValueInRangeMarket(client, { ...question, ...terms, minValue: '40', maxValue: '50' })
 */
export async function createValueInRangeMarket(client: Client, params: RangeParams): Promise<TxHash> {
  return createQuestion(client, 'value_in_range', params, [params.minValue, params.maxValue])
}

/**
 * Creates a market that resolves true when the value is the target, give or take the tolerance.
 *
 * @param params - `timestamp` and `settleTime` are Unix times in seconds; `target` and `tolerance` are
 * decimal text.
 * @throws StreamNetError invalid_argument when a part of the question or of the terms is out of its form.
 *
 * @example
 * const terms = { bridge: 'testnet_b', settleTime, maxSpread: 5, minOrderSize: 1 }
 * const question = { dataProvider: provider, streamId, timestamp: settleTime }
 * await createValueEqualsMarket(client, { ...question, ...terms, target: '45', tolerance: '0.5' })
 */
export async function createValueEqualsMarket(client: Client, params: EqualsParams): Promise<TxHash> {
  return createQuestion(client, 'value_equals', params, [params.target, params.tolerance])
}

async function createQuestion(
  client: Client,
  action: MarketAction,
  params: MarketQuestion & MarketTerms & SendOptions,
  thresholds: readonly string[],
): Promise<TxHash> {
  return createMarket(client, { ...params, queryComponents: encodeMarketQuestion(action, params, thresholds) })
}
