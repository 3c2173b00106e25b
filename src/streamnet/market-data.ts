/** Questions of markets, decoded from query components. */

import { encodeHex } from '../base/hex.ts'
import { decodeComponents } from './codec/abi.ts'
import { decodeArgs } from './codec/attestation.ts'
import { toChecksumAddress } from './ids.ts'
import { isMarketAction, marketActions } from './market-question.ts'
import type { Client } from './ports.ts'

/** Query components in words. */
export interface DecodedQueryComponents {
  /** EIP-55 form. */
  readonly dataProvider: string
  readonly streamId: string
  /** The action's name. */
  readonly actionId: string
  /** Canonical arguments in hex. */
  readonly args: string
}

/** A market's question in words. */
export interface DecodedMarketData {
  /** EIP-55 form. */
  readonly dataProvider: string
  readonly streamId: string
  /** The action's name. */
  readonly actionId: string
  readonly type: 'above' | 'below' | 'between' | 'equals' | 'unknown'
  /** Decimal text as stored: one bound, both bounds, or target and tolerance. */
  readonly thresholds: readonly string[]
}

interface ComponentsParams {
  readonly queryComponents: Uint8Array
}

/** The two forms of a call: the bytes, or the client and the parameters of an operation. */
type DecodeCall = readonly [queryComponents: Uint8Array] | readonly [client: Client, params: ComponentsParams]

/**
 * Decodes the basic parts of query components. Takes the bytes, or a client and parameters like every operation.
 *
 * @param queryComponents - as `encodeQueryComponents` makes them.
 * @throws StreamNetError malformed_bytes when they are shorter than 128 bytes, or a part lies outside of
 * them.
 *
 * @example
 * const { queryComponents } = await operations.getMarketInfo(client, { queryId: 1 })
 * const { actionId } = decodeQueryComponents(client, { queryComponents })
 */
export function decodeQueryComponents(queryComponents: Uint8Array): DecodedQueryComponents
export function decodeQueryComponents(client: Client, params: ComponentsParams): DecodedQueryComponents
export function decodeQueryComponents(...call: DecodeCall): DecodedQueryComponents {
  const { dataProvider, streamId, action, args } = decodeComponents(readComponents(call))
  return { dataProvider: toChecksumAddress(dataProvider), streamId, actionId: action, args: encodeHex(args) }
}

/**
 * Decodes a market's question. Any other action than the four has type `unknown` and no thresholds.
 *
 * Takes the bytes, or a client and parameters like every operation.
 *
 * @param queryComponents - as `encodeQueryComponents` makes them.
 * @throws StreamNetError malformed_bytes when they are shorter than 128 bytes, or a part lies outside of
 * them.
 *
 * @example
 * const { queryComponents } = await operations.getMarketInfo(client, { queryId: 1 })
 * const { type, thresholds } = decodeMarketData(queryComponents)
 */
export function decodeMarketData(queryComponents: Uint8Array): DecodedMarketData
export function decodeMarketData(client: Client, params: ComponentsParams): DecodedMarketData
export function decodeMarketData(...call: DecodeCall): DecodedMarketData {
  const { dataProvider, streamId, action, args } = decodeComponents(readComponents(call))
  const question = isMarketAction(action) ? marketActions[action] : { type: 'unknown' as const, thresholds: 0 }
  // Arguments 0 to 2 are provider, stream and time; those of other actions may be anything.
  const thresholds = question.thresholds === 0 ? [] : decodeArgs(args).slice(3, 3 + question.thresholds)
  return {
    dataProvider: toChecksumAddress(dataProvider),
    streamId,
    actionId: action,
    type: question.type,
    thresholds: thresholds.map(({ value }) => String(value)),
  }
}

/**
 * Decodes the times of a market's question: Unix time in seconds, and the height of `frozenAt`, null for none.
 *
 * @returns null for another action, and where the arguments have no such times.
 * @throws StreamNetError as `decodeMarketData` does.
 */
export function decodeQuestionTimes(
  queryComponents: Uint8Array,
): { readonly timestamp: number; readonly frozenAt: number | null } | null {
  const { action, args } = decodeComponents(queryComponents)
  if (!isMarketAction(action)) return null
  const [, , timestamp, ...rest] = decodeArgs(args).map(({ value }) => value)
  const frozenAt = rest[marketActions[action].thresholds]
  if (typeof timestamp !== 'bigint' || frozenAt === undefined) return null
  return { timestamp: Number(timestamp), frozenAt: frozenAt === null ? null : Number(frozenAt) }
}

/** Reads the bytes of a call. The first parameter decides: `list.map(decodeMarketData)` passes an index as the second. */
function readComponents([first, params]: DecodeCall): Uint8Array {
  return first instanceof Uint8Array ? first : (params as ComponentsParams).queryComponents
}
