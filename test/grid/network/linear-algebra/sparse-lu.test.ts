import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factorDense, solveDense } from '#grid/network/linear-algebra/dense-lu.ts'
import { expandPattern, planElimination, toDense, toPattern } from '#grid/network/linear-algebra/elimination-plan.ts'
import { factorSparse, invertInPattern, solveSparse } from '#grid/network/linear-algebra/sparse-lu.ts'
import { maxMagnitude } from '#grid/network/linear-algebra/vector.ts'
import { sweep } from '#test/support/sweep.ts'

/** A random graph with its matrix: dominant on the diagonal, so that it can be factored without pivoting. */
const matrices = fc
  .record({
    size: fc.integer({ min: 1, max: 14 }),
    width: fc.constantFrom(1, 2),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 30 }),
    values: fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
  })
  .map(({ size, width, edges, values }) => {
    const neighbours = Array.from({ length: size }, () => new Set<number>())
    for (const [left, right] of edges) {
      if (left >= size || right >= size || left === right) continue
      neighbours[left]?.add(right)
      neighbours[right]?.add(left)
    }
    const blocks = toPattern(neighbours)
    const pattern = expandPattern(blocks, width)
    const slots = Float64Array.from(pattern.columns, () => values.next().value ?? 0)
    for (let row = 0; row < pattern.size; row++) {
      for (let slot = pattern.rowStart[row] ?? 0; slot < (pattern.rowStart[row + 1] ?? 0); slot++) {
        if (pattern.columns[slot] === row) slots[slot] = 40 + (slots[slot] ?? 0)
      }
    }
    const right = Float64Array.from({ length: pattern.size }, () => values.next().value ?? 0)
    return { blocks, width, pattern, slots, right }
  })

describe('factorSparse() and solveSparse()', () => {
  it('solve what the dense method solves, for any pattern and block width', () => {
    fc.assert(
      fc.property(matrices, ({ blocks, width, pattern, slots, right }) => {
        const factors = factorSparse(planElimination(blocks, width), slots)
        const dense = factorDense(toDense(pattern, slots), pattern.size)
        if (factors === undefined || dense === undefined) throw new Error('neither matrix is singular')
        const difference = solveSparse(factors, right).map((x, index) => x - (solveDense(dense, right)[index] ?? 0))
        expect(maxMagnitude(difference)).toBeLessThan(1e-12)
      }),
      { seed: 1, numRuns: sweep(300) },
    )
  })

  it('refuse a singular matrix and one with NaN', () => {
    const plan = planElimination(toPattern([new Set([1]), new Set([0])]), 1)
    expect(factorSparse(plan, Float64Array.of(1, 2, 2, 4))).toBeUndefined()
    expect(factorSparse(plan, Float64Array.of(1, 2, 2, Number.NaN))).toBeUndefined()
    expect(factorDense(Float64Array.of(1, 2, 2, 4), 2)).toBeUndefined()
    expect(factorDense(Float64Array.of(1, 2, 2, Number.NaN), 2)).toBeUndefined()
  })
})

describe('factorDense()', () => {
  it('exchanges rows where a pivot is zero, which the sparse method cannot', () => {
    const matrix = Float64Array.of(0, 1, 1, 0)
    const plan = planElimination(toPattern([new Set([1]), new Set([0])]), 1)
    expect(factorSparse(plan, matrix)).toBeUndefined()
    const factors = factorDense(matrix, 2)
    expect(factors && Array.from(solveDense(factors, Float64Array.of(3, 4)))).toEqual([4, 3])
  })
})

describe('invertInPattern()', () => {
  it('gives the elements of the inverse that the dense method gives', () => {
    fc.assert(
      fc.property(matrices, ({ blocks, width, pattern, slots }) => {
        const dense = toDense(pattern, slots)
        const symmetric = slots.slice()
        for (let row = 0; row < pattern.size; row++) {
          for (let slot = pattern.rowStart[row] ?? 0; slot < (pattern.rowStart[row + 1] ?? 0); slot++) {
            const column = pattern.columns[slot] ?? 0
            const mirrored = dense[column * pattern.size + row] ?? 0
            symmetric[slot] = ((slots[slot] ?? 0) + mirrored) / 2
          }
        }
        const factors = factorSparse(planElimination(blocks, width), symmetric)
        const full = factorDense(toDense(pattern, symmetric), pattern.size)
        if (factors === undefined || full === undefined) throw new Error('neither matrix is singular')
        const inverse = invertInPattern(factors)
        for (let column = 0; column < pattern.size; column++) {
          const unit = Float64Array.from({ length: pattern.size }, (_, row) => (row === column ? 1 : 0))
          const solved = solveDense(full, unit)
          for (let slot = pattern.rowStart[column] ?? 0; slot < (pattern.rowStart[column + 1] ?? 0); slot++) {
            const row = pattern.columns[slot] ?? 0
            expect(inverse(row, column)).toBeCloseTo(solved[row] ?? 0, 12)
          }
        }
      }),
      { seed: 2, numRuns: sweep(200) },
    )
  })
})
