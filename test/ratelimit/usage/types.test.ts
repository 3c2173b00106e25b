/** The verdict of a decision. */

import { expect, test } from 'vitest'
import { classifyDecision } from '#ratelimit/usage/types.ts'

test.each([
  [false, false, 'admitted'],
  [true, true, 'refused'],
  [true, false, 'shadow'],
  [false, true, 'refused'],
])('classifyDecision() with the counter over: %s and refused: %s is %s', (isOver, isRefused, outcome) => {
  expect(classifyDecision(isOver, isRefused)).toBe(outcome)
})
