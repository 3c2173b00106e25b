/** Leases in a model: many isolates, wrong clocks, crashes and lost messages, beside assignments of the same counter. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import { createLeaseWorld, type LeaseWorld } from '../../support/lease-world.ts'
import { sweep } from '../../support/sweep.ts'

const seeds = sweep(10_000, 100)
const holders = 64
const limits = [1, 7, 50, 400, 3_000]
const windows = ['SECOND', 'MINUTE', 'MINUTE', 'HOUR'] as const

function worldOf(random: Random): { world: LeaseWorld; limit: number; unit: Unit } {
  const limit = limits[random.integer(0, limits.length - 1)] ?? 1
  const unit = windows[random.integer(0, windows.length - 1)] ?? 'MINUTE'
  const slow = random.integer(1, 400)
  const world = createLeaseWorld({
    unit,
    limit,
    holders,
    random,
    network: { delayMs: () => random.uniform() * slow, lost: random.uniform() * 0.2, repeated: 0.1 },
    // Two clocks that are wrong by 0.45 % each differ by less than the margin of a lease.
    clockOf: () => ({ offsetMs: random.normal(0, 5_000), rate: (random.uniform() - 0.5) * 0.009 }),
  })
  return { world, limit, unit }
}

/** One thing that happens: mostly a burst of hits on a few holders. */
function happen(world: LeaseWorld, random: Random, busy: number): void {
  const chance = random.uniform()
  const holder = random.integer(0, busy)
  if (chance < 0.01) world.crashHolder(holder)
  else if (chance < 0.015) world.crashCounter()
  else if (chance < 0.02) world.setClock(holder, random.integer(0, 30_000))
  else if (chance < 0.1) world.sweep(holder)
  else if (chance < 0.14) world.pass(random.uniform() * 50_000)
  else if (chance < 0.18) world.pass(random.uniform() * 5_000)
  else {
    const burst = random.integer(1, 6)
    for (let hit = 0; hit < burst; hit++) world.hit(holder, random.integer(1, 20) === 1 ? 5 : 1)
    world.pass(random.uniform() * 120)
  }
}

/** An assignment: hits that a holder admits until it ends, by a clock that is off by less than its margin. */
interface Budget {
  readonly id: number
  readonly endsMs: number
  left: number
}

/** Assignments drawn from the counter in large parts, used up slowly, given back in part, and forgotten. */
function createAssigner(world: LeaseWorld, random: Random, { limit, unit }: { limit: number; unit: Unit }) {
  let budgets: Budget[] = []
  const draw = (wanted: number, returned: readonly number[]) => {
    const id = random.uint32() * 4_294_967_296 + random.uint32()
    world.draw(id, ['a', units.indexOf(unit), 0, limit, wanted, 1, returned], (answer, passedMs) => {
      const lastsMs = answer.millisecondsUntilReset * 0.99 - passedMs
      if (answer.granted > 0) budgets.push({ id, left: answer.granted, endsMs: world.now() + lastsMs })
    })
  }
  return {
    step() {
      const chance = random.uniform()
      if (chance < 0.3) draw(random.integer(1, Math.max(1, Math.floor(limit / 3))), [])
      else if (chance < 0.4) {
        const given = budgets.splice(0, random.integer(1, 2))
        // Also a return of more than was had, which must change nothing.
        const lie = random.integer(0, 4) === 0 ? 4_000 : 0
        draw(
          0,
          given.flatMap(({ id, left }) => [id, left + lie]),
        )
      } else if (chance < 0.42) budgets = []
      for (const budget of budgets) {
        const used = Math.min(budget.left, random.integer(0, 5))
        if (world.now() >= budget.endsMs) continue
        budget.left -= used
        if (used > 0) world.admit(used)
      }
    },
  }
}

/** Fails where a window admitted more than its limit. */
function expectWithin(world: LeaseWorld, limit: number, seed: number): void {
  for (const [window, admitted] of world.tally.admitted) {
    if (admitted > limit) expect.fail(`seed ${seed}: window ${window} admitted ${admitted} of ${limit}`)
  }
}

describe('leases', () => {
  it(`never admit one hit above the limit: ${holders} isolates, clocks, crashes and losses by ${seeds} seeds`, () => {
    let fromLeases = 0
    for (let seed = 0; seed < seeds; seed++) {
      const random = createRandom(seed, 'leases')
      const { world, limit } = worldOf(random)
      const busy = [0, 1, 7, holders - 1][random.integer(0, 3)] ?? 0
      for (let step = 0; step < 120; step++) happen(world, random, busy)
      world.pass(10_000)
      expectWithin(world, limit, seed)
      fromLeases += world.tally.fromLeases
    }
    // The model means something only while leases do the work.
    expect(fromLeases).toBeGreaterThan(seeds * 20)
  })

  it('never admit one hit above the limit where clocks are set back by less than a second', () => {
    let fromLeases = 0
    for (let seed = 0; seed < sweep(3_000); seed++) {
      const random = createRandom(seed, 'clocks that are set back')
      const { world, limit, unit } = worldOf(random)
      // A window of a second has no room for the margin.
      if (unit === 'SECOND') continue
      const busy = [0, 1, 7][random.integer(0, 2)] ?? 0
      const setBackAt = Array.from({ length: busy + 2 }, () => random.integer(0, 119))
      for (let step = 0; step < 120; step++) {
        happen(world, random, busy)
        const holder = setBackAt.indexOf(step)
        if (holder > busy) world.setCounterBack(random.integer(1, 999))
        else if (holder >= 0) world.setClock(holder, -random.integer(1, 999))
      }
      world.pass(10_000)
      expectWithin(world, limit, seed)
      fromLeases += world.tally.fromLeases
    }
    expect(fromLeases).toBeGreaterThan(sweep(3_000) * 10)
  })

  it(`and assignments of the same counter together never admit one hit above the limit, by ${seeds} seeds`, () => {
    let [fromLeases, fromBudgets] = [0, 0]
    for (let seed = 0; seed < seeds; seed++) {
      const random = createRandom(seed, 'leases and assignments')
      const { world, limit, unit } = worldOf(random)
      const assigner = createAssigner(world, random, { limit, unit })
      const busy = [0, 7, holders - 1][random.integer(0, 2)] ?? 0
      for (let step = 0; step < 100; step++) {
        happen(world, random, busy)
        assigner.step()
      }
      world.pass(10_000)
      expectWithin(world, limit, seed)
      const admitted = [...world.tally.admitted.values()].reduce((sum, hits) => sum + hits, 0)
      fromLeases += world.tally.fromLeases
      fromBudgets += admitted - world.tally.fromLeases
    }
    expect(fromLeases).toBeGreaterThan(seeds)
    expect(fromBudgets).toBeGreaterThan(seeds)
  })
})
