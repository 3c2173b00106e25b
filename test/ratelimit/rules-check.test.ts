/** checkDue(): no check is older than the setting, and few decisions are by one that is older than a second. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkDue } from '#ratelimit/rules-check.ts'

test.each([
  ['a decision a second, half of the time over', 2_500, 3, 5_000, 0.5],
  ['five decisions that share a check half a second old', 500, 5, 5_000, 0.5],
  ['four of them', 500, 4, 5_000, 0.4],
  ['many decisions, a second after the last check', 1_000, 10, 5_000, 1],
  ['a shorter time than a second, with one decision', 200, 1, 200, 1],
  ['a check for each decision', 0, 1, 0, 1],
] as const)('checkDue() of %s', (_, ageMs, decisions, mostMs, due) => {
  expect(checkDue(ageMs, decisions, mostMs)).toBe(due)
})

test('checkDue() has at most nine decisions without a check behind a second, and none behind the setting', () => {
  const wait = fc.integer({ min: 0, max: 3_000 })
  fc.assert(
    fc.property(fc.array(wait, { maxLength: 60 }), fc.integer({ min: 0, max: 10_000 }), (waits, mostMs) => {
      let [ageMs, decisions, old] = [0, 0, 0]
      for (const ms of waits) {
        ageMs += ms
        decisions += 1
        if (checkDue(ageMs, decisions, mostMs) >= 1) [ageMs, decisions, old] = [0, 0, 0]
        else {
          expect(ageMs).toBeLessThan(mostMs)
          if (ageMs >= 1_000) old += 1
          expect(old).toBeLessThan(10)
        }
      }
    }),
  )
})
