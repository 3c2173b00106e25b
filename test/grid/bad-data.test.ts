import { describe, expect, it } from 'vitest'
import { chiSquareLimit, findLargest, normalizeResiduals } from '../../src/grid/bad-data.ts'

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
  it('passes over what was removed and says when nothing is left', () => {
    expect(findLargest([1, 5, 3], new Set())).toBe(1)
    expect(findLargest([1, 5, 3], new Set([1]))).toBe(2)
    expect(findLargest([1], new Set([0]))).toBe(-1)
  })
})
