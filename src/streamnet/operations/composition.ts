/** Composition: the children of a stream, and the streams that may use it. */

import { parseAddress, parseStreamId } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { readTaxonomy, type TaxonomyParams } from '../taxonomy-children.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { insertMetadata, removeRef } from './metadata.ts'
import { assertAtLeast, checkHeights, checkPage, type HeightRange, ownProvider, requireProvider } from './parameters.ts'
import type { StreamLocator } from './stream-list.ts'

/** The children a composed stream has, or had from some date on. */
export interface Taxonomy {
  readonly streamId: string
  readonly childStreams: readonly {
    readonly stream: { readonly streamId: string; readonly dataProvider: string }
    /** Exact decimal text. */
    readonly weight: string
    /** Unix time in seconds from which the version counts. */
    readonly startDate: number
    /** The version the child belongs to. */
    readonly groupSequence: number
  }[]
  /** Block height of the newest version. */
  readonly createdAt: number
}

/**
 * Gives one's own composed stream a new version of its children, valid from a date, or from the beginning.
 *
 * @param params - a weight is decimal text or a number; `startDate` is Unix time in seconds, 0 when left out.
 * @throws StreamNetError invalid_argument when there is no child, or an id, an address, a weight or the date
 * is malformed.
 *
 * @example
 * const basket = generateStreamId(client, { name: 'basket' })
 * await deployStream(client, { streamId: basket, streamType: 'composed' })
 * await setTaxonomy(client, { streamId: basket, childStreams: { [streamId]: 1 } })
 */
export async function setTaxonomy(client: Client, params: TaxonomyParams): Promise<TxHash> {
  return sendTransaction(client, 'insert_taxonomy', [readTaxonomy(client, params)], params)
}

/**
 * Reads the children of one's own stream, of the latest version or of all; null when it has none.
 *
 * @param params - `latestVersion` is true when left out; `dataProvider` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the id or the address is malformed, or there is neither
 * provider nor signer.
 *
 * @example
 * const basket = generateStreamId(client, { name: 'basket' })
 * await deployStream(client, { streamId: basket, streamType: 'composed' })
 * const taxonomy = await describeTaxonomy(client, { streamId: basket })
 */
export async function describeTaxonomy(
  client: Client,
  params: {
    readonly streamId: string
    readonly latestVersion?: boolean | undefined
    readonly dataProvider?: string | undefined
  },
): Promise<Taxonomy | null> {
  const { streamId, latestVersion = true, dataProvider } = params
  const provider = requireProvider(client, dataProvider)
  const rows = readRows(
    await callAction(client, 'describe_taxonomies', [provider, parseStreamId(streamId), latestVersion]),
    {
      child_data_provider: 'text',
      child_stream_id: 'text',
      weight: 'decimal',
      created_at: 'int',
      group_sequence: 'int',
      start_date: 'int',
    },
  )
  if (rows.length === 0) return null
  const childStreams = rows.map(({ childStreamId, childDataProvider, weight, startDate, groupSequence }) => ({
    stream: { streamId: childStreamId, dataProvider: childDataProvider },
    weight,
    startDate,
    groupSequence,
  }))
  return { streamId, childStreams, createdAt: Math.max(...rows.map(({ createdAt }) => createdAt)) }
}

const taxonomyShape = {
  data_provider: 'text',
  stream_id: 'text',
  child_data_provider: 'text',
  child_stream_id: 'text',
  weight: 'decimal',
  created_at: 'int',
  group_sequence: 'int',
  start_time: 'int',
} as const

/** A child of a composed stream; `createdAt` is a block height, `startTime` Unix time in seconds. */
export type TaxonomyEntry = Row<typeof taxonomyShape>

/**
 * Reads the children of many composed streams in one request.
 *
 * @param params - `latestOnly` leaves out versions before the newest of each stream; false when left out.
 * @throws StreamNetError invalid_argument when an id or an address is malformed.
 *
 * @example
 * const children = await getTaxonomiesForStreams(client, { locators: [{ streamId, dataProvider: provider }] })
 */
export async function getTaxonomiesForStreams(
  client: Client,
  params: { readonly locators: readonly StreamLocator[]; readonly latestOnly?: boolean | undefined },
): Promise<readonly TaxonomyEntry[]> {
  const { locators, latestOnly = false } = params
  if (locators.length === 0) return []
  const providers = locators.map(({ dataProvider }) => parseAddress(dataProvider, 'data_provider'))
  const ids = locators.map(({ streamId }) => parseStreamId(streamId))
  const table = await callAction(client, 'get_taxonomies_for_streams', [providers, ids, latestOnly])
  return readRows(table, taxonomyShape)
}

/**
 * Lists the children that were set within a range of heights, oldest first; without heights within the last 1000
 * blocks.
 *
 * @param params - `limit` is 1 to 10,000 rows, 1000 when left out.
 * @throws StreamNetError invalid_argument when a height or the page is out of range.
 *
 * @example
 * const children = await listTaxonomiesByHeight(client, { fromHeight: 1, toHeight: 1000 })
 */
export async function listTaxonomiesByHeight(
  client: Client,
  params: HeightRange & { readonly latestOnly?: boolean | undefined } = {},
): Promise<readonly TaxonomyEntry[]> {
  const args = [...checkHeights(params), ...checkPage(params, 1000, 10_000), params.latestOnly ?? false]
  return readRows(await callAction(client, 'list_taxonomies_by_height', args), taxonomyShape)
}

/**
 * Takes a version of the children of one's own stream out of use.
 *
 * @param params - `groupSequence` as `describeTaxonomy` gives it; a version that does not exist changes nothing.
 * @throws StreamNetError invalid_argument when the id is malformed or the version negative.
 *
 * @example
 * await disableTaxonomy(client, { streamId, groupSequence: 1 })
 */
export async function disableTaxonomy(
  client: Client,
  params: { readonly streamId: string; readonly groupSequence: number } & SendOptions,
): Promise<TxHash> {
  const { groupSequence } = params
  assertAtLeast(groupSequence, 0, 'group_sequence must be >= 0')
  const args = [ownProvider(client), parseStreamId(params.streamId), groupSequence]
  return sendTransaction(client, 'disable_taxonomy', [args], params)
}

/** A stream, and another that may compose it. */
export interface ComposeParams extends SendOptions {
  readonly streamId: string
  /** The composed stream that may use it; the stream's own id when left out, as the network's clients do. */
  readonly parentStreamId?: string | undefined
}

/**
 * Allows a composed stream to use one's own private stream as a child.
 *
 * @param params - `streamId` is the child, `parentStreamId` the composed stream.
 * @throws StreamNetError invalid_argument when an id is malformed or the client has no signer.
 *
 * @example
 * const basket = generateStreamId(client, { name: 'basket' })
 * await allowComposeStream(client, { streamId, parentStreamId: basket })
 */
export async function allowComposeStream(client: Client, params: ComposeParams): Promise<TxHash> {
  return insertMetadata(client, params, ['allow_compose_stream', parseParent(params), 'ref'])
}

/**
 * Takes back what `allowComposeStream` allowed.
 *
 * @param params - `streamId` is the child, `parentStreamId` the composed stream.
 * @throws StreamNetError invalid_argument when an id is malformed or the client has no signer.
 * @throws StreamNetError not_found when it was never allowed.
 *
 * @example
 * const basket = generateStreamId(client, { name: 'basket' })
 * await allowComposeStream(client, { streamId, parentStreamId: basket })
 * await disableComposeStream(client, { streamId, parentStreamId: basket })
 */
export async function disableComposeStream(client: Client, params: ComposeParams): Promise<TxHash> {
  return removeRef(client, params, ['allow_compose_stream', parseParent(params)])
}

function parseParent({ streamId, parentStreamId = streamId }: ComposeParams): string {
  return parseStreamId(parentStreamId)
}
