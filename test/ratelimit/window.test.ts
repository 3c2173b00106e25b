/** Fixed windows of every unit, at both ends. */

import { describe, expect, it } from 'vitest'
import { parseUnit, secondsUntilReset, unitSeconds, units, windowStart } from '#ratelimit/window.ts'

// Wednesday, 8 April 2026, 12:34:56 UTC.
const now = 1_775_651_696

describe('windowStart()', () => {
  it.each([
    ['SECOND', '2026-04-08T12:34:56Z'],
    ['MINUTE', '2026-04-08T12:34:00Z'],
    ['HOUR', '2026-04-08T12:00:00Z'],
    ['DAY', '2026-04-08T00:00:00Z'],
    // The epoch was a Thursday.
    ['WEEK', '2026-04-02T00:00:00Z'],
  ] as const)('begins a %s at %s', (unit, start) => {
    expect(new Date(windowStart(unit, now) * 1000).toISOString()).toBe(start.replace('Z', '.000Z'))
  })

  it.each(units)('moves on in the second after the last one of a %s', (unit) => {
    const start = windowStart(unit, now)
    expect(windowStart(unit, start)).toBe(start)
    expect(windowStart(unit, start + unitSeconds[unit] - 1)).toBe(start)
    expect(windowStart(unit, start + unitSeconds[unit])).toBe(start + unitSeconds[unit])
  })
})

describe('secondsUntilReset()', () => {
  it.each(units)('is the whole %s at its start, and 1 in its last second', (unit) => {
    const start = windowStart(unit, now)
    expect(secondsUntilReset(unit, start)).toBe(unitSeconds[unit])
    expect(secondsUntilReset(unit, start + unitSeconds[unit] - 1)).toBe(1)
  })
})

describe('parseUnit()', () => {
  it('reads a unit in any case, and nothing else', () => {
    expect(['minute', 'Minute', 'MINUTE'].map(parseUnit)).toEqual(['MINUTE', 'MINUTE', 'MINUTE'])
    expect(['', ' minute', 'minutes', 'unknown'].map(parseUnit)).toEqual([null, null, null, null])
  })
})
