/** Fronts and their service behind bad connections: messages cut, repeated and late admit no hit above the limit. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { createDecider, type Decider } from '#bin/decider/decider.ts'
import { leaseStats } from '#ratelimit/statistics/names.ts'
import { createFrontWorld, type FrontWorld } from '../../support/front-world.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'
import { sweep } from '../../support/sweep.ts'

const seeds = sweep(2_000, 30)
const fronts = 3
const limits = [1, 7, 50, 400, 3_000]
/** In the middle of a day, so that no window ends. */
const noonMs = 1_700_049_600_000

beforeEach(() => void vi.useFakeTimers({ now: noonMs }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

interface Tally {
  admitted: number
  failed: number
}

/** A front that a crash makes deaf: its process is gone, and so are the answers that it would have given. */
class Front {
  #isAlive = true
  readonly #decider: Decider
  readonly #tally: Tally
  constructor(world: FrontWorld, tally: Tally) {
    this.#tally = tally
    this.#decider = createDecider({ connect: () => world.connect(), warn: () => {} })
  }

  hit(hitsAddend: number): void {
    const request = { domain: 'shop', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }], hitsAddend }
    this.#decider
      .ready()
      ?.decide(request)
      .then(
        ({ overallCode }) => {
          if (this.#isAlive && overallCode === 'OK') this.#tally.admitted += hitsAddend
        },
        () => {
          this.#tally.failed += 1
        },
      )
  }

  crash(): void {
    this.#isAlive = false
    void this.#decider.stop()
  }
}

function happen(world: FrontWorld, random: Random, all: Front[], tally: Tally): number {
  const chance = random.uniform()
  const at = random.integer(0, fronts - 1)
  if (chance < 0.01) {
    all[at]?.crash()
    all[at] = new Front(world, tally)
  } else if (chance < 0.02) world.crash()
  else if (chance < 0.04) world.cut()
  else if (chance < 0.06) vi.setSystemTime(Date.now() + random.integer(0, 30_000))
  else if (chance < 0.1) return random.uniform() * 10_000
  else {
    const burst = random.integer(1, 8)
    for (let hit = 0; hit < burst; hit++) all[at]?.hit(random.integer(1, 20) === 1 ? 5 : 1)
  }
  return random.uniform() * 80
}

async function play(seed: number, leases: 'on' | 'off') {
  const random = createRandom(seed, `front connection ${leases}`)
  vi.spyOn(Math, 'random').mockImplementation(() => random.uniform())
  const limit = limits[random.integer(0, limits.length - 1)] ?? 1
  const world = createFrontWorld({
    random,
    settings: { LEASES: leases, LOG_LEVEL: 'fatal', USAGE_ENABLED: 'false' },
    rules: oneLimit('shop', 'day', limit),
    offsetMs: random.integer(-7_200_000, 7_200_000),
    delayMs: random.integer(0, 40),
    faulty: random.uniform() * 0.03,
  })
  const tally: Tally = { admitted: 0, failed: 0 }
  const all = Array.from({ length: fronts }, () => new Front(world, tally))
  for (let step = 0; step < 150; step++) {
    await vi.advanceTimersByTimeAsync(happen(world, random, all, tally))
    if (random.uniform() < 0.05) world.lie('shop_k_v_', 'DAY', limit)
  }
  await vi.advanceTimersByTimeAsync(30_000)
  for (const front of all) front.crash()
  vi.clearAllTimers()
  return { ...tally, limit, malformed: world.malformed(), fromLeases: world.statistic(leaseStats.admitted) }
}

describe.each(['off', 'on'] as const)('fronts over connections that fail, leases %s', (leases) => {
  it('admit no hit above the limit, and most of it in the end', async () => {
    const total = { admitted: 0, fromLeases: 0, failed: 0, malformed: 0 }
    for (let seed = 0; seed < seeds; seed++) {
      const { limit, ...tally } = await play(seed, leases)
      if (tally.admitted > limit) expect.fail(`seed ${seed}: ${tally.admitted} hits were admitted of ${limit}`)
      for (const name of ['admitted', 'fromLeases', 'failed', 'malformed'] as const) total[name] += tally[name]
    }
    expect(total.admitted).toBeGreaterThan(seeds * 10)
    expect(total.malformed).toBeGreaterThan(0)
    expect(total.failed).toBeGreaterThan(0)
    if (leases === 'on') expect(total.fromLeases).toBeGreaterThan(seeds)
  }, 120_000)
})
