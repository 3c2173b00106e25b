import { expect, test } from 'vitest'
import { createBudget } from '#devnode/queries/reader.ts'

test('createBudget() pays for as many rows as it has, and for none beyond them', () => {
  const budget = createBudget(3)
  budget.spend(2)
  budget.spend(1)
  expect(budget.spent()).toBe(3)
  expect(() => budget.spend(1)).toThrow('db timeout: the call touches more than 3 rows (STREAMNET_MAX_READ_ROWS)')
})
