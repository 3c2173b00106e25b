/**
 * Operations that send nothing: ids, market questions and attestations, made and read in place.
 *
 * Each is the function of the same name that needs no client, in the form that `bindOperations` binds: a client, which
 * is not used, and one object.
 */

import * as attestation from '../attestation.ts'
import * as ids from '../ids.ts'
import * as market from '../market-question.ts'
import type { Client } from '../ports.ts'
import type { ActionArg, StreamId } from '../types.ts'

// These two have both forms.
export { decodeMarketData, decodeQueryComponents } from '../market-data.ts'

/**
 * Derives a stream id from a name.
 *
 * @param params - `name` is any text.
 * @returns `st` and 30 lower-case hex digits.
 *
 * @example
 * const streamId = generateStreamId(client, { name: 'price of bread' })
 */
export function generateStreamId(_client: Client, params: { readonly name: string }): StreamId {
  return ids.generateStreamId(params.name)
}

/**
 * Encodes query components from their parts.
 *
 * @param params - `dataProvider` is `0x` and 40 hex digits, `args` the bytes of `encodeActionArgs`.
 * @throws StreamNetError invalid_argument when a part is out of its form.
 *
 * @example
 * const args = encodeActionArgs(client, { args: [provider, streamId, 1_760_000_300, numeric('15'), null] })
 * const actionId = 'price_above_threshold'
 * const components = encodeQueryComponents(client, { dataProvider: provider, streamId, actionId, args })
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
 * @param params - `args` in the action's order.
 * @throws StreamNetError invalid_argument when an argument has no type on the wire, or does not fit its type.
 *
 * @example
 * const args = encodeActionArgs(client, { args: [provider, streamId, 1_760_000_300, numeric('15'), null] })
 */
export function encodeActionArgs(_client: Client, params: { readonly args: readonly ActionArg[] }): Uint8Array {
  return market.encodeActionArgs(params.args)
}

/**
 * The hash that identifies the market of query components.
 *
 * @param params - `queryComponents` as `encodeQueryComponents` makes them.
 * @returns 32 bytes.
 * @throws StreamNetError malformed_bytes when they are shorter than 128 bytes, or a part lies outside of
 * them.
 *
 * @example
 * const { queryComponents } = await getMarketInfo(client, { queryId: 1 })
 * const hash = hashQueryComponents(client, { queryComponents })
 */
export function hashQueryComponents(_client: Client, params: { readonly queryComponents: Uint8Array }): Uint8Array {
  return market.hashQueryComponents(params.queryComponents)
}

/**
 * Parses the payload of an attestation, without the 65 bytes of its signature.
 *
 * @param params - `payload` is the document without its last 65 bytes.
 * @throws StreamNetError invalid_argument when it is not bytes, or empty.
 * @throws StreamNetError malformed_bytes when it does not have the form of an attestation.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const request = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const requestTxId = await requestAttestation(client, request)
 * const attestation = await getSignedAttestation(client, { requestTxId })
 * const { result } = parseAttestationPayload(client, { payload: attestation.subarray(0, -65) })
 */
export function parseAttestationPayload(
  _client: Client,
  params: { readonly payload: Uint8Array },
): attestation.ParsedAttestation {
  return attestation.parseAttestationPayload(params.payload)
}

/**
 * Finds who signed an attestation.
 *
 * @param params - `attestation` is the payload, then 65 bytes of signature.
 * @throws StreamNetError malformed_bytes when it is shorter than 66 bytes, or no key fits the signature.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const request = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const requestTxId = await requestAttestation(client, request)
 * const attestation = await getSignedAttestation(client, { requestTxId })
 * const { validatorAddress } = verifyAttestationSignature(client, { attestation })
 */
export function verifyAttestationSignature(
  _client: Client,
  params: { readonly attestation: Uint8Array },
): attestation.VerifiedAttestation {
  return attestation.verifyAttestationSignature(params.attestation)
}
