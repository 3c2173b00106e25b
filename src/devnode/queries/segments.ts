/** The stretches of time during which one taxonomy of a composed stream is in force. */

import { memoBounded } from '../../base/memo.ts'
import { compare } from '../compare.ts'
import { endOfTime } from '../state/events.ts'
import { listTaxonomyRows, type TaxonomyRow } from '../state/taxonomies.ts'
import type { Reader } from './reader.ts'

/** One taxonomy of a parent while it is in force. */
export interface Segment {
  readonly start: bigint
  /** The last moment, included; `openEnd` for the taxonomy without a successor. */
  readonly end: bigint
  readonly children: readonly { readonly ref: number; readonly weight: bigint }[]
  /** The sum of the weights, scaled by 10^18. */
  readonly totalWeight: bigint
}

/** The end of a segment that nothing succeeds. */
export const openEnd = endOfTime - 1n

/**
 * The segments of a parent in the order of time. Every start time opens one that lasts until the next. Among the rows
 * of one start time those of the highest group win; rows of other groups and disabled rows count for nothing.
 */
function readSegments(reader: Reader, parent: number): Segment[] {
  const byStart = new Map<bigint, TaxonomyRow[]>()
  for (const row of listTaxonomyRows(reader.store, parent)) {
    reader.budget.spend(1)
    if (row.disabledAt !== undefined) continue
    const rows = byStart.get(row.startTime)
    if (rows === undefined || (rows[0]?.group ?? 0) < row.group) byStart.set(row.startTime, [row])
    else if (rows[0]?.group === row.group) rows.push(row)
  }
  const starts = [...byStart.keys()].sort(compare)
  return starts.map((start, index) => {
    const next = starts[index + 1]
    const children = (byStart.get(start) ?? []).map((row) => ({ ref: row.child, weight: row.weight }))
    return {
      start,
      end: next === undefined ? openEnd : next - 1n,
      children,
      totalWeight: children.reduce((sum, child) => sum + child.weight, 0n),
    }
  })
}

/** Reads the segments of each parent once. */
export function cachedSegments(reader: Reader): (parent: number) => readonly Segment[] {
  return memoBounded(Infinity, (parent) => readSegments(reader, parent))
}

/** The latest start time at or before a moment, 0 when there is none. */
export function anchorStart(segments: readonly Segment[], at: bigint): bigint {
  return segments.findLast((segment) => segment.start <= at)?.start ?? 0n
}
