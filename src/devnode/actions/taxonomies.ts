/** Actions on taxonomies: of which children a composed stream is made. */

import { groupBy } from '../../base/group-by.ts'
import { compare } from '../compare.ts'
import { actionError, duplicateError, requireColumn, sqlError } from '../errors.ts'
import { isWriter, streamsBelow } from '../queries/permissions.ts'
import { requireStream } from '../queries/series.ts'
import { findStream, findStreamByRef, type Stream } from '../state/streams.ts'
import {
  hasTaxonomyRow,
  latestGroup,
  listAllTaxonomyRows,
  listTaxonomyRows,
  putTaxonomyRow,
  type TaxonomyPlace,
  type TaxonomyRow,
} from '../state/taxonomies.ts'
import { type Action, type ActionContext, change, columns, locator, locators, table, view } from './action.ts'
import { atLeastZero, heightRange, pairLocators, slicePage, toSpan } from './checks.ts'
import { chargeFee, recordPayment } from './fees.ts'

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
  change(
    'insert_taxonomy',
    {
      ...locator,
      child_data_providers: 'TEXT[]',
      child_stream_ids: 'TEXT[]',
      weights: 'NUMERIC(36,18)[]',
      start_date: 'INT',
    },
    (context, args) => {
      const { child_data_providers, child_stream_ids, weights: givenWeights } = args
      const parent = requireParent(context, args.data_provider, args.stream_id)
      const counts = [child_stream_ids, child_data_providers, givenWeights].flatMap((list) => list?.length ?? [])
      // A list of null has no length to compare, unless it is the one that the others are compared with.
      const isAlone = child_stream_ids === null && counts.length > 0
      if (isAlone || new Set(counts).size > 1) {
        throw actionError('All child arrays must be of the same length')
      }
      const children = Array.from({ length: counts[0] ?? 0 }, (_, index) => child_stream_ids?.[index] ?? null)
      const providers = child_data_providers ?? []
      const weights = givenWeights ?? []
      if (children.length === 0) throw actionError('There must be at least 1 child')
      const payment = chargeFee(
        context,
        context.profile.taxonomyFeePerChild * BigInt(children.length),
        'Insufficient balance for taxonomies creation. Required: 10 TRUF per child stream',
      )
      const startTime = args.start_date ?? 0n
      const group = latestGroup(context.store, parent.ref) + 1
      children.forEach((childId, index) => {
        const provider = providers[index]?.toLowerCase() ?? null
        const child = findStream(context.store, provider, childId)
        if (child === undefined) {
          // Text that is put together with null is null on the network.
          const isNamed = provider !== null && childId !== null
          throw actionError(isNamed ? `child stream does not exist: ${provider}:${childId}` : '')
        }
        insertRow(context, { parent: parent.ref, child: child.ref, startTime, group }, weights[index] ?? null)
      })
      assertAcyclic(context, parent)
      recordPayment(context, 'setTaxonomies', payment)
    },
  ),
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
  view(
    'get_taxonomies_for_streams',
    { ...locators, latest_only: 'BOOL' },
    table(listed.types),
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
      return nameStreams(context, rows.sort(byAge)).map(listed.cells)
    },
  ),
  view(
    'list_taxonomies_by_height',
    { from_height: 'INT8', to_height: 'INT8', limit: 'INT', offset: 'INT', latest_only: 'BOOL' },
    table(listed.types),
    (context, { from_height, to_height, limit, offset, latest_only }) => {
      const height = BigInt(context.height)
      // Without any bound it is the last thousand blocks.
      const isOpen = from_height === null && to_height === null
      const [from, to] = heightRange(
        isOpen ? atLeastZero(height - 1000n) : (from_height ?? 0n),
        isOpen ? height : (to_height ?? height),
      )
      const rows: TaxonomyRow[] = []
      for (const row of listAllTaxonomyRows(context.store)) {
        context.budget.spend(1)
        const at = BigInt(row.createdAt)
        if (row.disabledAt === undefined && at >= from && at <= to) rows.push(row)
      }
      const chosen =
        latest_only === true ? [...groupBy(rows, ({ parent }) => parent).values()].flatMap(selectLatest) : rows
      const named = nameStreams(context, chosen.sort(byAge))
      // Only of the latest versions the network orders what one block has written.
      if (latest_only === true)
        named.sort((left, right) => byAge(left, right) || compare(joinNames(left), joinNames(right)))
      return slicePage(named, atLeastZero(limit ?? 1000n), atLeastZero(offset ?? 0n)).map(listed.cells)
    },
  ),
]

function requireParent(context: ActionContext, dataProvider: string | null, streamId: string | null): Stream {
  const state = context.profile.answers === 'current' ? 'Stream not found' : 'Stream does not exist'
  const parent = requireStream(context, dataProvider, streamId, state)
  if (parent.type === 'primitive') throw actionError('stream is not a composed stream')
  if (isWriter(context.store, parent.ref, context.caller.toLowerCase())) return parent
  throw actionError('wallet not allowed to write')
}

function insertRow({ store, height, txId }: ActionContext, row: TaxonomyPlace, given: bigint | null): void {
  const weight = requireColumn(given, 'weight', 'taxonomies')
  if (row.startTime < 0n) throw violates('taxonomies_start_time_check')
  if (weight < 0n) throw violates('taxonomies_weight_check')
  if (hasTaxonomyRow(store, row)) throw duplicateError('tax_child_unique_idx')
  putTaxonomyRow(store, { ...row, weight, createdAt: height, disabledAt: undefined, txId })
}

/** Refuses a taxonomy by which a stream is made of itself, in whose reads the network runs into its time limit. */
function assertAcyclic({ store, budget }: ActionContext, parent: Stream): void {
  const seen = new Set<number>()
  const open = [parent.ref]
  for (let stream = open.pop(); stream !== undefined; stream = open.pop()) {
    for (const { child, disabledAt } of listTaxonomyRows(store, stream)) {
      budget.spend(1)
      if (disabledAt === undefined && child === parent.ref) {
        throw actionError(`taxonomy contains a cycle: ${parent.dataProvider}:${parent.streamId}`)
      }
      if (disabledAt !== undefined || seen.has(child)) continue
      seen.add(child)
      open.push(child)
    }
  }
}

function violates(constraint: string): Error {
  return sqlError(`new row for relation "taxonomies" violates check constraint "${constraint}"`, '23514')
}

function enabledRows({ store, budget }: ActionContext, stream: Stream): TaxonomyRow[] {
  const rows: TaxonomyRow[] = []
  for (const row of listTaxonomyRows(store, stream.ref)) {
    budget.spend(1)
    if (row.disabledAt === undefined) rows.push(row)
  }
  return rows
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
