/** Taxonomies of local streams: new children of a composed stream, and children that no longer count. */

import { rescaleDecimal } from '../../base/decimal.ts'
import { scale } from '../numeric.ts'
import { findStream } from '../state/streams.ts'
import { latestGroup, listTaxonomyRows, putTaxonomyRow } from '../state/taxonomies.ts'
import { assertStreamId, findNumericFault, invalid, parseLocalDecimal, requireStream } from './checks.ts'
import type { LocalStreams } from './ledger.ts'

/** The children of a composed stream from a time on, one at least, with their weights as decimal text. */
interface LocalTaxonomy {
  readonly streamId: string
  readonly children: readonly Readonly<Record<'childId' | 'weight', string>>[]
  readonly startTime: bigint
}

/** Gives a composed stream new children; local_invalid when a stream or a weight is refused. */
export function insertLocalTaxonomy(local: LocalStreams, taxonomy: LocalTaxonomy): void {
  const { store, operator, height } = local
  const { streamId, startTime } = taxonomy
  assertStreamId(streamId)
  if (startTime < 0n) throw invalid('start_date must be >= 0')
  const weights = parseWeights(taxonomy.children)
  const parent = findStream(store, operator, streamId)
  if (parent === undefined) throw invalid(`parent stream not found: ${streamId}`)
  if (parent.type !== 'composed') throw invalid(`stream ${streamId} is not a composed stream`)
  const group = latestGroup(store, parent.ref) + 1
  for (const [childId, weight] of weights) {
    const child = findStream(store, operator, childId)
    if (child === undefined) throw invalid(`child stream not found in local storage: ${childId}`)
    const row = { parent: parent.ref, child: child.ref, weight, startTime, group }
    putTaxonomyRow(store, { ...row, createdAt: height, disabledAt: undefined })
  }
}

/** Takes a taxonomy out of use; local_invalid when the stream or its group is unknown, or disabled already. */
export function disableLocalTaxonomy(local: LocalStreams, streamId: string, group: bigint): void {
  assertStreamId(streamId)
  if (group < 0n) throw invalid('group_sequence must be >= 0')
  const stream = requireStream(local, streamId)
  if (stream.type !== 'composed') throw invalid(`stream ${streamId} is not a composed stream`)
  const rows = [...listTaxonomyRows(local.store, stream.ref)].filter(
    (row) => BigInt(row.group) === group && row.disabledAt === undefined,
  )
  if (rows.length === 0) {
    throw invalid(`taxonomy group ${group} not found or already disabled on stream ${streamId}`)
  }
  for (const row of rows) putTaxonomyRow(local.store, { ...row, disabledAt: local.height })
}

/** The weights by child, scaled by 10^18. */
function parseWeights(children: LocalTaxonomy['children']): ReadonlyMap<string, bigint> {
  const weights = new Map<string, bigint>()
  for (const [index, { childId, weight }] of children.entries()) {
    assertStreamId(childId, `child ${index}: `)
    const parsed = parseWeight(weight, `child ${index}: weight`)
    if (weights.has(childId)) throw invalid(`child ${index}: duplicate child_stream_id`)
    weights.set(childId, parsed)
  }
  return weights
}

function parseWeight(text: string, subject: string): bigint {
  const weight = parseLocalDecimal(text, `${subject} must be a valid decimal number`)
  if (weight.coefficient < 0n) throw invalid(`${subject} must be non-negative`)
  const fault = findNumericFault(weight)
  if (fault !== undefined) throw invalid(`${subject} exceeds NUMERIC(36,18): ${fault}`)
  return rescaleDecimal(weight, scale)
}
