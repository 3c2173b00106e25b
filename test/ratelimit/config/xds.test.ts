/** The pace of a client of a control plane. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reconnectDelayMs, refusalDelayMs } from '#ratelimit/config/xds.ts'

const defaults = { initialMs: 10_000, maxMs: 60_000, factor: 0.5, hasJitter: true }

describe('reconnectDelayMs()', () => {
  it('is always the first pause with the defaults of the reference, whose factor is below 1', () => {
    for (const attempt of [0, 1, 7]) expect(reconnectDelayMs(defaults, attempt, 0.7)).toBe(10_000)
  })

  it('grows by the factor up to the longest pause', () => {
    const growing = { ...defaults, factor: 2, hasJitter: false }
    expect([0, 1, 2, 3, 9].map((attempt) => reconnectDelayMs(growing, attempt, 0))).toEqual([
      10_000, 20_000, 40_000, 60_000, 60_000,
    ])
  })

  it('is between the first and the longest pause with any settings', () => {
    const settings = fc.record({
      initialMs: fc.integer({ min: 1, max: 100_000 }),
      maxMs: fc.integer({ min: 1, max: 100_000 }),
      factor: fc.double({ min: 0, max: 100, noNaN: true }),
      hasJitter: fc.boolean(),
    })
    fc.assert(
      fc.property(settings, fc.nat(5_000), fc.double({ min: 0, max: 1, noNaN: true }), (backoff, attempt, chance) => {
        const delay = reconnectDelayMs(backoff, attempt, chance)
        expect(delay).toBeGreaterThanOrEqual(backoff.initialMs)
        expect(delay).toBeLessThanOrEqual(Math.max(backoff.initialMs, backoff.maxMs))
      }),
    )
  })
})

describe('refusalDelayMs()', () => {
  it('refuses at once first, then after pauses that double up to ten seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 1_000].map(refusalDelayMs)).toEqual([
      0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000,
    ])
  })
})
