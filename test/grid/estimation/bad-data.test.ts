import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import {
  chiSquareLimit,
  findLargest,
  normalizeResiduals,
  normalQuantile,
  residualLimit,
} from '#grid/estimation/bad-data.ts'

describe('chiSquareLimit()', () => {
  it('is zero without redundancy and grows with it and with the confidence', () => {
    expect(chiSquareLimit(0)).toBe(0)
    expect(chiSquareLimit(-3)).toBe(0)
    for (let dof = 1; dof < 600; dof++) {
      expect(chiSquareLimit(dof + 1)).toBeGreaterThan(chiSquareLimit(dof))
      expect(chiSquareLimit(dof, 0.99)).toBeGreaterThan(chiSquareLimit(dof, 0.95))
    }
  })
})

describe('normalQuantile()', () => {
  it.each([
    [0.5, 0],
    [0.9, 1.2815515655446004],
    [0.95, 1.6448536269514722],
    [0.99, 2.3263478740408408],
    [0.9999, 3.719016485455709],
    [0.99999, 4.264890793922825],
    [1 - 1e-9, 5.997807015008182],
    [1 - 1e-12, 7.034483825301131],
  ])('of %d is the exact one to six digits', (probability, exact) => {
    expect(normalQuantile(probability)).toBeCloseTo(exact, 4)
    expect(normalQuantile(1 - probability)).toBeCloseTo(-exact, 4)
  })
})

describe('residualLimit()', () => {
  it('is what the largest of so many good residuals passes once in a hundred scans', () => {
    const random = createRandom(3, 'residuals')
    const limit = residualLimit(82, 0.99)
    let beyond = 0
    for (let scan = 0; scan < 4_000; scan++) {
      const residuals = Array.from({ length: 82 }, () => Math.abs(random.normal()))
      if (Math.max(...residuals) > limit) beyond += 1
    }
    expect(beyond / 4_000).toBeGreaterThan(0.006)
    expect(beyond / 4_000).toBeLessThan(0.014)
  })

  it('grows with the number of meters and with the confidence', () => {
    for (let count = 1; count < 700; count++) {
      expect(residualLimit(count + 1, 0.99)).toBeGreaterThan(residualLimit(count, 0.99))
      expect(residualLimit(count, 0.9999)).toBeGreaterThan(residualLimit(count, 0.99))
    }
  })
})

describe('normalizeResiduals()', () => {
  it('divides by what the fit leaves of the variance and is silent about critical measurements', () => {
    expect(normalizeResiduals([0.3, -0.3, 0.3], [0.1, 0.1, 0.1], [0, 0.0075, 0.01])).toEqual([
      expect.closeTo(3, 9),
      expect.closeTo(6, 9),
      0,
    ])
  })
})

describe('findLargest()', () => {
  it('skips removed measurements and finds nothing when none is left', () => {
    expect(findLargest([1, 5, 3], new Set())).toBe(1)
    expect(findLargest([1, 5, 3], new Set([1]))).toBe(2)
    expect(findLargest([1], new Set([0]))).toBe(-1)
  })
})
