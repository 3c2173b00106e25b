import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ticksOf, timeTicksOf } from '#console/frame/scale.ts'

describe('ticksOf()', () => {
  it.each([
    [0, 10, 4, [0, 5, 10]],
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [59.95, 60.05, 2, [59.95, 60, 60.05]],
    [-3, 3, 3, [-2, 0, 2]],
    [7, 7, 3, [7]],
  ])('divides %d to %d into about %d', (low, high, count, ticks) => {
    expect(ticksOf(low, high, count)).toEqual(ticks)
  })

  it('gives few round values inside the range', () => {
    const range = fc.tuple(
      fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      fc.double({ min: 0.01, max: 1e9, noNaN: true }),
    )
    fc.assert(
      fc.property(range, fc.integer({ min: 2, max: 8 }), ([low, span], count) => {
        const high = low + span
        const ticks = ticksOf(low, high, count)
        expect(ticks.length).toBeLessThanOrEqual(count + 1)
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(low - span * 1e-3)
          expect(tick).toBeLessThanOrEqual(high + span * 1e-3)
        }
      }),
    )
  })
})

describe('timeTicksOf()', () => {
  it('takes whole minutes of minutes and whole days of weeks', () => {
    expect(timeTicksOf(30, 300, 5)).toEqual([60, 120, 180, 240, 300])
    expect(timeTicksOf(0, 7 * 86_400, 8).every((tick) => tick % 86_400 === 0)).toBe(true)
  })
})
