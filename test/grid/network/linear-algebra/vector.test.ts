/** Elements of typed arrays, and the magnitude by which an iteration decides that it has converged. */

import { describe, expect, it } from 'vitest'
import { addAt, maxMagnitude } from '#grid/network/linear-algebra/vector.ts'

describe('maxMagnitude()', () => {
  it.each([
    [[], 0],
    [[0, -0], 0],
    [[1, -7, 3], 7],
    [[1e-300, -2e-300], 2e-300],
    [[1, Number.NEGATIVE_INFINITY], Number.POSITIVE_INFINITY],
  ])('of %j is %d', (values, largest) => {
    expect(maxMagnitude(Float64Array.from(values))).toBe(largest)
  })

  it.each([0, 1, 2])('is NaN where element %d is: a solution with a hole has not converged', (place) => {
    const values = Float64Array.of(5, 0, 7)
    values[place] = Number.NaN
    expect(maxMagnitude(values)).toBeNaN()
  })
})

describe('addAt()', () => {
  it('adds to one element and to no other', () => {
    const values = Float64Array.of(1, 2, 3)
    addAt(values, 1, -0.5)
    addAt(values, 1, -0.5)
    expect([...values]).toEqual([1, 1, 3])
  })
})
