import { describe, expect, it } from 'vitest'
import { isSilent, millisecondsFor, noDemand, noteDemand, wantedHits } from '#ratelimit/lease/demand.ts'

/** Demand after so many seconds of a steady rate that began at the moment 0. */
function steady(perSecond: number, seconds = 30) {
  const demand = noDemand(0)
  const apart = 1000 / perSecond
  let nowMs = 0
  for (; nowMs < seconds * 1000; nowMs += apart) noteDemand(demand, 1, nowMs)
  return { demand, nowMs }
}

const hourMs = 3_600_000
const early = { restMs: hourMs, mayBeSmall: true }
const earlyNotSmall = { restMs: hourMs, mayBeSmall: false }

describe('wantedHits()', () => {
  it('is a second of a high rate, or ten seconds while they are a hundredth of the limit', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 20_000, early, nowMs)).toBeGreaterThan(900)
    expect(wantedHits(demand, 20_000, early, nowMs)).toBeLessThan(1_100)
    expect(wantedHits(demand, 1_000_000, early, nowMs)).toBeGreaterThan(9_000)
    expect(wantedHits(demand, 1_000_000, early, nowMs)).toBeLessThanOrEqual(10_000)
  })

  it('is a minute of any rate while that is a thousandth of the limit', () => {
    const { demand, nowMs } = steady(1, 300)
    expect(wantedHits(demand, 1_000_000, early, nowMs)).toBeGreaterThan(55)
    expect(wantedHits(demand, 1_000_000, early, nowMs)).toBeLessThan(65)
    expect(wantedHits(demand, 20_000, early, nowMs)).toBe(20)
  })

  it('is nothing for a low rate, unless a small part of the limit covers it', () => {
    const { demand, nowMs } = steady(1)
    expect(wantedHits(demand, 100, early, nowMs)).toBe(0)
    expect(wantedHits(demand, 100_000, earlyNotSmall, nowMs)).toBeGreaterThan(5)
    const first = noDemand(0)
    noteDemand(first, 1, 0)
    expect(wantedHits(first, 100_000, earlyNotSmall, 0)).toBe(0)
  })

  describe('of a counter that is rarely hit', () => {
    const [first, second] = [noDemand(0), noDemand(0)]
    noteDemand(first, 1, 0)
    noteDemand(second, 1, 0)
    const nowMs = 80_000
    noteDemand(second, 1, nowMs)

    it('is eight from the second hit on', () => {
      expect(wantedHits(first, 100_000, early, 0)).toBe(0)
      expect(wantedHits(second, 100_000, early, nowMs)).toBe(8)
    })

    it('is a thousandth of the limit at most, and never a single hit', () => {
      expect(wantedHits(second, 4_900, early, nowMs)).toBe(4)
      expect(wantedHits(second, 1_999, early, nowMs)).toBe(0)
    })

    it('is nothing where little may not be held', () => {
      expect(wantedHits(second, 100_000, earlyNotSmall, nowMs)).toBe(0)
    })

    it('is half of it when half a minute of the window is left', () => {
      expect(wantedHits(second, 100_000, { ...early, restMs: 30_000 }, nowMs)).toBe(4)
    })
  })

  it('is at most what the rest of the window can use', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 1_000_000, { ...early, restMs: 100 }, nowMs)).toBeLessThan(130)
    expect(wantedHits(demand, 1_000_000, { ...early, restMs: 0 }, nowMs)).toBe(0)
  })

  it('fades while no hit comes', () => {
    const { demand, nowMs } = steady(1000)
    expect(wantedHits(demand, 20_000, early, nowMs + 4_000)).toBeLessThan(250)
    expect(wantedHits(demand, 20_000, earlyNotSmall, nowMs + 120_000)).toBe(0)
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
