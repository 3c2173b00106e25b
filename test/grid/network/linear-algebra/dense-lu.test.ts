/** Dense elimination: systems that a hand can solve, pivots, singular matrices, and any system that is not. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factorDense, solveDense } from '#grid/network/linear-algebra/dense-lu.ts'

function solve(rows: readonly (readonly number[])[], right: readonly number[]): readonly number[] | undefined {
  const factors = factorDense(Float64Array.from(rows.flat()), rows.length)
  return factors && [...solveDense(factors, Float64Array.from(right))]
}

describe('solveDense()', () => {
  it.each([
    ['one unknown', [[4]], [2], [0.5]],
    [
      'two unknowns',
      [
        [2, 1],
        [1, 3],
      ],
      [3, 5],
      [0.8, 1.4],
    ],
    [
      'a zero on the diagonal',
      [
        [0, 1],
        [2, 0],
      ],
      [3, 4],
      [2, 3],
    ],
    [
      'a zero that elimination makes',
      [
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 1],
      ],
      [3, 6, 5],
      [1, 2, 3],
    ],
    [
      'rows in reverse',
      [
        [0, 0, 3],
        [0, 2, 1],
        [1, 1, 1],
      ],
      [9, 7, 6],
      [1, 2, 3],
    ],
  ])('solves %s', (_, rows, right, expected) => {
    const x = solve(rows, right) ?? []
    expect(x).toHaveLength(expected.length)
    for (const [index, value] of expected.entries()) expect(x[index]).toBeCloseTo(value, 12)
  })

  it('exchanges rows for the largest pivot, without which 1e-20 would lose the other equation', () => {
    const [x = 0, y = 0] =
      solve(
        [
          [1e-20, 1],
          [1, 1],
        ],
        [1, 2],
      ) ?? []
    expect([x, y]).toEqual([1, 1])
  })

  it('finds the solution of any system with a dominant diagonal', () => {
    const size = 5
    const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(values, (drawn) => {
        const rows = Array.from({ length: size }, (_, row) =>
          Array.from({ length: size }, (_, column) => (drawn[row * size + column] ?? 0) + (row === column ? 6 : 0)),
        )
        const wanted = drawn.slice(25)
        const right = rows.map((row) => row.reduce((sum, value, column) => sum + value * (wanted[column] ?? 0), 0))
        const found = solve(rows, right) ?? []
        expect(Math.max(...wanted.map((value, index) => Math.abs(value - (found[index] ?? 9))))).toBeLessThan(1e-12)
      }),
    )
  })
})

describe('factorDense()', () => {
  it.each([
    ['zeros', [0, 0, 0, 0]],
    ['a row twice', [1, 2, 1, 2]],
    ['rows that agree to 1e-14', [1, 1, 1, 1 + 1e-14]],
    ['NaN', [1, 0, 0, Number.NaN]],
    ['a first pivot that is NaN', [Number.NaN, 1, 1, 1]],
  ])('does not factor a matrix of %s', (_, values) => {
    expect(factorDense(Float64Array.from(values), 2)).toBeUndefined()
  })

  it('does not change the matrix, and gives L and U in one with the rows that it exchanged', () => {
    const matrix = Float64Array.of(1, 2, 4, 4)
    expect(factorDense(matrix, 2)).toEqual({
      size: 2,
      values: Float64Array.of(4, 4, 0.25, 1),
      rows: Int32Array.of(1, 0),
    })
    expect([...matrix]).toEqual([1, 2, 4, 4])
  })
})
