/** Assignments in a model: Envoys, a counter that others hit and lease from, late messages, lost answers, restarts. */

import { describe, expect, test } from 'vitest'
import { createPool } from '#ratelimit/quota/pool.ts'
import { type Scenario, simulate } from '#test/support/quota-world.ts'
import { randomOf } from '#test/support/random.ts'
import { sweep } from '../../support/sweep.ts'

const unit = 'MINUTE'

const steady = (rate: number) => () => rate
const between = (bySecond: readonly (readonly number[])[], at: number, from: number, to: number) =>
  (bySecond[at] ?? []).slice(from, to).reduce((sum, hits) => sum + hits, 0)

describe('a pool', () => {
  test('admits the limit and no more under overload, within 5 %', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { admitted } = simulate({ seed, limit: 1_200, demands: [steady(200), steady(30)], seconds: 300 })
      const whole = [...admitted.values()].slice(1, -1)
      for (const hits of whole) {
        expect(hits).toBeLessThanOrEqual(1_200)
        expect(hits).toBeGreaterThanOrEqual(1_140)
      }
    }
  })

  test('gives a small demand what it asks for and the rest to the large one', () => {
    const { bySecond } = simulate({ seed: 3, limit: 6_000, demands: [steady(300), steady(10)], seconds: 240 })
    const [large, small] = [between(bySecond, 0, 60, 240), between(bySecond, 1, 60, 240)]
    expect(small).toBeGreaterThanOrEqual(0.9 * 10 * 180)
    expect(large + small).toBeGreaterThanOrEqual(0.93 * 100 * 180)
  })

  test('follows a demand that moves to another Envoy', () => {
    const first = (second: number) => (second < 90 ? 200 : 1)
    const other = (second: number) => (second < 90 ? 1 : 200)
    const { bySecond } = simulate({ seed: 5, limit: 6_000, demands: [first, other], seconds: 240 })
    expect(between(bySecond, 1, 120, 240)).toBeGreaterThanOrEqual(0.85 * 100 * 120)
  })

  test('hands a limit smaller than the number of Envoys out hit by hit', () => {
    const demands = Array.from({ length: 8 }, () => steady(5))
    const { admitted } = simulate({ seed: 7, limit: 3, demands, seconds: 240 })
    const whole = [...admitted.values()].slice(1, -1)
    expect(Math.max(...whole)).toBeLessThanOrEqual(3)
    expect(Math.min(...whole)).toBeGreaterThanOrEqual(1)
  })

  test('sends an Envoy with a steady demand an assignment now and then, not at every report', () => {
    const { sent } = simulate({ seed: 9, limit: 6_000, demands: [steady(20)], seconds: 300 })
    expect(sent).toBeLessThan(60)
  })

  test('an Envoy that claims an endless demand gets no more than its equal part beside one with a real demand', () => {
    const pool = createPool({ limit: 6_000, unit, lifeSeconds: 30 })
    const start = 600_000
    for (let nowMs = start; nowMs <= start + 10_000; nowMs += 5_000) {
      pool.report('honest', { allowed: 0, denied: 500, elapsed: 0 }, nowMs)
      pool.report('liar', { allowed: 0, denied: Number.MAX_SAFE_INTEGER, elapsed: 0 }, nowMs)
    }
    const plan = pool.plan(start + 10_000)
    const draw = { after: plan?.wanted ?? 0, windowStart: 600, millisecondsUntilReset: 50_000, faults: 0 }
    const sent = pool.settle({ ...draw, granted: plan?.wanted ?? 0, outstanding: 0 }, 1, start + 10_000)
    const [one, other] = sent.map(({ bucket }) => bucket?.tokensPerFill ?? 0)
    expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThanOrEqual((one ?? 0) / 100)
  })

  test.each([
    { hides: 'all', others: [], most: 3 },
    { hides: 'as refused', others: [], most: 3 },
    { hides: 'as refused', others: [steady(100)], most: 2 },
  ] as const)('an Envoy that hides its hits ($hides) exceeds the limit by no more than it hid', (row) => {
    const demands = [steady(200), ...row.others]
    const lives = Array.from({ length: 20 }, (_, seed) =>
      simulate({ seed: seed + 1, limit: 1_200, lifeSeconds: 5, demands, seconds: 300, hides: row.hides }),
    )
    for (const { admitted, byFirst } of lives) {
      for (const [window, hits] of admitted) {
        expect(hits).toBeLessThanOrEqual(1_200 + (byFirst.get(window) ?? 0))
      }
    }
    const worst = Math.max(...lives.flatMap(({ admitted }) => [...admitted.values()])) / 1_200
    expect(worst).toBeGreaterThan(1)
    expect(worst).toBeLessThan(row.most)
  })

  test('an Envoy that claims endless hits takes no more than the limit from the counter', () => {
    const pool = createPool({ limit: 100, unit, lifeSeconds: 30 })
    pool.report('liar', { allowed: Number.MAX_SAFE_INTEGER, denied: 0, elapsed: 0 }, 600_000)
    expect(pool.plan(600_000)?.addend).toBe(101)
  })

  test('names a holder that is silent, and forgets it once it has left', () => {
    const pool = createPool({ limit: 100, unit, lifeSeconds: 30 })
    pool.report('gone', { allowed: 0, denied: 5, elapsed: 0 }, 600_000)
    expect(pool.silent(610_000)).toEqual([])
    expect(pool.silent(616_000)).toEqual(['gone'])
    pool.leave('gone')
    expect(pool.size).toBe(0)
  })
})

/** A scenario drawn from a seed: rates from idle to overload, late and lost messages, restarts, other hits. */
function scenarioOf(seed: number, others: Pick<Scenario, 'direct' | 'leasing'>): Scenario {
  const random = randomOf(seed * 7_919)
  const limit = 1 + Math.floor(random() ** 3 * 3_000)
  const count = 1 + Math.floor(random() * 3)
  const demands = Array.from({ length: count }, () => {
    const rate = random() * (limit / 20)
    const [from, to] = [random() * 90, random() * 90]
    return (second: number) => (second >= from && second < to ? rate * 4 : rate)
  })
  const chance = random() < 0.5 ? 0.01 : 0
  return {
    seed,
    limit,
    demands,
    seconds: 90,
    lifeSeconds: 5 + Math.floor(random() * 40),
    reportMs: 1_000 + Math.floor(random() * 40) * 100,
    lossy: chance * 10,
    killing: { stream: chance / 4, object: chance / 4 },
    ...others,
  }
}

describe('random lives', () => {
  test.each([
    { of: 'assignments', others: {}, seeds: sweep(5_000, 60), from: 1 },
    {
      of: 'assignments, direct hits and leases',
      others: { direct: 2, leasing: 0.02 },
      seeds: sweep(5_000, 60),
      from: 5_001,
    },
  ])('of $of never admit a hit above the limit', ({ others, seeds, from }) => {
    for (let seed = from; seed < from + seeds; seed++) {
      const scenario = scenarioOf(seed, others)
      for (const [window, hits] of simulate(scenario).admitted) {
        if (hits > scenario.limit) {
          throw new Error(`seed ${seed}, window ${window}: ${hits} of ${scenario.limit} were admitted`)
        }
      }
    }
  })
})
