/** Times of benign traffic: no flow keeps one gap to the microsecond, and devices differ. */

import { describe, expect, it } from 'vitest'
import { drawSpread } from '#grid/link/spread.ts'
import { runSteps, startWorld } from '#test/support/grid-session.ts'

/** Gaps of which a flow must have at least so many to be judged. */
const leastGaps = 40

describe('drawSpread()', () => {
  it('is the same for the same name and time, and even over times', () => {
    expect(drawSpread(7, 1_764_000_000_000_123)).toBe(drawSpread(7, 1_764_000_000_000_123))
    const shares = Array.from({ length: 4_000 }, (_, at) => drawSpread(7, 1_764_000_000_000_000 + at * 100_000))
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => shares.filter((one) => Math.floor(one * 10) === tenth).length,
    )
    for (const count of tenths) expect(Math.abs(count - 400)).toBeLessThan(100)
  })
})

describe('a clean session', () => {
  it('has no gap that takes more than 5 % of the gaps of its flow', () => {
    const { frames } = runSteps(startWorld(), 900)
    const times = new Map<string, number[]>()
    for (const { src, dst, protocol, timeUs } of frames) {
      const name = `${protocol} ${src} > ${dst}`
      times.set(name, [...(times.get(name) ?? []), timeUs])
    }
    const judged = [...times].filter(([, all]) => all.length > leastGaps)
    expect(judged.length).toBeGreaterThan(30)
    const found = judged.flatMap(([name, all]) => {
      const counts = new Map<number, number>()
      for (const [at, timeUs] of all.slice(1).entries()) {
        const gap = timeUs - (all[at] ?? 0)
        counts.set(gap, (counts.get(gap) ?? 0) + 1)
      }
      const most = Math.max(...counts.values())
      // Of few gaps two may be equal by chance.
      return most > Math.max(3, 0.05 * (all.length - 1)) ? [`${name}: ${most} of ${all.length - 1}`] : []
    })
    expect(found).toEqual([])
  })
})
