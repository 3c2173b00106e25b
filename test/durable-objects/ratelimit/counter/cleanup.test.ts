/** The time of a counter's cleanup: after its end, spread out, and never while the runtime forgets its object. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cleanupTime,
  findFirstLook,
  isBadlyTimed,
  isOverdue,
  secondLookMs,
} from '#objects/ratelimit/counter/cleanup.ts'
import { units } from '#ratelimit/window.ts'

const expiry = fc.record({ at: fc.integer({ min: 0, max: 2_000_000_000 }), unit: fc.constantFrom(null, ...units) })
const now = fc.integer({ min: 0, max: 2_000_000_000 })
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('cleanupTime() is never while the runtime forgets an object that was called now (property)', () => {
  fc.assert(
    fc.property(expiry, now, chance, (over, at, drawn) => {
      const moment = cleanupTime(over, at, drawn)
      expect(isBadlyTimed(moment, at)).toBe(false)
      expect(moment).toBeGreaterThanOrEqual(Math.max(over.at, isOverdue(over, at) ? at : 0))
    }),
    { seed: 1 },
  )
})

test.each([
  ['MINUTE', 0, 1_210],
  ['MINUTE', 0.5, 1_240],
  ['HOUR', 0.5, 3_010],
  ['YEAR', 0.5, 44_410],
  [null, 0.5, 1_180],
] as const)('cleanupTime() of a window of a %s at chance %d', (unit, drawn, expected) => {
  // A window ends at 1060 s: 150 s later at the earliest, then the spread.
  expect(cleanupTime({ at: unit === null ? 1_000 : 1_060, unit }, 1_000, drawn)).toBe(expected)
})

test('cleanupTime() of what waited for more than ten minutes is within half a minute', () => {
  expect(isOverdue({ at: 0, unit: 'SECOND' }, 600)).toBe(false)
  expect(isOverdue({ at: 0, unit: 'SECOND' }, 601)).toBe(true)
  expect(cleanupTime({ at: 0, unit: 'YEAR' }, 601, 0.5)).toBe(616)
})

test('findFirstLook() finds the first look from the alarm of the second, and none from that of a first (property)', () => {
  fc.assert(
    fc.property(expiry, now, chance, fc.constantFrom(...units), (over, at, drawn, unit) => {
      expect(findFirstLook(secondLookMs(at, unit), unit)).toBe(at)
      expect(findFirstLook(Math.round(cleanupTime(over, at, drawn) * 1000), unit)).toBeUndefined()
    }),
    { seed: 1 },
  )
})

test('isBadlyTimed() is true between one minute and two and a half after the call', () => {
  const waits = [0, 60, 61, 70, 140, 149, 150]
  expect(waits.filter((wait) => isBadlyTimed(1_000 + wait, 1_000))).toEqual([61, 70, 140, 149])
})
