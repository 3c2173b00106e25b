import { describe, expect, it } from 'vitest'
import { isSilent, millisecondsFor, noDemand, noteDemand, wantedHits } from '#ratelimit/lease/demand.ts'

/** Demand after so many seconds of a steady rate, by the clock 0. */
function steady(perSecond: number, seconds = 30) {
  const demand = noDemand(0)
  const apart = 1000 / perSecond
  let nowMs = 0
  for (; nowMs < seconds * 1000; nowMs += apart) noteDemand(demand, 1, nowMs)
  return { demand, nowMs }
}

const hour = 3_600_000
const rest = { restMs: hour, mayBeSmall: true }
const only = { restMs: hour, mayBeSmall: false }

describe('wantedHits()', () => {
  it('is a second of a high rate, or ten seconds while they are a hundredth of the limit', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 20_000, rest, nowMs)).toBeGreaterThan(900)
    expect(wantedHits(demand, 20_000, rest, nowMs)).toBeLessThan(1_100)
    expect(wantedHits(demand, 1_000_000, rest, nowMs)).toBeGreaterThan(9_000)
    expect(wantedHits(demand, 1_000_000, rest, nowMs)).toBeLessThanOrEqual(10_000)
  })

  it('is a minute of any rate while that is a thousandth of the limit', () => {
    const { demand, nowMs } = steady(1, 300)
    expect(wantedHits(demand, 1_000_000, rest, nowMs)).toBeGreaterThan(55)
    expect(wantedHits(demand, 1_000_000, rest, nowMs)).toBeLessThan(65)
    expect(wantedHits(demand, 20_000, rest, nowMs)).toBe(20)
  })

  it('is nothing for a low rate, unless a small part of the limit covers it', () => {
    const { demand, nowMs } = steady(1)
    expect(wantedHits(demand, 100, rest, nowMs)).toBe(0)
    expect(wantedHits(demand, 100_000, only, nowMs)).toBeGreaterThan(5)
    const first = noDemand(0)
    noteDemand(first, 1, 0)
    expect(wantedHits(first, 100_000, only, 0)).toBe(0)
  })

  it('is eight from the second hit on, a thousandth of the limit at most, and only where little may be held', () => {
    const demand = noDemand(0)
    noteDemand(demand, 1, 0)
    expect(wantedHits(demand, 100_000, rest, 0)).toBe(0)
    const nowMs = 80_000
    noteDemand(demand, 1, nowMs)
    expect(wantedHits(demand, 100_000, rest, nowMs)).toBe(8)
    expect(wantedHits(demand, 4_900, rest, nowMs)).toBe(4)
    expect(wantedHits(demand, 1_999, rest, nowMs)).toBe(0)
    expect(wantedHits(demand, 100_000, only, nowMs)).toBe(0)
    expect(wantedHits(demand, 100_000, { ...rest, restMs: 30_000 }, nowMs)).toBe(4)
  })

  it('is at most what the rest of the window can use', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 1_000_000, { ...rest, restMs: 100 }, nowMs)).toBeLessThan(130)
    expect(wantedHits(demand, 1_000_000, { ...rest, restMs: 0 }, nowMs)).toBe(0)
  })

  it('fades while no hit comes', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 20_000, rest, nowMs + 4_000)).toBeLessThan(250)
    expect(wantedHits(demand, 20_000, only, nowMs + 120_000)).toBe(0)
  })
})

describe('millisecondsFor()', () => {
  it('is the time that hits last at the present rate', () => {
    const { demand } = steady(100)
    expect(millisecondsFor(50, demand)).toBeGreaterThan(400)
    expect(millisecondsFor(50, demand)).toBeLessThan(600)
    expect(millisecondsFor(50, noDemand(0))).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('isSilent()', () => {
  const much = { left: 50, limit: 1_000 }
  const little = { left: 50, limit: 50_000 }

  it('waits two seconds after a high rate and up to fifteen after a low one', () => {
    const fast = steady(100)
    expect(isSilent(fast.demand, much, fast.nowMs + 1_500)).toBe(false)
    expect(isSilent(fast.demand, much, fast.nowMs + 2_500)).toBe(true)
    const slow = steady(0.25)
    expect(isSilent(slow.demand, much, slow.nowMs + 8_000)).toBe(false)
    expect(isSilent(slow.demand, much, slow.nowMs + 16_000)).toBe(true)
  })

  it('waits up to two minutes with a thousandth of the limit, and no longer after a high rate', () => {
    const fast = steady(100)
    expect(isSilent(fast.demand, little, fast.nowMs + 2_500)).toBe(true)
    const slow = noDemand(0)
    noteDemand(slow, 1, 0)
    expect(isSilent(slow, little, 119_000)).toBe(false)
    expect(isSilent(slow, little, 120_000)).toBe(true)
  })
})
