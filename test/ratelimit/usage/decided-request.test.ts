/** Which way a decision went. */

import { expect, test } from 'vitest'
import { outcomeOf } from '#ratelimit/usage/decided-request.ts'

test.each([
  [false, false, 'admitted'],
  [true, true, 'refused'],
  [true, false, 'shadow'],
  [false, true, 'refused'],
])('outcomeOf() with the counter over: %s and refused: %s is %s', (isOver, isRefused, outcome) => {
  expect(outcomeOf(isOver, isRefused)).toBe(outcome)
})
