import { expect, test } from 'vitest'
import { allDelays, delayAfter } from '../../src/base/retry.ts'

test('delayAfter() grows with the failures and ends with the budget', () => {
  const budget = { maxAttempts: 3, delayMs: 2000 }
  expect([1, 2, 3, 4].map((failures) => delayAfter(failures, budget))).toEqual([
    2000,
    4000,
    undefined,
    undefined,
  ])
  expect(delayAfter(1, { maxAttempts: 1, delayMs: 5 })).toBeUndefined()
})

test('allDelays() lists one wait less than attempts', () => {
  expect(allDelays({ maxAttempts: 4, delayMs: 15 })).toEqual([15, 30, 45])
  expect(allDelays({ maxAttempts: 1, delayMs: 15 })).toEqual([])
})
