/** Keeping up with a clock. */

import { describe, expect, it } from 'vitest'
import { catchUpSteps, dueStep, untilStep } from '#grid/step/step-schedule.ts'

const pace = { anchorMs: 10_000, anchorStep: 40, speed: 1 }

describe('dueStep()', () => {
  it('is the anchor at the anchor and before it, and one more every 100 ms', () => {
    expect([9_000, 10_000, 10_099, 10_100, 11_000].map((now) => dueStep(pace, now))).toEqual([40, 40, 40, 41, 50])
  })

  it('runs at the given speed', () => {
    expect(dueStep({ ...pace, speed: 2.5 }, 11_000)).toBe(65)
    expect(dueStep({ ...pace, speed: 0.1 }, 20_000)).toBe(50)
  })
})

describe('untilStep()', () => {
  it('waits for a step, never less than a millisecond', () => {
    expect(untilStep(pace, 41, 10_030)).toBe(70)
    expect(untilStep(pace, 41, 99_000)).toBe(1)
  })

  it('leaves room for what is caught up at the highest speed', () => {
    const fast = { ...pace, speed: 60 }
    const wait = untilStep(fast, 40 + catchUpSteps / 2, 10_000)
    expect(wait).toBe(500)
    expect(dueStep(fast, 10_000 + wait + 400) - 40).toBeLessThanOrEqual(catchUpSteps)
  })
})
