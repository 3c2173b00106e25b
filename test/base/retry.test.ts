import { expect, test } from 'vitest'
import { delayAfter } from '#base/retry.ts'

test('delayAfter() grows with the failures and ends with the budget', () => {
  const budget = { maxAttempts: 3, delayMs: 2000 }
  expect([1, 2, 3, 4].map((failures) => delayAfter(failures, budget))).toEqual([2000, 4000, undefined, undefined])
  expect(delayAfter(1, { maxAttempts: 1, delayMs: 5 })).toBeUndefined()
})
