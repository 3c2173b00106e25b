/** Actions on taxonomies: of which children a composed stream is made. */

import { groupBy } from '../../base/group-by.ts'
import { compare } from '../compare.ts'
import { actionError } from '../errors.ts'
import { requireStream } from '../queries/access.ts'
import { isWriter, streamsBelow } from '../queries/permissions.ts'
import { chargeRows } from '../queries/reader.ts'
import { findStream, findStreamByRef, type Stream } from '../state/streams.ts'
import { listAllTaxonomyRows, listTaxonomyRows, putTaxonomyRow, type TaxonomyRow } from '../state/taxonomies.ts'
import { type Action, type ActionContext, change, columns, listing, locator, locators, table, view } from './action.ts'
import { atLeastZero, heightRange, pairLocators, slicePage, toSpan } from './checks.ts'
import { insertTaxonomy, taxonomyParameters } from './taxonomy-insertion.ts'

interface NamedRow extends TaxonomyRow {
  readonly parentStream: Stream
  readonly childStream: Stream
}

const listed = columns<NamedRow>({
  data_provider: ['TEXT', (one) => one.parentStream.dataProvider],
  stream_id: ['TEXT', (one) => one.parentStream.streamId],
  child_data_provider: ['TEXT', (one) => one.childStream.dataProvider],
  child_stream_id: ['TEXT', (one) => one.childStream.streamId],
  weight: ['NUMERIC(36,18)', (one) => one.weight],
  created_at: ['INT8', (one) => one.createdAt],
  group_sequence: ['INT8', (one) => one.group],
  start_time: ['INT8', (one) => one.startTime],
})
const { start_time, ...described } = listed.types

/** The network's actions on taxonomies. */
export const taxonomyActions: readonly Action[] = [
  change('insert_taxonomy', taxonomyParameters, insertTaxonomy),
  change(
    'disable_taxonomy',
    { ...locator, group_sequence: 'INT' },
    (context, { data_provider, stream_id, group_sequence }) => {
      const stream = findStream(context.store, data_provider ?? '', stream_id ?? '')
      if (stream === undefined || !isWriter(context.store, stream.ref, context.caller.toLowerCase())) {
        throw actionError('wallet not allowed to write')
      }
      for (const row of [...listTaxonomyRows(context.store, stream.ref)]) {
        if (BigInt(row.group) === group_sequence) {
          putTaxonomyRow(context.store, { ...row, disabledAt: context.height })
        }
      }
    },
  ),
  view(
    'describe_taxonomies',
    { ...locator, latest_group_sequence: 'BOOL' },
    table({ ...described, created_at: 'INT', group_sequence: 'INT', start_date: 'INT' }),
    (context, { data_provider, stream_id, latest_group_sequence }) => {
      const stream = findStream(context.store, data_provider ?? '', stream_id ?? '')
      if (stream === undefined) return []
      const rows = enabledRows(context, stream)
      const latest = rows.reduce((highest, row) => Math.max(highest, row.group), 0)
      const chosen = latest_group_sequence === true ? rows.filter((row) => row.group === latest) : rows
      chosen.sort((left, right) => right.group - left.group)
      return nameStreams(context, chosen).map(listed.cells)
    },
  ),
  view(
    'get_category_streams',
    { ...locator, active_from: 'INT', active_to: 'INT' },
    table(locator),
    (context, { data_provider, stream_id, active_from, active_to }) => {
      const root = requireStream(context, data_provider, stream_id)
      const below = streamsBelow(context, root, toSpan(active_from, active_to))
      return [root, ...below].map((stream) => [stream.dataProvider, stream.streamId])
    },
  ),
  listing(
    'get_taxonomies_for_streams',
    { ...locators, latest_only: 'BOOL' },
    listed,
    (context, { data_providers, stream_ids, latest_only }) => {
      const streams = new Map<number, Stream>()
      const locators = pairLocators(data_providers ?? [], stream_ids ?? [])
      for (const { dataProvider, streamId } of locators) {
        const stream = findStream(context.store, dataProvider, streamId)
        if (stream !== undefined) streams.set(stream.ref, stream)
      }
      const rows = [...streams.values()].flatMap((stream) => {
        const enabled = enabledRows(context, stream)
        return latest_only === true ? selectLatest(enabled) : enabled
      })
      return nameStreams(context, rows.sort(byAge))
    },
  ),
  listing(
    'list_taxonomies_by_height',
    { from_height: 'INT8', to_height: 'INT8', limit: 'INT', offset: 'INT', latest_only: 'BOOL' },
    listed,
    (context, { from_height, to_height, limit, offset, latest_only }) => {
      const height = BigInt(context.height)
      // Without any bound it is the last thousand blocks.
      const isOpen = from_height === null && to_height === null
      const [from, to] = heightRange(
        isOpen ? atLeastZero(height - 1000n) : (from_height ?? 0n),
        isOpen ? height : (to_height ?? height),
      )
      const rows: TaxonomyRow[] = []
      for (const row of chargeRows(context.budget, listAllTaxonomyRows(context.store))) {
        if (row.disabledAt === undefined && row.createdAt >= from && row.createdAt <= to) rows.push(row)
      }
      const chosen =
        latest_only === true ? [...groupBy(rows, ({ parent }) => parent).values()].flatMap(selectLatest) : rows
      const named = nameStreams(context, chosen.sort(byAge))
      // Only of the latest versions the network orders what one block has written.
      if (latest_only === true)
        named.sort((left, right) => byAge(left, right) || compare(joinNames(left), joinNames(right)))
      return slicePage(named, atLeastZero(limit ?? 1000n), atLeastZero(offset ?? 0n))
    },
  ),
]

function enabledRows({ store, budget }: ActionContext, stream: Stream): TaxonomyRow[] {
  return [...chargeRows(budget, listTaxonomyRows(store, stream.ref))].filter((row) => row.disabledAt === undefined)
}

/** The rows of the newest block, and of those the rows of the highest group. */
function selectLatest(rows: readonly TaxonomyRow[]): readonly TaxonomyRow[] {
  const newest = rows.reduce((height, row) => Math.max(height, row.createdAt), 0)
  const ofBlock = rows.filter((row) => row.createdAt === newest)
  const group = ofBlock.reduce((highest, row) => Math.max(highest, row.group), 0)
  return ofBlock.filter((row) => row.group === group)
}

function byAge(left: TaxonomyRow, right: TaxonomyRow): number {
  return left.createdAt - right.createdAt || left.group - right.group
}

function joinNames({ parentStream, childStream }: NamedRow): string {
  return [parentStream, childStream].map(({ dataProvider, streamId }) => `${dataProvider} ${streamId}`).join(' ')
}

/** Rows with both streams; one whose child is gone is left out. */
function nameStreams({ store }: ActionContext, rows: readonly TaxonomyRow[]): NamedRow[] {
  return rows.flatMap((row) => {
    const [parentStream, childStream] = [findStreamByRef(store, row.parent), findStreamByRef(store, row.child)]
    return parentStream === undefined || childStream === undefined ? [] : [{ ...row, parentStream, childStream }]
  })
}
