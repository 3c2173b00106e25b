import { describe, expect, it } from 'vitest'
import type { Random } from '#base/random.ts'
import { drawEvenly, drawSkewed } from '#bench/scale-out/keys.ts'
import { findEnd, simulate } from '#bench/scale-out/queue.ts'

const base = { capacity: 1_000, calls: 10_000, seed: 7 }
const even = (random: Random) => drawEvenly(random, 10_000)

describe('simulate()', () => {
  it('answers a call in the time that one takes while an object is idle, and never sooner', () => {
    const load = { ...base, keys: even, shards: 1, perSecond: 10 }
    expect(simulate(load).p50Ms).toBeCloseTo(1, 9)
  })

  it('waits as the queue of one server with constant work does: half its load over what it has left', () => {
    // Pollaczek and Khinchine: at 0.8 the mean wait is 0.8 / (2 * 0.2) = 2 times the work, and the median below it.
    const load = { ...base, calls: 200_000, keys: even, shards: 1, perSecond: 800 }
    const { p50Ms, p99Ms } = simulate(load)
    expect(p50Ms).toBeGreaterThan(1.5)
    expect(p50Ms).toBeLessThan(3)
    expect(p99Ms).toBeGreaterThan(6)
    expect(p99Ms).toBeLessThan(16)
  })

  it('says how much the busiest object has: all of one key, an even part of even keys', () => {
    const load = { ...base, shards: 8, perSecond: 100 }
    expect(simulate({ ...load, keys: () => () => 0 }).busiest).toBe(1)
    expect(simulate({ ...load, keys: even }).busiest).toBeLessThan(0.15)
  })
})

describe('findEnd()', () => {
  const end = (shards: number, keys: (random: Random) => () => number = even) => findEnd({ ...base, keys, shards }, 20)

  it('is just below what one object answers, about as many times that as there are shards for even keys', () => {
    const single = end(1)
    expect(single).toBeGreaterThan(850)
    expect(single).toBeLessThan(1_050)
    expect(end(8) / single).toBeGreaterThan(6.5)
    expect(end(8) / single).toBeLessThan(8.5)
  })

  it('stays with one object for one key, and below the number of shards for skewed keys', () => {
    expect(end(8, () => () => 0)).toBe(end(1, () => () => 0))
    const skewed = (random: Random) => drawSkewed(random, 10_000, 1.1)
    expect(end(8, skewed) / end(1)).toBeLessThan(6)
    expect(end(8, skewed) / end(1)).toBeGreaterThan(2)
  })
})
