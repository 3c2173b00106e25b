/** Rounded numbers: decimals, absent values, and no negative zero. */

import { expect, it } from 'vitest'
import { round } from '#grid/round.ts'

it.each([
  [1.23456, 3, 1.235],
  [undefined, 2, 0],
  [-0.0001, 2, 0],
  [-1.5, 0, -2],
])('round(%s) to %i decimals is %s', (value, decimals, rounded) => {
  expect(round(value, decimals)).toBe(rounded)
})
