/** Sparse LU factorisation of matrices of blocks of two by two: four values a block, row by row, one index for all. */

import type { SparsePlan } from './elimination-plan.ts'
import { at, indexAt } from './vector.ts'

/** A = L U by blocks in the order of the plan; L has unit blocks on its diagonal, those of U are kept inverted. */
type BlockFactors = ReturnType<typeof createBlockFactors>

/** Makes room for the factors of a plan, to be filled by `factorBlocks` as often as wanted. */
export function createBlockFactors(plan: SparsePlan) {
  return {
    plan,
    lower: new Float64Array(4 * plan.lowerPlaces.length),
    upper: new Float64Array(4 * plan.upperPlaces.length),
    inversePivots: new Float64Array(4 * plan.pattern.size),
    work: new Float64Array(4 * plan.pattern.size),
  }
}

/**
 * Factors a matrix of four values a slot without pivoting; false when a determinant is at or below the share `smallest`
 * of the square of its row's largest value, or is not a number.
 *
 * It is one function with each block written out, because a function for each phase costs 3 to 20 % of its speed.
 */
export function factorBlocks(
  { plan, lower, upper, inversePivots, work }: BlockFactors,
  values: Float64Array,
  smallest = 1e-14,
): boolean {
  const { pattern, order, slotPlaces, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  work.fill(0)
  for (let position = 0; position < pattern.size; position++) {
    // Spread the row: the fill-in of the elimination has its places in the work vector, and none in the matrix.
    const row = indexAt(order, position)
    let largest = 0
    const rowEnd = indexAt(pattern.rowStart, row + 1)
    for (let slot = indexAt(pattern.rowStart, row); slot < rowEnd; slot++) {
      const workAt = 4 * indexAt(slotPlaces, slot)
      const valueAt = 4 * slot
      const a = at(values, valueAt)
      const b = at(values, valueAt + 1)
      const c = at(values, valueAt + 2)
      const d = at(values, valueAt + 3)
      work[workAt] = a
      work[workAt + 1] = b
      work[workAt + 2] = c
      work[workAt + 3] = d
      largest = Math.max(largest, Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d))
    }
    // Subtract the earlier rows in their order: each one changes the factors of those behind it, which are the row of L.
    const lowerEnd = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < lowerEnd; entry++) {
      const earlier = indexAt(lowerPlaces, entry)
      const earlierAt = 4 * earlier
      const a = at(work, earlierAt)
      const b = at(work, earlierAt + 1)
      const c = at(work, earlierAt + 2)
      const d = at(work, earlierAt + 3)
      const e = at(inversePivots, earlierAt)
      const f = at(inversePivots, earlierAt + 1)
      const g = at(inversePivots, earlierAt + 2)
      const h = at(inversePivots, earlierAt + 3)
      const p = a * e + b * g
      const q = a * f + b * h
      const r = c * e + d * g
      const s = c * f + d * h
      const lowerAt = 4 * entry
      lower[lowerAt] = p
      lower[lowerAt + 1] = q
      lower[lowerAt + 2] = r
      lower[lowerAt + 3] = s
      work[earlierAt] = 0
      work[earlierAt + 1] = 0
      work[earlierAt + 2] = 0
      work[earlierAt + 3] = 0
      const end = indexAt(upperStart, earlier + 1)
      for (let other = indexAt(upperStart, earlier); other < end; other++) {
        const targetAt = 4 * indexAt(upperPlaces, other)
        const upperAt = 4 * other
        const u0 = at(upper, upperAt)
        const u1 = at(upper, upperAt + 1)
        const u2 = at(upper, upperAt + 2)
        const u3 = at(upper, upperAt + 3)
        work[targetAt] = at(work, targetAt) - p * u0 - q * u2
        work[targetAt + 1] = at(work, targetAt + 1) - p * u1 - q * u3
        work[targetAt + 2] = at(work, targetAt + 2) - r * u0 - s * u2
        work[targetAt + 3] = at(work, targetAt + 3) - r * u1 - s * u3
      }
    }
    // Invert the pivot once, because every later row and every solution divides by it.
    const pivotAt = 4 * position
    const a = at(work, pivotAt)
    const b = at(work, pivotAt + 1)
    const c = at(work, pivotAt + 2)
    const d = at(work, pivotAt + 3)
    const determinant = a * d - b * c
    // Written so that NaN fails the comparison, too.
    if (!(Math.abs(determinant) > smallest * largest * largest)) return false
    inversePivots[pivotAt] = d / determinant
    inversePivots[pivotAt + 1] = -b / determinant
    inversePivots[pivotAt + 2] = -c / determinant
    inversePivots[pivotAt + 3] = a / determinant
    // Move the row of U out, and leave the work vector empty for the next row: filling all of it would cost more.
    const upperEnd = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < upperEnd; entry++) {
      const workAt = 4 * indexAt(upperPlaces, entry)
      const upperAt = 4 * entry
      upper[upperAt] = at(work, workAt)
      upper[upperAt + 1] = at(work, workAt + 1)
      upper[upperAt + 2] = at(work, workAt + 2)
      upper[upperAt + 3] = at(work, workAt + 3)
      work[workAt] = 0
      work[workAt + 1] = 0
      work[workAt + 2] = 0
      work[workAt + 3] = 0
    }
    work[pivotAt] = 0
    work[pivotAt + 1] = 0
    work[pivotAt + 2] = 0
    work[pivotAt + 3] = 0
  }
  return true
}

/** Solves A x = b for `x`, with two values for each block row; `y` is spare room for as many. */
export function solveBlocks(
  { plan, lower, upper, inversePivots }: BlockFactors,
  right: Float64Array,
  x: Float64Array,
  y: Float64Array,
): void {
  const { order, lowerStart, lowerPlaces, upperStart, upperPlaces, pattern } = plan
  for (let position = 0; position < pattern.size; position++) {
    const row = 2 * indexAt(order, position)
    let first = at(right, row)
    let second = at(right, row + 1)
    const end = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < end; entry++) {
      const other = 2 * indexAt(lowerPlaces, entry)
      const u = at(y, other)
      const v = at(y, other + 1)
      first -= at(lower, 4 * entry) * u + at(lower, 4 * entry + 1) * v
      second -= at(lower, 4 * entry + 2) * u + at(lower, 4 * entry + 3) * v
    }
    y[2 * position] = first
    y[2 * position + 1] = second
  }
  for (let position = pattern.size - 1; position >= 0; position--) {
    let first = at(y, 2 * position)
    let second = at(y, 2 * position + 1)
    const end = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < end; entry++) {
      const other = 2 * indexAt(upperPlaces, entry)
      const u = at(y, other)
      const v = at(y, other + 1)
      first -= at(upper, 4 * entry) * u + at(upper, 4 * entry + 1) * v
      second -= at(upper, 4 * entry + 2) * u + at(upper, 4 * entry + 3) * v
    }
    const w = 4 * position
    const u = at(inversePivots, w) * first + at(inversePivots, w + 1) * second
    const v = at(inversePivots, w + 2) * first + at(inversePivots, w + 3) * second
    y[2 * position] = u
    y[2 * position + 1] = v
    const row = 2 * indexAt(order, position)
    x[row] = u
    x[row + 1] = v
  }
}
