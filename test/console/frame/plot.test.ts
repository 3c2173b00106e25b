import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseTicks, chooseTimeTicks, makePlot, margin } from '#console/frame/plot.ts'

describe('chooseTicks()', () => {
  it.each([
    [0, 10, 4, [0, 5, 10]],
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [59.95, 60.05, 2, [59.95, 60, 60.05]],
    [-3, 3, 3, [-2, 0, 2]],
    [7, 7, 3, [7]],
  ])('divides %d to %d into about %d', (low, high, count, ticks) => {
    expect(chooseTicks(low, high, count)).toEqual(ticks)
  })

  it('ends where the range is finer than numbers of its size', () => {
    expect(chooseTicks(1e17, 1e17 + 16, 4).length).toBeLessThan(8)
  })

  it('gives few round values inside the range', () => {
    const range = fc.tuple(
      fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      fc.double({ min: 0.01, max: 1e9, noNaN: true }),
    )
    fc.assert(
      fc.property(range, fc.integer({ min: 2, max: 8 }), ([low, span], count) => {
        const high = low + span
        const ticks = chooseTicks(low, high, count)
        expect(ticks.length).toBeLessThanOrEqual(count + 1)
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(low - span * 1e-3)
          expect(tick).toBeLessThanOrEqual(high + span * 1e-3)
        }
      }),
    )
  })
})

describe('chooseTimeTicks()', () => {
  it('takes whole minutes of minutes and whole days of weeks', () => {
    expect(chooseTimeTicks(30, 300, 5)).toEqual([60, 120, 180, 240, 300])
    expect(chooseTimeTicks(0, 7 * 86_400, 8).every((tick) => tick % 86_400 === 0)).toBe(true)
  })

  it('divides a century into some years each', () => {
    expect(chooseTimeTicks(0, 100 * 31_536_000, 4).length).toBeGreaterThan(2)
  })

  it('ends where the moments are beyond what a number counts', () => {
    expect(chooseTimeTicks(9e18, 9e18 + 1_024, 4).length).toBeLessThan(8)
  })
})

describe('makePlot()', () => {
  const x = [100, 110, 120]
  const series = [
    { label: 'allowed', values: [1, null, 3] },
    { label: 'refused', values: [2, 4, null] },
  ]
  const [width, height] = [margin.left + 200 + margin.right, margin.top + 100 + margin.bottom]

  it('places the first moment and the last at the edges, and finds the moment at a place', () => {
    const { toX, indexAt } = makePlot({ x, series }, width, height)
    expect(x.map(toX)).toEqual([margin.left, margin.left + 100, margin.left + 200])
    expect([-50, 49, 51, 149, 151, 999].map((pixel) => indexAt(margin.left + pixel))).toEqual([0, 0, 1, 1, 2, 2])
    expect(makePlot({ x: [], series: [] }, width, height).indexAt(10)).toBeNull()
  })

  it('begins a stack at zero, puts each series on the one before, and makes room for its last step', () => {
    const { bases, toX, toY } = makePlot({ x, series, kind: 'stack', step: 20 }, width, height)
    expect(bases).toEqual([
      [0, 0, 0],
      [1, 0, 3],
    ])
    expect(toY(0)).toBe(margin.top + 100)
    expect(toY(4)).toBeGreaterThan(margin.top)
    expect(toX(140)).toBe(margin.left + 200)
  })

  it('keeps lines off the edges, also where all values are equal or unknown', () => {
    const span = (values: readonly (number | null)[]) => {
      const { toY } = makePlot({ x, series: [{ label: 'one', values }] }, width, height)
      return toY(5)
    }
    expect(span([5, 5, 5])).toBe(margin.top + 50)
    expect(Number.isFinite(span([null, null, null]))).toBe(true)
  })
})
