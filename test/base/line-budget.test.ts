import { expect, it } from 'vitest'
import { createLineBudget } from '#base/line-budget.ts'

it('writes so many lines in a span, and returns at the next one how many were left out', () => {
  const budget = createLineBudget(2, 1000)
  expect([0, 1, 2, 999].map((now) => budget.take(now))).toEqual([0, 0, null, null])
  expect([1000, 1001, 1002].map((now) => budget.take(now))).toEqual([2, 0, null])
  expect(budget.take(50_000)).toBe(1)
})

it('writes again when the clock was set back', () => {
  const budget = createLineBudget(1, 1000)
  expect([9_000, 9_500, 3_000, 3_500].map((now) => budget.take(now))).toEqual([0, null, 1, null])
})
