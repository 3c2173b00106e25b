/** Sparse LU factorisation on a plan of order and fill that is found once per pattern: the rest is arithmetic. */

import { invertOrder, type SparsePlan, search } from './elimination-plan.ts'
import { at, indexAt } from './vector.ts'

/** A = L U in the order of the plan; L has a unit diagonal, the diagonal of U is kept inverted. */
export interface SparseFactors {
  readonly plan: SparsePlan
  readonly lower: Float64Array
  readonly upper: Float64Array
  readonly inversePivots: Float64Array
}

/** Factors without pivoting; undefined when a pivot is NaN or at most the share `smallest` of its row's largest. */
export function factorSparse(plan: SparsePlan, values: Float64Array, smallest = 1e-12): SparseFactors | undefined {
  const { pattern, order, slotPlaces, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  const lower = new Float64Array(lowerPlaces.length)
  const upper = new Float64Array(upperPlaces.length)
  const inversePivots = new Float64Array(pattern.size)
  const work = new Float64Array(pattern.size)
  for (let position = 0; position < pattern.size; position++) {
    const row = indexAt(order, position)
    let largest = 0
    const rowEnd = indexAt(pattern.rowStart, row + 1)
    for (let slot = indexAt(pattern.rowStart, row); slot < rowEnd; slot++) {
      const value = at(values, slot)
      work[indexAt(slotPlaces, slot)] = value
      if (Math.abs(value) > largest) largest = Math.abs(value)
    }
    const lowerEnd = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < lowerEnd; entry++) {
      const earlier = indexAt(lowerPlaces, entry)
      const factor = at(work, earlier) * at(inversePivots, earlier)
      work[earlier] = 0
      if (factor === 0) continue
      lower[entry] = factor
      const end = indexAt(upperStart, earlier + 1)
      for (let other = indexAt(upperStart, earlier); other < end; other++) {
        const place = indexAt(upperPlaces, other)
        work[place] = at(work, place) - factor * at(upper, other)
      }
    }
    const pivot = at(work, position)
    work[position] = 0
    // Written so that NaN fails the comparison, too.
    if (!(Math.abs(pivot) > smallest * largest)) return undefined
    inversePivots[position] = 1 / pivot
    const upperEnd = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < upperEnd; entry++) {
      const place = indexAt(upperPlaces, entry)
      upper[entry] = at(work, place)
      work[place] = 0
    }
  }
  return { plan, lower, upper, inversePivots }
}

/** Solves A x = b. */
export function solveSparse(factors: SparseFactors, right: Float64Array): Float64Array {
  const { plan, lower, upper, inversePivots } = factors
  const { order, lowerStart, lowerPlaces, upperStart, upperPlaces } = plan
  const size = plan.pattern.size
  const y = new Float64Array(size)
  for (let position = 0; position < size; position++) {
    let sum = at(right, indexAt(order, position))
    const end = indexAt(lowerStart, position + 1)
    for (let entry = indexAt(lowerStart, position); entry < end; entry++) {
      sum -= at(lower, entry) * at(y, indexAt(lowerPlaces, entry))
    }
    y[position] = sum
  }
  const x = new Float64Array(size)
  for (let position = size - 1; position >= 0; position--) {
    let sum = at(y, position)
    const end = indexAt(upperStart, position + 1)
    for (let entry = indexAt(upperStart, position); entry < end; entry++) {
      sum -= at(upper, entry) * at(y, indexAt(upperPlaces, entry))
    }
    y[position] = sum * at(inversePivots, position)
    x[indexAt(order, position)] = at(y, position)
  }
  return x
}

/**
 * The elements of the inverse of a symmetric matrix in the pattern of its factors, by Takahashi, Fagan and Chen (1973):
 * Z = D^-1 L^-1 + (I - U') Z from the last position back, at about the cost of factoring; undefined for a pair outside
 * of it.
 */
export function invertInPattern(factors: SparseFactors): (row: number, column: number) => number | undefined {
  const { plan, upper, inversePivots } = factors
  const { order, upperStart, upperPlaces } = plan
  const size = plan.pattern.size
  const diagonal = new Float64Array(size)
  const offDiagonal = new Float64Array(upper.length)
  // NaN outside of the pattern: `undefined` would make the loops below slower.
  const readEntry = (left: number, right: number): number => {
    if (left === right) return at(diagonal, left)
    const [row, column] = left < right ? [left, right] : [right, left]
    const end = indexAt(upperStart, row + 1)
    const entry = search(upperPlaces, indexAt(upperStart, row), end, column)
    return entry < end && indexAt(upperPlaces, entry) === column ? at(offDiagonal, entry) : Number.NaN
  }
  for (let position = size - 1; position >= 0; position--) {
    const start = indexAt(upperStart, position)
    const end = indexAt(upperStart, position + 1)
    const inverse = at(inversePivots, position)
    for (let entry = start; entry < end; entry++) {
      const column = indexAt(upperPlaces, entry)
      let sum = 0
      for (let other = start; other < end; other++) {
        if (at(upper, other) !== 0) sum += at(upper, other) * readEntry(indexAt(upperPlaces, other), column)
      }
      offDiagonal[entry] = -sum * inverse
    }
    let sum = 0
    for (let entry = start; entry < end; entry++) sum += at(upper, entry) * at(offDiagonal, entry)
    diagonal[position] = inverse * (1 - sum)
  }
  const place = invertOrder(order)
  return (row, column) => {
    const value = readEntry(indexAt(place, row), indexAt(place, column))
    return Number.isNaN(value) ? undefined : value
  }
}
