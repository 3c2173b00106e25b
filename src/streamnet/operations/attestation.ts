/** Asking validators to sign what an action answers, and reading what they signed. */

import { numeric } from '../codec/value.ts'
import { invalidArgument } from '../errors.ts'
import { addressToBytes, parseAddress, parseStreamId, parseTxHash } from '../ids.ts'
import { encodeActionArgs } from '../market-question.ts'
import { iterateList } from '../pages.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { ActionArg, TxHash } from '../types.ts'
import { checkPage, mostListed, type Page, requireFirst } from './parameters.ts'

const listShape = {
  request_tx_id: 'text',
  attestation_hash: 'bytes',
  requester: 'bytes',
  data_provider: 'text?',
  stream_id: 'text?',
  created_height: 'int',
  signed_height: 'int?',
  encrypt_sig: 'bool?',
} as const

/** A requested attestation; `signedHeight` is null until a validator has signed. */
export type ListedAttestation = Row<typeof listShape>

/** Parameters of `listAttestations`. */
export interface ListAttestationsParams extends Page {
  readonly requester?: string | undefined
  readonly requestTxId?: string | undefined
  readonly attestationHash?: Uint8Array | undefined
  readonly resultCanonical?: Uint8Array | undefined
  readonly orderBy?: string | undefined
}

/**
 * Asks for an attestation of an action's answer at the current height. Costs the network's attestation fee.
 *
 * @param params - `args` of the action, or their canonical bytes; `maxFee` is the most it may cost in wei.
 * @throws StreamNetError invalid_argument when an address, the id, an argument or `maxFee` is malformed, or
 * `encryptSig` is true.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const request = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const requestTxId = await requestAttestation(client, request)
 */
export async function requestAttestation(
  client: Client,
  params: {
    readonly dataProvider: string
    readonly streamId: string
    readonly actionName: string
    /** The action's arguments, or their canonical bytes. */
    readonly args: readonly ActionArg[] | Uint8Array
    /** The network does not encrypt yet: false, or left out. */
    readonly encryptSig?: boolean | undefined
    /** The most it may cost, in wei; no bound when left out. */
    readonly maxFee?: string | undefined
  } & SendOptions,
): Promise<TxHash> {
  const { args, encryptSig, maxFee } = params
  if (encryptSig) throw invalidArgument('Signature encryption is not supported in MVP (encrypt_sig must be False)')
  const bytes = args instanceof Uint8Array ? args : encodeActionArgs(args)
  const call = [
    parseAddress(params.dataProvider, 'data_provider'),
    parseStreamId(params.streamId),
    params.actionName,
    bytes,
    false,
    // NUMERIC(78, 0), which holds 256 bits.
    maxFee === undefined ? null : numeric(maxFee, 78, 0),
  ]
  return sendTransaction(client, 'request_attestation', [call], params)
}

/**
 * Reads a signed attestation: the payload, then 65 bytes of signature.
 *
 * @param params - `requestTxId` is 64 hex digits, with or without `0x`; the network knows it without.
 * @throws StreamNetError invalid_argument when the id is not 64 hex digits.
 * @throws StreamNetError not_found when the answer has no row.
 * @throws StreamNetError action_failed when it is not signed yet.
 *
 * @example
 * const args = [provider, streamId, 1_760_000_300, numeric('15'), null]
 * const request = { dataProvider: provider, streamId, actionName: 'price_above_threshold', args }
 * const requestTxId = await requestAttestation(client, request)
 * const attestation = await getSignedAttestation(client, { requestTxId })
 */
export async function getSignedAttestation(
  client: Client,
  params: { readonly requestTxId: string },
): Promise<Uint8Array> {
  const table = await callAction(client, 'get_signed_attestation', [parseTxHash(params.requestTxId)])
  return requireFirst(readRows(table, { payload: 'bytes' }), `Attestation not found: ${params.requestTxId}`).payload
}

/**
 * Lists requested attestations.
 *
 * @param params - filters that may be left out: `requester` is an address, `requestTxId` 64 hex digits, the
 * others bytes; `limit` is 1 to 5000 rows.
 * @throws StreamNetError invalid_argument when an address, a hash or the page is out of its form.
 *
 * @example
 * const mine = await listAttestations(client, { requester: provider, limit: 10 })
 */
export async function listAttestations(
  client: Client,
  params: ListAttestationsParams = {},
): Promise<readonly ListedAttestation[]> {
  const { requester, requestTxId, attestationHash, resultCanonical, orderBy } = params
  const args = [
    requester ? addressToBytes(parseAddress(requester, 'requester')) : null,
    requestTxId ? parseTxHash(requestTxId) : null,
    attestationHash ?? null,
    resultCanonical ?? null,
    ...checkPage(params, mostListed, mostListed),
    orderBy || null,
  ]
  return readRows(await callAction(client, 'list_attestations', args), listShape)
}

/**
 * Lists requested attestations one by one, reading a page when the last is used up.
 *
 * @param params - as of `listAttestations`; `limit` is the rows of a page.
 * @throws StreamNetError as `listAttestations` does.
 *
 * @example
 * for await (const { requestTxId } of iterateAttestations(client, { requester: provider })) console.log(requestTxId)
 */
export function iterateAttestations(
  client: Client,
  params: ListAttestationsParams = {},
): AsyncIterable<ListedAttestation> {
  return iterateList(listAttestations, client, params, mostListed)
}
