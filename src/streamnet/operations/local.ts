/** Operations that send nothing: ids, market questions and attestations, made and read in place. */

import * as attestation from '../attestation.ts'
import * as ids from '../ids.ts'
import * as market from '../market-data.ts'
import type { Client } from '../ports.ts'
import type { ActionArg, StreamId } from '../types.ts'

/**
 * Derives a stream id from a name.
 *
 * @example
 * ```ts
 * const streamId = generateStreamId(client, { name: 'price of bread' })
 * ```
 */
export function generateStreamId(_client: Client, params: { readonly name: string }): StreamId {
  return ids.generateStreamId(params.name)
}

/**
 * Decodes a market's question: what it compares with which thresholds.
 *
 * @example
 * ```ts
 * const { queryComponents } = await getMarketInfo(client, { queryId: 1 })
 * const { type, thresholds } = decodeMarketData(client, { queryComponents })
 * ```
 */
export function decodeMarketData(
  _client: Client,
  params: { readonly queryComponents: Uint8Array },
): market.DecodedMarketData {
  return market.decodeMarketData(params.queryComponents)
}

/**
 * Decodes the basic parts of query components.
 *
 * @example
 * ```ts
 * const { queryComponents } = await getMarketInfo(client, { queryId: 1 })
 * const { actionId } = decodeQueryComponents(client, { queryComponents })
 * ```
 */
export function decodeQueryComponents(
  _client: Client,
  params: { readonly queryComponents: Uint8Array },
): market.DecodedQueryComponents {
  return market.decodeQueryComponents(params.queryComponents)
}

/**
 * Encodes query components from their parts.
 *
 * @example
 * ```ts
 * const args = encodeActionArgs(client, { args: [provider, streamId, 1_760_000_300, numeric('15'), null] })
 * const actionId = 'price_above_threshold'
 * const components = encodeQueryComponents(client, { dataProvider: provider, streamId, actionId, args })
 * ```
 */
export function encodeQueryComponents(
  _client: Client,
  params: Parameters<typeof market.encodeQueryComponents>[0],
): Uint8Array {
  return market.encodeQueryComponents(params)
}

/**
 * Encodes an action's arguments canonically.
 *
 * @example
 * ```ts
 * const args = encodeActionArgs(client, { args: [provider, streamId, 1_760_000_300, numeric('15'), null] })
 * ```
 */
export function encodeActionArgs(
  _client: Client,
  params: { readonly args: readonly ActionArg[] },
): Uint8Array {
  return market.encodeActionArgs(params.args)
}

/**
 * The hash that identifies the market of query components.
 *
 * @example
 * ```ts
 * const { queryComponents } = await getMarketInfo(client, { queryId: 1 })
 * const hash = hashQueryComponents(client, { queryComponents })
 * ```
 */
export function hashQueryComponents(
  _client: Client,
  params: { readonly queryComponents: Uint8Array },
): Uint8Array {
  return market.hashQueryComponents(params.queryComponents)
}

/** Parses the payload of an attestation, without the 65 bytes of its signature. */
export function parseAttestationPayload(
  _client: Client,
  params: { readonly payload: Uint8Array },
): attestation.ParsedAttestation {
  return attestation.parseAttestationPayload(params.payload)
}

/** Finds who signed an attestation. */
export function verifyAttestationSignature(
  _client: Client,
  params: { readonly attestation: Uint8Array },
): attestation.VerifiedAttestation {
  return attestation.verifyAttestationSignature(params.attestation)
}
