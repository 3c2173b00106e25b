/** Finding and listing streams. */

import { invalidArgument } from '../errors.ts'
import { parseAddress, parseStreamId } from '../ids.ts'
import { iterateList } from '../pages.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { assertAtLeast, assertFilled, checkPage, mostListed, type Page } from './parameters.ts'

/** The place of a stream. */
export interface StreamLocator {
  readonly streamId: string
  /** Address of its owner. */
  readonly dataProvider: string
}

/** The orders of `listStreams`, the node's exact texts. */
export type StreamOrder = `${'created_at' | 'stream_id' | 'stream_type'} ${'ASC' | 'DESC'}`

const streamShape = { data_provider: 'text', stream_id: 'text', stream_type: 'text', created_at: 'int' } as const
const locatorShape = { data_provider: 'text', stream_id: 'text' } as const
const existsShape = { ...locatorShape, stream_exists: 'bool' } as const

/** One row of `listStreams`; `createdAt` is a block height. */
export type ListedStream = Row<typeof streamShape>

/**
 * Tells of each locator whether its stream exists.
 *
 * @param params - `locators` have a stream id and the address of its owner.
 * @throws StreamNetError invalid_argument when there is no locator, or one is malformed.
 *
 * @example
 * const locators = [{ streamId, dataProvider: provider }]
 * const [{ exists }] = await batchStreamExists(client, { locators })
 */
export async function batchStreamExists(
  client: Client,
  params: { readonly locators: readonly StreamLocator[] },
): Promise<readonly (StreamLocator & { readonly exists: boolean })[]> {
  const table = await callAction(client, 'stream_exists_batch', locatorArgs(params.locators))
  return readRows(table, existsShape).map(({ streamExists, ...locator }) => ({ ...locator, exists: streamExists }))
}

/**
 * Keeps the locators whose stream exists, or those whose stream does not.
 *
 * @param params - `locators` have a stream id and the address of its owner; `returnExisting` false keeps
 * those that are missing.
 * @throws StreamNetError invalid_argument when there is no locator, or one is malformed.
 *
 * @example
 * const locators = [{ streamId, dataProvider: provider }]
 * const missing = await batchFilterStreamsByExistence(client, { locators, returnExisting: false })
 */
export async function batchFilterStreamsByExistence(
  client: Client,
  params: { readonly locators: readonly StreamLocator[]; readonly returnExisting: boolean },
): Promise<readonly StreamLocator[]> {
  const args = [...locatorArgs(params.locators), params.returnExisting]
  return readRows(await callAction(client, 'filter_streams_by_existence', args), locatorShape)
}

/** Parameters of `listStreams`. */
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
 * @param params - `limit` is 1 to 5000 rows; `blockHeight` leaves out streams up to that block.
 * @throws StreamNetError invalid_argument when the provider, the order, the height or the page is out of its
 * form.
 *
 * @example
 * const newest = await listStreams(client, { dataProvider: provider, orderBy: 'created_at DESC', limit: 10 })
 */
export async function listStreams(client: Client, params: ListStreamsParams = {}): Promise<readonly ListedStream[]> {
  const { dataProvider, orderBy = 'created_at DESC', blockHeight = 0 } = params
  const [limit, offset] = checkPage(params, mostListed, mostListed)
  if (!/^(created_at|stream_id|stream_type) (ASC|DESC)$/.test(orderBy)) {
    throw invalidArgument(`order_by is "${orderBy}", expected created_at, stream_id or stream_type and ASC or DESC`)
  }
  assertAtLeast(blockHeight, 0, 'block_height cannot be negative')
  const provider = dataProvider ? parseAddress(dataProvider, 'data_provider') : ''
  return readRows(
    await callAction(client, 'list_streams', [provider, limit, offset, orderBy, blockHeight]),
    streamShape,
  )
}

/**
 * Lists streams one by one, reading a page when the last is used up.
 *
 * @param params - as of `listStreams`; `limit` is the rows of a page.
 * @throws StreamNetError as `listStreams` does.
 *
 * @example
 * for await (const { streamId } of iterateStreams(client, { dataProvider: provider })) console.log(streamId)
 */
export function iterateStreams(client: Client, params: ListStreamsParams = {}): AsyncIterable<ListedStream> {
  return iterateList(listStreams, client, params, mostListed)
}

function locatorArgs(locators: readonly StreamLocator[]): [string[], string[]] {
  assertFilled(locators, 'locators')
  return [
    locators.map(({ dataProvider }) => parseAddress(dataProvider, 'data_provider')),
    locators.map(({ streamId }) => parseStreamId(streamId)),
  ]
}
