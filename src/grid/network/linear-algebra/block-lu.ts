/** Sparse LU factorisation of matrices of blocks of two by two: four values a block, row by row, one index for all. */

import type { SparsePlan } from './elimination-plan.ts'
import { at, indexAt } from './vector.ts'

/** A = L U by blocks in the order of the plan; L has unit blocks on its diagonal, those of U are kept inverted. */
export interface BlockFactors {
  readonly plan: SparsePlan
  readonly lower: Float64Array
  readonly upper: Float64Array
  readonly inversePivots: Float64Array
}

/** Makes room for the factors of a plan, to be filled by `factorBlocks` as often as wanted. */
export function createBlockFactors(plan: SparsePlan): BlockFactors & { readonly work: Float64Array } {
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
 */
export function factorBlocks(
  { plan, lower, upper, inversePivots, work }: ReturnType<typeof createBlockFactors>,
  values: Float64Array,
  smallest = 1e-14,
): boolean {
  const { pattern, order, slotPlaces, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  work.fill(0)
  for (let position = 0; position < pattern.size; position++) {
    // Spread the row over the work vector.
    const row = indexAt(order, position)
    let largest = 0
    const rowEnd = indexAt(pattern.rowStart, row + 1)
    for (let slot = indexAt(pattern.rowStart, row); slot < rowEnd; slot++) {
      const to = 4 * indexAt(slotPlaces, slot)
      const v = 4 * slot
      const a = at(values, v)
      const b = at(values, v + 1)
      const c = at(values, v + 2)
      const d = at(values, v + 3)
      work[to] = a
      work[to + 1] = b
      work[to + 2] = c
      work[to + 3] = d
      largest = Math.max(largest, Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d))
    }
    // Subtract the earlier rows; their factors are the row of L.
    const lowerEnd = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < lowerEnd; entry++) {
      const earlier = indexAt(lowerPlaces, entry)
      const w = 4 * earlier
      const a = at(work, w)
      const b = at(work, w + 1)
      const c = at(work, w + 2)
      const d = at(work, w + 3)
      const e = at(inversePivots, w)
      const f = at(inversePivots, w + 1)
      const g = at(inversePivots, w + 2)
      const h = at(inversePivots, w + 3)
      const p = a * e + b * g
      const q = a * f + b * h
      const r = c * e + d * g
      const s = c * f + d * h
      const l = 4 * entry
      lower[l] = p
      lower[l + 1] = q
      lower[l + 2] = r
      lower[l + 3] = s
      work[w] = 0
      work[w + 1] = 0
      work[w + 2] = 0
      work[w + 3] = 0
      const end = indexAt(upperStart, earlier + 1)
      for (let other = indexAt(upperStart, earlier); other < end; other++) {
        const t = 4 * indexAt(upperPlaces, other)
        const u = 4 * other
        const u0 = at(upper, u)
        const u1 = at(upper, u + 1)
        const u2 = at(upper, u + 2)
        const u3 = at(upper, u + 3)
        work[t] = at(work, t) - p * u0 - q * u2
        work[t + 1] = at(work, t + 1) - p * u1 - q * u3
        work[t + 2] = at(work, t + 2) - r * u0 - s * u2
        work[t + 3] = at(work, t + 3) - r * u1 - s * u3
      }
    }
    // Invert the pivot; the blocks right of it are the row of U.
    const w = 4 * position
    const a = at(work, w)
    const b = at(work, w + 1)
    const c = at(work, w + 2)
    const d = at(work, w + 3)
    const determinant = a * d - b * c
    // Written so that NaN fails the comparison, too.
    if (!(Math.abs(determinant) > smallest * largest * largest)) return false
    inversePivots[w] = d / determinant
    inversePivots[w + 1] = -b / determinant
    inversePivots[w + 2] = -c / determinant
    inversePivots[w + 3] = a / determinant
    const upperEnd = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < upperEnd; entry++) {
      const from = 4 * indexAt(upperPlaces, entry)
      const u = 4 * entry
      upper[u] = at(work, from)
      upper[u + 1] = at(work, from + 1)
      upper[u + 2] = at(work, from + 2)
      upper[u + 3] = at(work, from + 3)
      work[from] = 0
      work[from + 1] = 0
      work[from + 2] = 0
      work[from + 3] = 0
    }
    work[w] = 0
    work[w + 1] = 0
    work[w + 2] = 0
    work[w + 3] = 0
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
