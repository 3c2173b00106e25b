import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linePath, thin, ticksOf, timeTicksOf } from '#console/frame/scale.ts'

describe('ticksOf', () => {
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

describe('timeTicksOf', () => {
  it('takes whole minutes of minutes and whole days of weeks', () => {
    expect(timeTicksOf(30, 300, 5)).toEqual([60, 120, 180, 240, 300])
    expect(timeTicksOf(0, 7 * 86_400, 8).every((tick) => tick % 86_400 === 0)).toBe(true)
  })
})

describe('linePath', () => {
  it('breaks where nothing is known', () => {
    expect(linePath([[0, 1], [1, 2], null, [3, 4]])).toBe('M0.0 1.0L1.0 2.0M3.0 4.0')
  })
})

describe('thin', () => {
  it('keeps every point of a short series, and the lowest and highest of each pixel of a long one', () => {
    expect(thin([1, 2, 3], [5, null, 7], 100)).toEqual([0, 1, 2])
    const x = Array.from({ length: 10_000 }, (_, at) => at)
    const values = x.map((at) => (at === 5_003 ? 99 : Math.sin(at)))
    const kept = thin(x, values, 200)
    expect(kept.length).toBeLessThanOrEqual(400)
    expect(kept).toContain(5_003)
    expect([...kept].sort((one, other) => one - other)).toEqual(kept)
  })
})
