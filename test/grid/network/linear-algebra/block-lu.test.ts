/** Elimination by blocks of two by two beside the dense method. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBlockFactors, factorBlocks, solveBlocks } from '#grid/network/linear-algebra/block-lu.ts'
import { factorDense, solveDense } from '#grid/network/linear-algebra/dense-lu.ts'
import { planElimination, toDense, toPattern } from '#grid/network/linear-algebra/elimination-plan.ts'
import { maxMagnitude } from '#grid/network/linear-algebra/vector.ts'
import { sweep } from '#test/support/sweep.ts'

/** A random graph with a block on each of its edges and a dominant one on its diagonal. */
const matrices = fc
  .record({
    size: fc.integer({ min: 1, max: 14 }),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 30 }),
    values: fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
  })
  .map(({ size, edges, values }) => {
    const neighbours = Array.from({ length: size }, () => new Set<number>())
    for (const [left, right] of edges) {
      if (left >= size || right >= size || left === right) continue
      neighbours[left]?.add(right)
      neighbours[right]?.add(left)
    }
    const pattern = toPattern(neighbours)
    const slots = Float64Array.from({ length: 4 * pattern.columns.length }, () => values.next().value ?? 0)
    for (let row = 0; row < size; row++) {
      for (let slot = pattern.rowStart[row] ?? 0; slot < (pattern.rowStart[row + 1] ?? 0); slot++) {
        if (pattern.columns[slot] !== row) continue
        for (const part of [0, 3]) slots[4 * slot + part] = 40 + (slots[4 * slot + part] ?? 0)
      }
    }
    return { pattern, slots, right: Float64Array.from({ length: 2 * size }, () => values.next().value ?? 0) }
  })

describe('factorBlocks() and solveBlocks()', () => {
  it('solve what the dense method solves, again and again in the same room', () => {
    fc.assert(
      fc.property(matrices, ({ pattern, slots, right }) => {
        const factors = createBlockFactors(planElimination(pattern, 1))
        const [x, y] = [new Float64Array(right.length), new Float64Array(right.length)]
        for (const scale of [3, 1]) {
          const values = slots.map((value) => value * scale)
          expect(factorBlocks(factors, values)).toBe(true)
          solveBlocks(factors, right, x, y)
          const dense = factorDense(toDense(pattern, values, 2), right.length)
          if (dense === undefined) throw new Error('the matrix is not singular')
          const expected = solveDense(dense, right)
          expect(maxMagnitude(x.map((value, index) => value - (expected[index] ?? 0)))).toBeLessThan(1e-12)
        }
      }),
      { seed: 1, numRuns: sweep(300) },
    )
  })

  it.each([
    ['a singular block', [1, 2, 2, 4]],
    ['a block with NaN', [1, 2, 2, Number.NaN]],
  ])('refuse %s, and factor the next matrix all the same', (_, values) => {
    const factors = createBlockFactors(planElimination(toPattern([new Set([1]), new Set([0])]), 1))
    const unit = [1, 0, 0, 1]
    expect(factorBlocks(factors, Float64Array.from([...values, ...unit, ...unit, ...values]))).toBe(false)
    expect(factorBlocks(factors, Float64Array.from([2, 0, 0, 2, ...unit, ...unit, 2, 0, 0, 2]))).toBe(true)
    const [x, y] = [new Float64Array(4), new Float64Array(4)]
    solveBlocks(factors, Float64Array.of(3, 0, 0, 3), x, y)
    expect([...x].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([2, -1, -1, 2])
  })
})
