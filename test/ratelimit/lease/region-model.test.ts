/** Leases of regions in a model: holders far from the counter, crashes, wrong clocks and cuts of the network. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { createLeaseWorld, type LeaseWorld, type RegionPlan } from '../../support/lease-world.ts'
import { sweep } from '../../support/sweep.ts'

const seeds = sweep(10_000, 60)
const [holders, count] = [64, 6]

/**
 * Round trips in milliseconds between the home of the counter, Frankfurt, and six regions: Frankfurt, Virginia,
 * California, Tokyo, Sydney, Sao Paulo. Medians between regions of AWS by https://www.cloudping.co in 2025.
 */
const roundTripsMs = [4, 93, 153, 227, 251, 204] as const

/** Within a region 2 to 15 ms each way; between regions the median and up to a fifth more. */
function worldRegions(random: Random): RegionPlan {
  const farMs = (region: number) => ((roundTripsMs[region] ?? 0) / 2) * (1 + random.uniform() * 0.2)
  return { count, nearMs: () => 2 + random.uniform() * 13, farMs }
}

function happen(world: LeaseWorld, random: Random): void {
  const [chance, holder, region] = [random.uniform(), random.integer(0, holders - 1), random.integer(0, count - 1)]
  if (chance < 0.01) world.crashHolder(holder)
  else if (chance < 0.02) world.crashRegion(region)
  else if (chance < 0.025) world.crashCounter()
  else if (chance < 0.035) world.setClock(holder, random.integer(-40_000, 30_000))
  else if (chance < 0.05) world.cut(region, random.uniform() < 0.5 ? 'counter' : 'holders', random.uniform() * 20_000)
  else if (chance < 0.12) for (let at = 0; at < holders; at++) world.sweep(at)
  else if (chance < 0.16) world.pass(random.uniform() * 50_000)
  else {
    // A few busy holders in one region, so that leases are handed on.
    for (let hit = random.integer(1, 8); hit > 0; hit--) {
      world.hit((region + count * random.integer(0, 2)) % holders, random.integer(1, 20) === 1 ? 5 : 1)
    }
    world.pass(random.uniform() * 120)
  }
}

describe('leases of regions', () => {
  it(`never admit one hit above the limit: ${holders} holders, ${count} regions, crashes, clocks and cuts by ${seeds} seeds`, () => {
    let fromLeases = 0
    for (let seed = 0; seed < seeds; seed++) {
      const random = createRandom(seed, 'regions')
      const limit = [1, 7, 50, 400, 3_000, 100_000][random.integer(0, 5)] ?? 1
      const unit = (['SECOND', 'MINUTE', 'MINUTE', 'HOUR'] as const)[random.integer(0, 3)] ?? 'MINUTE'
      const world = createLeaseWorld({
        unit,
        limit,
        holders,
        random,
        network: { delayMs: () => 0, lost: random.uniform() * 0.2, repeated: 0.1 },
        clockOf: () => ({ offsetMs: random.normal(0, 5_000), rate: (random.uniform() - 0.5) * 0.009 }),
        regions: worldRegions(random),
      })
      for (let step = 0; step < 120; step++) happen(world, random)
      world.pass(10_000)
      for (const [window, admitted] of world.tally.admitted)
        if (admitted > limit) expect.fail(`seed ${seed}: window ${window} admitted ${admitted} of ${limit}`)
      fromLeases += world.tally.fromLeases
    }
    expect(fromLeases).toBeGreaterThan(seeds * 10)
  })
})

interface Steady {
  readonly unit: Unit
  readonly limit: number
  readonly demand: number
}

/** Plays one whole window of demand that is even over all holders. */
function playSteady({ unit, limit, demand }: Steady, seed: number) {
  const random = createRandom(seed, 'steady regions')
  const world = createLeaseWorld({
    unit,
    limit,
    holders,
    random,
    network: { delayMs: () => 0, lost: 0, repeated: 0 },
    clockOf: () => ({ offsetMs: random.normal(0, 1_000), rate: 0 }),
    regions: worldRegions(random),
  })
  const first = world.window()
  const next = first + unitSeconds[unit]
  let [asked, sweptMs] = [0, world.now()]
  while (world.window() <= next) {
    world.pass((-Math.log(1 - random.uniform()) * unitSeconds[unit] * 1000) / (limit * demand))
    if (world.window() === next) asked += 1
    world.hit(random.integer(0, holders - 1), 1)
    for (; sweptMs < world.now(); sweptMs += 1_000) for (let at = 0; at < holders; at++) world.sweep(at)
  }
  const waits = [...world.tally.waitsMs].sort((one, other) => one - other)
  return {
    admitted: (world.tally.admitted.get(next) ?? 0) / Math.min(asked, limit),
    p50: waits[Math.floor(waits.length / 2)] ?? 0,
  }
}

describe('leases of regions at steady demand', () => {
  it.each([
    { unit: 'MINUTE', limit: 6_000, demand: 1 },
    { unit: 'MINUTE', limit: 6_000, demand: 1.3 },
    { unit: 'MINUTE', limit: 60_000, demand: 0.9 },
    { unit: 'MINUTE', limit: 600, demand: 1.2 },
  ] as const)('admit nearly all of %j, and decide at the distance of the region', (plan) => {
    for (let seed = 1; seed <= sweep(3, 1); seed++) {
      const { admitted, p50 } = playSteady(plan, seed)
      expect(admitted).toBeGreaterThanOrEqual(0.99)
      expect(admitted).toBeLessThanOrEqual(1)
      // A round trip within a region.
      expect(p50).toBeLessThanOrEqual(30)
    }
  })
})
