/** Answers to the questions of an exercise: numbers, lists and texts. */

import { expect, test } from 'vitest'
import { isRight, showAnswer } from '#console/grid/answers.ts'

test.each([
  [60, 3, '61.5', true],
  [60, 3, '64', false],
  [0, 1, '', false],
  [['CB-9-14', 'CB-10-11'], 0, 'cb-10-11,  CB-9-14', true],
  [['CB-9-14', 'CB-10-11'], 0, 'CB-9-14', false],
  ['T0856', 0, ' t0856 ', true],
  ['T0856', 0, 'T0855', false],
])('isRight() of the answer %j within %d is for %j: %s', (answer, tolerance, given, right) => {
  expect(isRight({ answer, tolerance }, given)).toBe(right)
})

test('showAnswer() puts commas between the items of a list', () => {
  expect([showAnswer(['a', 'b']), showAnswer(2.5), showAnswer('x')]).toEqual(['a, b', '2.5', 'x'])
})
