/** Insertion of taxonomies: the checks in the order of the network, the fee, and the rows. */

import { actionError, duplicateError, requireColumn, sqlError } from '../errors.ts'
import { requireStream } from '../queries/access.ts'
import { isWriter } from '../queries/permissions.ts'
import { chargeRows } from '../queries/reader.ts'
import { findStream, type Stream } from '../state/streams.ts'
import {
  hasTaxonomyRow,
  latestGroup,
  listTaxonomyRows,
  putTaxonomyRow,
  type TaxonomyPlace,
} from '../state/taxonomies.ts'
import { type ActionContext, type ArgumentsOf, locator } from './action.ts'
import { missingStreamText } from './checks.ts'
import { chargeFee, recordPayment } from './fees.ts'

/** The parameters of `insert_taxonomy`: a stream, and its children side by side. */
export const taxonomyParameters = {
  ...locator,
  child_data_providers: 'TEXT[]',
  child_stream_ids: 'TEXT[]',
  weights: 'NUMERIC(36,18)[]',
  start_date: 'INT',
} as const

type TaxonomyArguments = ArgumentsOf<typeof taxonomyParameters>

/**
 * Gives a composed stream of the caller new children from a time on; action_failed when a list or a stream is refused,
 * the children would make a cycle, or the caller may not or cannot pay.
 */
export function insertTaxonomy(context: ActionContext, args: TaxonomyArguments): void {
  const parent = requireParent(context, args.data_provider, args.stream_id)
  const children = pairChildren(args)
  if (children.length === 0) throw actionError('There must be at least 1 child')
  const payment = chargeFee(
    context,
    context.profile.taxonomyFeePerChild * BigInt(children.length),
    'Insufficient balance for taxonomies creation. Required: 10 TRUF per child stream',
  )
  const group = latestGroup(context.store, parent.ref) + 1
  for (const [index, named] of children.entries()) {
    const child = requireChild(context, named)
    const place = { parent: parent.ref, child: child.ref, startTime: args.start_date ?? 0n, group }
    insertRow(context, { ...place, index }, named.weight)
  }
  assertAcyclic(context, parent)
  recordPayment(context, 'setTaxonomies', payment)
}

function requireParent(context: ActionContext, dataProvider: string | null, streamId: string | null): Stream {
  const parent = requireStream(context, dataProvider, streamId, missingStreamText(context))
  if (parent.type === 'primitive') throw actionError('stream is not a composed stream')
  if (isWriter(context.store, parent.ref, context.caller.toLowerCase())) return parent
  throw actionError('wallet not allowed to write')
}

interface NamedChild {
  /** In lower case. */
  readonly provider: string | null
  readonly childId: string | null
  /** Scaled by 10^18. */
  readonly weight: bigint | null
}

/** Pairs the lists of children; action_failed when they differ in length. */
function pairChildren({ child_data_providers, child_stream_ids, weights }: TaxonomyArguments): readonly NamedChild[] {
  const counts = [child_stream_ids, child_data_providers, weights].flatMap((list) => list?.length ?? [])
  // A list of null has no length to compare, unless it is the one that the others are compared with.
  const lacksIds = child_stream_ids === null && counts.length > 0
  if (lacksIds || new Set(counts).size > 1) throw actionError('All child arrays must be of the same length')
  return Array.from({ length: counts[0] ?? 0 }, (_, index) => ({
    provider: child_data_providers?.[index]?.toLowerCase() ?? null,
    childId: child_stream_ids?.[index] ?? null,
    weight: weights?.[index] ?? null,
  }))
}

function requireChild({ store }: ActionContext, { provider, childId }: NamedChild): Stream {
  const child = findStream(store, provider, childId)
  if (child !== undefined) return child
  // Text that is put together with null is null on the network.
  const isNamed = provider !== null && childId !== null
  throw actionError(isNamed ? `child stream does not exist: ${provider}:${childId}` : '')
}

/** Stores one child. The network makes the row's id of parent, child and the child's place in the list. */
function insertRow(
  { store, height, txId, claimId }: ActionContext,
  { index, ...row }: TaxonomyPlace & { readonly index: number },
  given: bigint | null,
): void {
  const weight = requireColumn(given, 'weight', 'taxonomies')
  if (row.startTime < 0n) throw violates('taxonomies_start_time_check')
  if (weight < 0n) throw violates('taxonomies_weight_check')
  claimId('taxonomies_pkey', `${row.parent} ${row.child} ${index}`)
  if (hasTaxonomyRow(store, row)) throw duplicateError('tax_child_unique_idx')
  putTaxonomyRow(store, { ...row, weight, createdAt: height, disabledAt: undefined, txId })
}

/** Refuses a taxonomy by which a stream is made of itself, in whose reads the network runs into its time limit. */
function assertAcyclic({ store, budget }: ActionContext, parent: Stream): void {
  const seen = new Set<number>()
  const open = [parent.ref]
  for (let stream = open.pop(); stream !== undefined; stream = open.pop()) {
    for (const { child, disabledAt } of chargeRows(budget, listTaxonomyRows(store, stream))) {
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
