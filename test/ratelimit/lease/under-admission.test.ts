/** Leases at steady demand in a model: how many hits that should pass are refused. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import { createLeaseWorld } from '../../support/lease-world.ts'
import { sweep } from '../../support/sweep.ts'

interface Plan {
  readonly unit: Unit
  readonly limit: number
  readonly holders: number
  /** Hits of a window as a part of the limit. */
  readonly demand: number
  /** Every holder has the same demand, or holder n a share of 1 / n. */
  readonly skewed?: boolean
}

/** The sums of one whole window of steady demand. */
interface Came {
  /** Hits that should have been admitted and were not, as a part of the limit. */
  readonly missing: number
  readonly callsPerHit: number
}

/** Hits at random moments, as many callers make them. */
function play({ unit, limit, holders, demand, skewed = false }: Plan, seed: number): Came {
  const random = createRandom(seed, 'under-admission')
  const world = createLeaseWorld({
    unit,
    limit,
    holders,
    random,
    network: { delayMs: () => 2 + random.uniform() * 20, lost: 0, repeated: 0 },
    clockOf: () => ({ offsetMs: random.normal(0, 1_000), rate: 0 }),
  })
  const [lengthMs, weights] = [unitSeconds[unit] * 1000, weightsOf(holders, skewed)]
  const apartMs = lengthMs / (limit * demand)
  const first = world.window()
  let [asked, callsBefore, sweptMs] = [0, 0, world.now()]
  // From somewhere in one window to the end of the next, which is the one that is looked at.
  while (world.window() <= first + unitSeconds[unit]) {
    world.pass(-Math.log(1 - random.uniform()) * apartMs)
    if (world.window() === first) callsBefore = world.tally.calls
    if (world.window() === first + unitSeconds[unit]) asked += 1
    world.hit(pickHolder(weights, random.uniform()), 1)
    for (; sweptMs < world.now(); sweptMs += 1_000) for (let at = 0; at < holders; at++) world.sweep(at)
  }
  const admitted = world.tally.admitted.get(first + unitSeconds[unit]) ?? 0
  return {
    missing: (Math.min(asked, limit) - admitted) / limit,
    callsPerHit: (world.tally.calls - callsBefore) / asked,
  }
}

/** Upper ends of the holders' parts of 1. */
function weightsOf(holders: number, isSkewed: boolean): readonly number[] {
  const parts = Array.from({ length: holders }, (_, at) => (isSkewed ? 1 / (at + 1) : 1))
  const sum = parts.reduce((total, part) => total + part, 0)
  let end = 0
  return parts.map((part) => {
    end += part / sum
    return end
  })
}

function pickHolder(weights: readonly number[], chance: number): number {
  const at = weights.findIndex((end) => chance < end)
  return at < 0 ? weights.length - 1 : at
}

const plans: readonly Plan[] = [1, 8, 64].flatMap((holders) => [
  { unit: 'MINUTE', limit: 6_000, holders, demand: 1 } as const,
  { unit: 'MINUTE', limit: 6_000, holders, demand: 1.3 } as const,
  { unit: 'MINUTE', limit: 6_000, holders, demand: 1.3, skewed: true } as const,
  { unit: 'MINUTE', limit: 600, holders, demand: 1.1 } as const,
  { unit: 'SECOND', limit: 2_000, holders, demand: 1.5 } as const,
])

describe('leases at steady demand', () => {
  it.each(plans)('leave at most 1 % of %j unadmitted, and never admit more', (plan) => {
    const came = Array.from({ length: sweep(3, 1) }, (_, seed) => play(plan, seed + 1))
    for (const { missing } of came) expect(missing).toBeLessThanOrEqual(0.01)
  })
})
