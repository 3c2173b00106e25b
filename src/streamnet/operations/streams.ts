/** Creating, removing, finding and listing streams. */

import { invalidArgument } from '../errors.ts'
import { parseAddress, parseStreamId, parseTxHash, toChecksumAddress } from '../ids.ts'
import type { Client, SendOptions, WaitOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import { waitForSuccess } from '../transaction/wait.ts'
import type { StreamType, TxHash, TxReceipt } from '../types.ts'
import {
  assertFilled,
  assertInteger,
  firstOf,
  ownProvider,
  type Page,
  pageOf,
  providerOf,
  readPages,
} from './parameters.ts'

/** Where a stream is. */
export interface StreamLocator {
  readonly streamId: string
  /** Address of its owner. */
  readonly dataProvider: string
}

/** A stream to create. */
export interface StreamDefinition {
  readonly streamId: string
  readonly streamType: StreamType
  /** False when left out: zeros are dropped on insert. */
  readonly allowZeros?: boolean | undefined
}

/** The orders of `listStreams`, the node's exact texts. */
export type StreamOrder = `${'created_at' | 'stream_id' | 'stream_type'} ${'ASC' | 'DESC'}`

const streamShape = {
  data_provider: 'text',
  stream_id: 'text',
  stream_type: 'text',
  created_at: 'int',
} as const
const locatorShape = { data_provider: 'text', stream_id: 'text' } as const
const existsShape = { ...locatorShape, stream_exists: 'bool' } as const

/** One row of `listStreams`; `createdAt` is a block height. */
export type ListedStream = Row<typeof streamShape>

/**
 * Creates a stream. The caller needs the role `system:network_writer`, or the fee of newer networks.
 *
 * @example
 * ```ts
 * const streamId = generateStreamId(client, { name: 'price of bread' })
 * await deployStream(client, { streamId, streamType: 'primitive' })
 * ```
 */
export async function deployStream(
  client: Client,
  params: Omit<StreamDefinition, 'streamType'> & {
    readonly streamType?: StreamType | undefined
  } & SendOptions,
): Promise<TxHash> {
  const { streamId, streamType = 'primitive', allowZeros = false } = params
  assertStreamType(streamType)
  // Older nodes do not have the third parameter.
  const zeros = allowZeros ? [true] : []
  return sendTransaction(client, 'create_stream', [[parseStreamId(streamId), streamType, ...zeros]], params)
}

/**
 * Creates many streams in one transaction.
 *
 * @example
 * ```ts
 * const definitions = ['bread', 'milk'].map((name) => ({
 *   streamId: generateStreamId(client, { name }),
 *   streamType: 'primitive',
 * }))
 * await batchDeployStreams(client, { definitions })
 * ```
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
  const args = zeros.includes(true) ? [ids, types, zeros] : [ids, types]
  return sendTransaction(client, 'create_streams', [args], params)
}

/**
 * Says whether zeros are kept from now on; what was dropped stays dropped. Owner only.
 *
 * @example
 * ```ts
 * await setAllowZeros(client, { streamId, flag: true })
 * ```
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
 * @example
 * ```ts
 * const keepsZeros = await getAllowZeros(client, { streamId })
 * ```
 */
export async function getAllowZeros(
  client: Client,
  params: { readonly streamId: string; readonly dataProvider?: string | undefined },
): Promise<boolean> {
  const args = [providerOf(client, params.dataProvider), parseStreamId(params.streamId)]
  const [row] = readRows(await callAction(client, 'get_allow_zeros', args), { allow_zeros: 'bool?' })
  return row?.allowZeros ?? false
}

/**
 * Removes a stream with everything in it, for good. Owner only.
 *
 * @example
 * ```ts
 * await destroyStream(client, { streamId })
 * ```
 */
export async function destroyStream(
  client: Client,
  params: { readonly streamId: string } & SendOptions,
): Promise<TxHash> {
  return sendTransaction(
    client,
    'delete_stream',
    [[ownProvider(client), parseStreamId(params.streamId)]],
    params,
  )
}

/**
 * Waits until a transaction has succeeded in a block.
 *
 * @throws transaction_failed when it is in a block and failed there; timeout.
 *
 * @example
 * ```ts
 * const txHash = await setAllowZeros(client, { streamId, flag: true, wait: false })
 * const { height } = await waitForTx(client, { txHash, timeoutMs: 30_000 })
 * ```
 */
export async function waitForTx(
  client: Client,
  params: { readonly txHash: string } & WaitOptions,
): Promise<TxReceipt> {
  return waitForSuccess(client, parseTxHash(params.txHash), params)
}

/**
 * Tells of each locator whether its stream exists.
 *
 * @example
 * ```ts
 * const locators = [{ streamId, dataProvider: provider }]
 * const [{ exists }] = await batchStreamExists(client, { locators })
 * ```
 */
export async function batchStreamExists(
  client: Client,
  params: { readonly locators: readonly StreamLocator[] },
): Promise<readonly (StreamLocator & { readonly exists: boolean })[]> {
  const table = await callAction(client, 'stream_exists_batch', locatorArgs(params.locators))
  return readRows(table, existsShape).map(({ streamExists, ...locator }) => ({
    ...locator,
    exists: streamExists,
  }))
}

/**
 * Keeps the locators whose stream exists, or those whose stream does not.
 *
 * @example
 * ```ts
 * const locators = [{ streamId, dataProvider: provider }]
 * const missing = await batchFilterStreamsByExistence(client, { locators, returnExisting: false })
 * ```
 */
export async function batchFilterStreamsByExistence(
  client: Client,
  params: { readonly locators: readonly StreamLocator[]; readonly returnExisting: boolean },
): Promise<readonly StreamLocator[]> {
  const args = [...locatorArgs(params.locators), params.returnExisting]
  return readRows(await callAction(client, 'filter_streams_by_existence', args), locatorShape)
}

/** What `listStreams` may be asked. */
export interface ListStreamsParams extends Page {
  /** All providers when left out. */
  readonly dataProvider?: string | undefined
  /** `created_at DESC` when left out. */
  readonly orderBy?: StreamOrder | undefined
  /** Only streams created after this height. */
  readonly blockHeight?: number | undefined
}

/**
 * Lists streams, at most 5000 at once.
 *
 * @example
 * ```ts
 * const newest = await listStreams(client, { dataProvider: provider, orderBy: 'created_at DESC', limit: 10 })
 * ```
 */
export async function listStreams(
  client: Client,
  params: ListStreamsParams = {},
): Promise<readonly ListedStream[]> {
  const { dataProvider, orderBy = 'created_at DESC', blockHeight = 0 } = params
  const [limit, offset] = pageOf(params, 5000, 5000)
  if (!/^(created_at|stream_id|stream_type) (ASC|DESC)$/.test(orderBy)) {
    throw invalidArgument(
      `order_by is "${orderBy}", expected created_at, stream_id or stream_type and ASC or DESC`,
    )
  }
  assertInteger(blockHeight, 0, Number.MAX_SAFE_INTEGER, 'block_height cannot be negative')
  const provider = dataProvider ? parseAddress(dataProvider, 'data_provider') : ''
  return readRows(
    await callAction(client, 'list_streams', [provider, limit, offset, orderBy, blockHeight]),
    streamShape,
  )
}

/**
 * Lists streams one by one, reading a page when the last is used up.
 *
 * @example
 * ```ts
 * for await (const { streamId } of iterateStreams(client, { dataProvider: provider })) console.log(streamId)
 * ```
 */
export function iterateStreams(client: Client, params: ListStreamsParams = {}): AsyncIterable<ListedStream> {
  const { limit = 5000, offset = 0 } = params
  return readPages(limit, offset, (size, start) =>
    listStreams(client, { ...params, limit: size, offset: start }),
  )
}

/**
 * The client's own address, EIP-55 form.
 *
 * @example
 * ```ts
 * const address = getCurrentAccount(client)
 * ```
 */
export function getCurrentAccount(client: Client): string {
  return toChecksumAddress(ownProvider(client))
}

/**
 * Tells what kind a stream is.
 *
 * @throws not_found when there is no such stream.
 *
 * @example
 * ```ts
 * const type = await getType(client, { streamId })
 * ```
 */
export async function getType(
  client: Client,
  params: { readonly streamId: string; readonly dataProvider?: string | undefined },
): Promise<StreamType> {
  const provider = providerOf(client, params.dataProvider)
  const args = [provider, parseStreamId(params.streamId), 'type', null, 1, null, 'created_at DESC']
  const rows = readRows(await callAction(client, 'get_metadata', args), { value_s: 'text' })
  const { valueS } = firstOf(rows, 'no type found, check if the stream is initialized')
  assertStreamType(valueS)
  return valueS
}

function locatorArgs(locators: readonly StreamLocator[]): [string[], string[]] {
  assertFilled(locators, 'locators')
  return [
    locators.map(({ dataProvider }) => parseAddress(dataProvider, 'data_provider')),
    locators.map(({ streamId }) => parseStreamId(streamId)),
  ]
}

function assertStreamType(text: string): asserts text is StreamType {
  if (text !== 'primitive' && text !== 'composed') {
    throw invalidArgument(`stream_type is "${text}", expected primitive or composed`)
  }
}
