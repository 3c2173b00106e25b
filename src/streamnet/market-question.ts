/** Questions of markets, encoded as query components. */

import { decodeComponents, encodeComponents } from './codec/abi.ts'
import { encodeArgs, hashComponents } from './codec/attestation.ts'
import { numeric, toTypedValue } from './codec/value.ts'
import { invalidArgument } from './errors.ts'
import { parseAddress, parseStreamId } from './ids.ts'
import { assertAtLeast, checkId } from './operations/parameters.ts'
import type { ActionArg, Address } from './types.ts'

/** The question of a market: the stream's value at `timestamp`, compared with thresholds. */
export interface MarketQuestion {
  /** `0x` and 40 hex digits. */
  readonly dataProvider: string
  readonly streamId: string
  /** Unix time in seconds. */
  readonly timestamp: number
  /** Only records known at this block height count. */
  readonly frozenAt?: number | undefined
}

/** The four questions, by what they decode to. */
export const marketActions = {
  price_above_threshold: { type: 'above', thresholds: 1 },
  price_below_threshold: { type: 'below', thresholds: 1 },
  value_in_range: { type: 'between', thresholds: 2 },
  value_equals: { type: 'equals', thresholds: 2 },
} as const

/** Name of an action that answers a market's question. */
export type MarketAction = keyof typeof marketActions

/** Tells whether an action answers the question of a market. */
export function isMarketAction(action: string): action is MarketAction {
  return Object.hasOwn(marketActions, action)
}

/**
 * Encodes the arguments of an action canonically, as market hashes need them.
 *
 * @param args - in the action's order.
 * @throws StreamNetError invalid_argument when an argument has no type on the wire, or does not fit its type.
 *
 * @example
 * const args = encodeActionArgs([provider, streamId, 1_760_000_300, numeric('15'), null])
 */
export function encodeActionArgs(args: readonly ActionArg[]): Uint8Array {
  return encodeArgs(args.map(toTypedValue))
}

/**
 * Encodes query components.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits; `actionId` is the action's name; `args` are the
 * bytes of `encodeActionArgs`.
 * @throws StreamNetError invalid_argument when a part is out of its form.
 *
 * @example
 * const args = encodeActionArgs([provider, streamId, 1_760_000_300, numeric('15'), null])
 * const actionId = 'price_above_threshold'
 * const components = encodeQueryComponents({ dataProvider: provider, streamId, actionId, args })
 */
export function encodeQueryComponents(params: {
  readonly dataProvider: string
  readonly streamId: string
  readonly actionId: string
  readonly args: Uint8Array
}): Uint8Array {
  const { dataProvider, streamId, actionId, args } = params
  if (actionId === '') throw invalidArgument('action_id cannot be empty')
  return encodeComponents({
    dataProvider: prefixedAddress(dataProvider),
    streamId: parseStreamId(streamId),
    action: actionId,
    args,
  })
}

/**
 * Encodes the question of a threshold market: provider in lower case, stream id, timestamp, thresholds as
 * numeric(36,18), and the height of `frozenAt` or null.
 *
 * @param thresholds - decimal text: one bound, both bounds, or target and tolerance.
 * @throws StreamNetError invalid_argument when a part is out of its form.
 */
export function encodeMarketQuestion(
  actionId: MarketAction,
  question: MarketQuestion,
  thresholds: readonly string[],
): Uint8Array {
  const { dataProvider, streamId, timestamp, frozenAt } = question
  assertAtLeast(frozenAt ?? 0, 0, 'frozen_at cannot be negative')
  const args = encodeActionArgs([
    prefixedAddress(dataProvider),
    streamId,
    checkId(timestamp, 'timestamp'),
    ...thresholds.map((threshold) => numeric(threshold)),
    frozenAt ?? null,
  ])
  return encodeQueryComponents({ dataProvider, streamId, actionId, args })
}

/**
 * The hash that identifies the market of these query components; see `getMarketByHash`.
 *
 * @param queryComponents - as `encodeQueryComponents` makes them.
 * @returns 32 bytes.
 * @throws StreamNetError malformed_bytes when they are shorter than 128 bytes, or a part lies outside of
 * them.
 * @throws StreamNetError malformed_bytes when the action cannot be attested.
 *
 * @example
 * const { queryComponents } = await operations.getMarketInfo(client, { queryId: 1 })
 * const hash = hashQueryComponents(queryComponents)
 */
export function hashQueryComponents(queryComponents: Uint8Array): Uint8Array {
  return hashComponents(decodeComponents(queryComponents))
}

function prefixedAddress(dataProvider: string): Address {
  if (!/^0x/i.test(dataProvider)) {
    throw invalidArgument('data_provider must be 0x-prefixed 40-character hex string')
  }
  if (dataProvider.length !== 42) {
    throw invalidArgument(`data_provider must be 42 characters, got ${dataProvider.length}`)
  }
  return parseAddress(dataProvider, 'data_provider')
}
