/** Dense LU factorisation with partial pivoting: for matrices without a plan, and to compare the sparse one with. */

import { addAt, at, indexAt } from './vector.ts'

/** P A = L U, both factors in one square array, row by row; L has a unit diagonal. */
export interface DenseFactors {
  readonly size: number
  readonly values: Float64Array
  readonly rows: Int32Array
}

/** Factors a square matrix, row by row, in a copy; undefined when a pivot is below 1e-13 of the largest element. */
export function factorDense(matrix: Float64Array, size: number): DenseFactors | undefined {
  const values = matrix.slice()
  const rows = Int32Array.from({ length: size }, (_, row) => row)
  const smallest = 1e-13 * values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0)
  const factors = { size, values, rows }
  for (let step = 0; step < size; step++) {
    const best = findPivot(factors, step)
    // Written so that NaN fails the comparison, too.
    if (!(Math.abs(at(values, best * size + step)) > smallest)) return undefined
    swapRows(factors, step, best)
    eliminate(factors, step)
  }
  return factors
}

function findPivot({ size, values }: DenseFactors, step: number): number {
  let best = step
  for (let row = step + 1; row < size; row++) {
    if (Math.abs(at(values, row * size + step)) > Math.abs(at(values, best * size + step))) best = row
  }
  return best
}

function swapRows({ size, values, rows }: DenseFactors, left: number, right: number): void {
  if (left === right) return
  const kept = values.slice(left * size, left * size + size)
  values.copyWithin(left * size, right * size, right * size + size)
  values.set(kept, right * size)
  const row = indexAt(rows, left)
  rows[left] = indexAt(rows, right)
  rows[right] = row
}

function eliminate({ size, values }: DenseFactors, step: number): void {
  const pivot = at(values, step * size + step)
  for (let row = step + 1; row < size; row++) {
    const factor = at(values, row * size + step) / pivot
    values[row * size + step] = factor
    if (factor === 0) continue
    for (let column = step + 1; column < size; column++) {
      addAt(values, row * size + column, -factor * at(values, step * size + column))
    }
  }
}

/** Solves A x = b. */
export function solveDense({ size, values, rows }: DenseFactors, right: Float64Array): Float64Array {
  const x = new Float64Array(size)
  for (let row = 0; row < size; row++) {
    let sum = at(right, indexAt(rows, row))
    for (let column = 0; column < row; column++) sum -= at(values, row * size + column) * at(x, column)
    x[row] = sum
  }
  for (let row = size - 1; row >= 0; row--) {
    let sum = at(x, row)
    for (let column = row + 1; column < size; column++) sum -= at(values, row * size + column) * at(x, column)
    x[row] = sum / at(values, row * size + row)
  }
  return x
}
