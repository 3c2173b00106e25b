/** Creating and removing streams, and what kind each is. */

import { invalidArgument } from '../errors.ts'
import { parseStreamId, parseTxHash, toChecksumAddress } from '../ids.ts'
import type { Client, SendOptions, WaitOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import { waitForSuccess } from '../transaction/wait.ts'
import type { StreamType, TxHash, TxReceipt } from '../types.ts'
import { assertFilled, ownProvider, requireFirst, requireProvider } from './parameters.ts'

/** A stream to create. */
export interface StreamDefinition {
  readonly streamId: string
  readonly streamType: StreamType
  /** False when left out: zeros are dropped on insert. */
  readonly allowZeros?: boolean | undefined
}

/**
 * Creates a stream. The caller needs the role `system:network_writer`, or the fee of newer networks.
 *
 * @param params - `streamId` is `st` and 30 lower-case letters or digits; `streamType` is `primitive` when
 * left out.
 * @throws StreamNetError invalid_argument when the id or the type is malformed, or the client has no signer.
 *
 * @example
 * const streamId = generateStreamId(client, { name: 'price of bread' })
 * await deployStream(client, { streamId, streamType: 'primitive' })
 */
export async function deployStream(
  client: Client,
  params: Omit<StreamDefinition, 'streamType'> & { readonly streamType?: StreamType | undefined } & SendOptions,
): Promise<TxHash> {
  const { streamId, streamType = 'primitive', allowZeros = false } = params
  assertStreamType(streamType)
  // Older nodes do not have the third parameter.
  const zeros = allowZeros ? [allowZeros] : []
  return sendTransaction(client, 'create_stream', [[parseStreamId(streamId), streamType, ...zeros]], params)
}

/**
 * Creates many streams in one transaction.
 *
 * @param params - `definitions` of streams, at least one.
 * @throws StreamNetError invalid_argument when there is no definition, or one is malformed.
 *
 * @example
 * const definitions = ['bread', 'milk'].map((name) => ({
 *   streamId: generateStreamId(client, { name }),
 *   streamType: 'primitive',
 * }))
 * await batchDeployStreams(client, { definitions })
 */
export async function batchDeployStreams(
  client: Client,
  params: { readonly definitions: readonly StreamDefinition[] } & SendOptions,
): Promise<TxHash> {
  const { definitions } = params
  assertFilled(definitions, 'definitions')
  for (const { streamType } of definitions) assertStreamType(streamType)
  const ids = definitions.map(({ streamId }) => parseStreamId(streamId))
  const types = definitions.map(({ streamType }) => streamType)
  const zeros = definitions.map(({ allowZeros = false }) => allowZeros)
  const args = zeros.some(Boolean) ? [ids, types, zeros] : [ids, types]
  return sendTransaction(client, 'create_streams', [args], params)
}

/**
 * Says whether zeros are kept from now on; what was dropped stays dropped. Owner only.
 *
 * @param params - `flag` is true to keep zeros.
 * @throws StreamNetError invalid_argument when the id is malformed or the client has no signer.
 *
 * @example
 * await setAllowZeros(client, { streamId, flag: true })
 */
export async function setAllowZeros(
  client: Client,
  params: { readonly streamId: string; readonly flag: boolean } & SendOptions,
): Promise<TxHash> {
  const args = [ownProvider(client), parseStreamId(params.streamId), params.flag]
  return sendTransaction(client, 'set_allow_zeros', [args], params)
}

/**
 * Tells whether a stream keeps zeros; false when it was never set.
 *
 * @param params - `streamId` is `st` and 30 lower-case letters or digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const keepsZeros = await getAllowZeros(client, { streamId })
 */
export async function getAllowZeros(
  client: Client,
  params: { readonly streamId: string; readonly dataProvider?: string | undefined },
): Promise<boolean> {
  const args = [requireProvider(client, params.dataProvider), parseStreamId(params.streamId)]
  const [row] = readRows(await callAction(client, 'get_allow_zeros', args), { allow_zeros: 'bool?' })
  return row?.allowZeros ?? false
}

/**
 * Removes a stream with everything in it, for good. Owner only.
 *
 * @param params - `streamId` is `st` and 30 lower-case letters or digits.
 * @throws StreamNetError invalid_argument when the id is malformed or the client has no signer.
 *
 * @example
 * await destroyStream(client, { streamId })
 */
export async function destroyStream(
  client: Client,
  params: { readonly streamId: string } & SendOptions,
): Promise<TxHash> {
  return sendTransaction(client, 'delete_stream', [[ownProvider(client), parseStreamId(params.streamId)]], params)
}

/**
 * Waits until a transaction has succeeded in a block.
 *
 * @param params - `txHash` is 64 hex digits; `timeoutMs` is in milliseconds, 120,000 when left out.
 * @throws StreamNetError invalid_argument when the hash is not 64 hex digits.
 * @throws StreamNetError transaction_failed when it is in a block and failed there.
 * @throws StreamNetError timeout when it is in no block in time; it may still land.
 *
 * @example
 * const txHash = await setAllowZeros(client, { streamId, flag: true, wait: false })
 * const { height } = await waitForTx(client, { txHash, timeoutMs: 30_000 })
 */
export async function waitForTx(client: Client, params: { readonly txHash: string } & WaitOptions): Promise<TxReceipt> {
  return waitForSuccess(client, parseTxHash(params.txHash), params)
}

/**
 * The client's own address, EIP-55 form.
 *
 * @throws StreamNetError invalid_argument when the client has no signer.
 *
 * @example
 * const address = getCurrentAccount(client)
 */
export function getCurrentAccount(client: Client): string {
  return toChecksumAddress(ownProvider(client))
}

/**
 * Tells what kind a stream is.
 *
 * @param params - `streamId` is `st` and 30 lower-case letters or digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 * @throws StreamNetError not_found when there is no such stream.
 *
 * @example
 * const type = await getType(client, { streamId })
 */
export async function getType(
  client: Client,
  params: { readonly streamId: string; readonly dataProvider?: string | undefined },
): Promise<StreamType> {
  const provider = requireProvider(client, params.dataProvider)
  const args = [provider, parseStreamId(params.streamId), 'type', null, 1, null, 'created_at DESC']
  const rows = readRows(await callAction(client, 'get_metadata', args), { value_s: 'text' })
  const { valueS } = requireFirst(rows, 'no type found, check if the stream is initialized')
  assertStreamType(valueS)
  return valueS
}

function assertStreamType(text: string): asserts text is StreamType {
  if (text !== 'primitive' && text !== 'composed') {
    throw invalidArgument(`stream_type is "${text}", expected primitive or composed`)
  }
}
