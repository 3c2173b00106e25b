/** The ways from a composed stream down to its primitive streams, each with its weight and its stretch of time. */

import { divideRounded, powerOfTen } from '../../base/decimal.ts'
import { memoBounded } from '../../base/memo.ts'
import { assertNumeric, divideExactly, multiply, one } from '../numeric.ts'
import { findStreamByRef } from '../state/streams.ts'
import { listTaxonomyRows } from '../state/taxonomies.ts'
import type { Reader } from './reader.ts'
import { anchorStart, cachedSegments, openEnd, type Segment } from './segments.ts'

/** One way down from the root; the same stream may be reached in several. */
export interface Path {
  /** The stream at its end; in what `walkPaths` returns a primitive one, or a leaf of `endsAtChildless`. */
  readonly stream: number
  /** Scaled by 10^18. */
  readonly weight: bigint
  readonly start: bigint
  /** Included; `openEnd` when the path does not end. */
  readonly end: bigint
}

/** The rule by which weights combine along a path, and its greatest depth. */
export interface Weighting {
  readonly maxDepth: number
  /** True where a composed stream without a taxonomy ends a path, as a primitive stream does. */
  readonly endsAtChildless?: true
  combine(parentWeight: bigint, childWeight: bigint, segment: Segment): bigint
}

/** Values: the product of the weights as they are, rounded at each level; nothing is normalised. */
export const recordWeighting: Weighting = { maxDepth: 1000, combine: multiply }

/** Indexes: below the first level a weight is its share in its segment, and only the product is rounded to 18. */
export const indexWeighting: Weighting = {
  maxDepth: 10,
  combine(parentWeight, childWeight, segment) {
    const share = divideExactly(childWeight, segment.totalWeight)
    const product = parentWeight * share.coefficient
    return assertNumeric(divideRounded(product, powerOfTen(share.scale)))
  },
}

/** Values by the actions with the old prefix: one hundred levels. */
export const datedRecordWeighting: Weighting = { maxDepth: 100, combine: multiply }

/** Indexes by those actions: one hundred levels, and siblings that weigh nothing together bring nothing to the root. */
export const datedIndexWeighting: Weighting = {
  maxDepth: 100,
  combine: (parentWeight, childWeight, segment) =>
    segment.totalWeight === 0n ? 0n : indexWeighting.combine(parentWeight, childWeight, segment),
}

/** Local streams: products as for values, one hundred levels. */
export const localWeighting: Weighting = { maxDepth: 100, combine: multiply, endsAtChildless: true }

/** The moments between which paths count, and the rule of their weights. */
interface Walk {
  readonly from: bigint
  readonly to: bigint
  readonly weighting: Weighting
}

/**
 * Walks from the root to every primitive stream that counts between two moments. Fails when all siblings weigh nothing
 * and their shares are asked for, or there are too many paths.
 *
 * A path lasts while all its segments do. It is dropped when it is empty, when it ends before the root's own taxonomy
 * at `from` began, or when it starts after `to`.
 */
export function walkPaths(reader: Reader, root: number, { from, to, weighting }: Walk): Path[] {
  const segmentsOf = cachedSegments(reader)
  const isPrimitive = cachedIsPrimitive(reader)
  const anchor = anchorStart(segmentsOf(root), from)
  const isLeaf = (stream: number) =>
    isPrimitive(stream) || (weighting.endsAtChildless === true && segmentsOf(stream).length === 0)
  const paths: Path[] = []
  const open: OpenPath[] = [{ stream: root, weight: one, start: 0n, end: openEnd, depth: 0 }]
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    if (parent.depth >= weighting.maxDepth) continue
    for (const segment of segmentsOf(parent.stream)) {
      const start = segment.start > parent.start ? segment.start : parent.start
      const end = segment.end < parent.end ? segment.end : parent.end
      if (start > end || end < anchor || start > to) continue
      for (const child of segment.children) {
        // A child of the root has its own weight, which no rule changes.
        const weight = parent.depth === 0 ? child.weight : weighting.combine(parent.weight, child.weight, segment)
        reader.budget.spend(1)
        const path = { stream: child.ref, weight, start, end }
        if (isLeaf(child.ref)) paths.push(path)
        else open.push({ ...path, depth: parent.depth + 1 })
      }
    }
  }
  return paths
}

/** A path that has not reached a leaf. */
interface OpenPath extends Path {
  /** The number of its edges; 0 at the root. */
  readonly depth: number
}

/** The primitive streams below a root by any row that is not disabled, of any group and time. */
export function findLeaves(reader: Reader, root: number): Set<number> {
  const isPrimitive = cachedIsPrimitive(reader)
  const seen = new Set<number>()
  const leaves = new Set<number>()
  const open = [root]
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const row of listTaxonomyRows(reader.store, parent)) {
      reader.budget.spend(1)
      if (row.disabledAt !== undefined || seen.has(row.child)) continue
      seen.add(row.child)
      if (isPrimitive(row.child)) leaves.add(row.child)
      else open.push(row.child)
    }
  }
  return leaves
}

function cachedIsPrimitive(reader: Reader): (ref: number) => boolean {
  return memoBounded(Infinity, (ref) => findStreamByRef(reader.store, ref)?.type === 'primitive')
}
