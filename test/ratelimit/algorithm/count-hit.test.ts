/** Algorithms beside brute-force models, by random histories and clocks that leap; and what each promises of any stretch. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { type Algorithm, capacityFor, secondsToFill } from '#ratelimit/algorithm/algorithm.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import { maxHits, type Window } from '#ratelimit/counter.ts'
import { algorithmModel, moveClock } from '../../support/algorithm-model.ts'
import { sweep } from '../../support/sweep.ts'

const lengths = [1, 2, 7, 60, 900, 86_400]

function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[random.integer(0, list.length - 1)] ?? list[0]
}

function drawAlgorithm(random: Random): Algorithm {
  const seconds = lengths[random.integer(0, lengths.length - 1)] ?? 60
  const charge = pick(random, ['all', 'admitted'] as const)
  const kind = pick(random, ['fixed', 'sliding', 'token_bucket'] as const)
  // A scan for the start of a day is slow, so that few histories have one.
  if (random.uniform() < 0.02)
    return { kind: 'calendar', seconds: 86_400, period: 'day', zone: 'Europe/Berlin', charge }
  if (kind === 'token_bucket') return { kind, seconds, burst: random.integer(1, 20), charge: 'all' }
  return { kind, seconds, charge }
}

const histories = sweep(150_000, 1_500)

describe('countHit()', () => {
  it(`agrees with the models over ${histories} random histories with clocks that leap`, () => {
    for (let seed = 0; seed < histories; seed++) {
      const random = createRandom(seed, 'algorithms')
      const algorithm = drawAlgorithm(random)
      const limit = random.integer(0, 12)
      const model = algorithmModel(algorithm, limit)
      let window: Window | undefined
      let nowMs = 1_700_000_000_000 + random.integer(0, 100_000_000)
      for (let step = 0; step < 16; step++) {
        nowMs = moveClock(nowMs, algorithm.seconds * 1000, random)
        const addend = pick(random, [1, 1, 1, 2, 5, 0, -1, -3])
        const counted = countHit(algorithm, window, { addend, limit, nowMs })
        const used = model.hit({ addend, nowMs })
        if (counted.after !== used || !(counted.secondsUntilReset >= 1)) {
          const place = `seed ${seed}, step ${step}: ${JSON.stringify({ algorithm, limit, addend })}`
          expect.fail(`${place}: ${JSON.stringify(counted)}, expected ${used} to be used`)
        }
        window = counted.window ?? window
      }
    }
  })

  it('says how long a refused hit waits: no second earlier would it pass', () => {
    for (let seed = 0; seed < sweep(3_000, 300); seed++) {
      const random = createRandom(seed, 'waits')
      const drawn = drawAlgorithm(random)
      if (drawn.kind === 'calendar') continue
      const algorithm = { ...drawn, seconds: random.integer(1, 9), charge: 'admitted' as const }
      const limit = random.integer(1, 9)
      const capacity = capacityFor(algorithm, limit)
      let window: Window | undefined
      let nowMs = 1_700_000_000_000 + random.integer(0, 9_999)
      for (let step = 0; step < 20; step++) {
        nowMs += random.integer(0, algorithm.seconds * 200)
        const addend = random.integer(1, 3)
        const counted = countHit(algorithm, window, { addend, limit, nowMs })
        window = counted.window ?? window
        if (counted.after <= capacity || addend > capacity) continue
        const passes = (seconds: number) =>
          countHit(algorithm, window, { addend, limit, nowMs: nowMs + seconds * 1000 }).after <= capacity
        const place = `seed ${seed}, step ${step}: ${JSON.stringify({ algorithm, limit, addend })}`
        const { secondsUntilReset: wait } = counted
        expect([place, passes(wait), wait > 1 && passes(wait - 1)]).toEqual([place, true, false])
      }
    }
  })

  it('of a sliding window admits less than twice the limit in any stretch of its length', () => {
    for (let seed = 0; seed < sweep(2_000, 200); seed++) {
      const random = createRandom(seed, 'sliding stretch')
      const algorithm: Algorithm = { kind: 'sliding', seconds: 10, charge: pick(random, ['all', 'admitted']) }
      const limit = random.integer(1, 20)
      for (const span of admittedSpans(algorithm, limit, random)) {
        if (span.lengthMs < 10_000) expect(span.hits).toBeLessThan(2 * limit + 1)
      }
    }
  })

  it('of a token bucket admits at most its burst and what flows in, in any stretch', () => {
    for (let seed = 0; seed < sweep(2_000, 200); seed++) {
      const random = createRandom(seed, 'bucket stretch')
      const burst = random.integer(1, 20)
      const algorithm: Algorithm = { kind: 'token_bucket', seconds: 10, burst, charge: 'all' }
      const rate = random.integer(1, 20)
      for (const { hits, lengthMs } of admittedSpans(algorithm, rate, random)) {
        expect(hits).toBeLessThanOrEqual(burst + (rate * lengthMs) / 10_000)
      }
    }
  })

  it('of a limit of 0 admits nothing, and of a huge addend answers a number that travels', () => {
    const kinds: readonly Algorithm[] = [
      { kind: 'fixed', seconds: 900, charge: 'all' },
      { kind: 'sliding', seconds: 60, charge: 'all' },
      { kind: 'token_bucket', seconds: 60, burst: 5, charge: 'all' },
    ]
    for (const algorithm of kinds) {
      const nowMs = 1_700_000_000_123
      expect(countHit(algorithm, undefined, { addend: 1, limit: 0, nowMs }).after).toBeGreaterThan(0)
      const most = countHit(algorithm, undefined, { addend: maxHits, limit: 4_294_967_295, nowMs })
      const again = countHit(algorithm, most.window ?? undefined, { addend: maxHits, limit: 4_294_967_295, nowMs })
      expect([most.after, again.after]).toEqual([maxHits, maxHits])
    }
  })

  it('of the fastest bucket still counts every hit', () => {
    const algorithm: Algorithm = { kind: 'token_bucket', seconds: 1, burst: 10, charge: 'all' }
    let window: Window | undefined
    let admitted = 0
    for (let hit = 0; hit < 20; hit++) {
      const counted = countHit(algorithm, window, { addend: 1, limit: 4_294_967_295, nowMs: 1_700_000_000_999 })
      window = counted.window ?? window
      if (counted.after <= 10) admitted += 1
    }
    expect(admitted).toBe(10)
    expect(secondsToFill(algorithm, 4_294_967_295)).toBe(1)
  })
})

/** Plays a steady clock, and lists the hits that passed between any two hits with both in it. */
function admittedSpans(algorithm: Algorithm, limit: number, random: Random) {
  const capacity = capacityFor(algorithm, limit)
  const passed: { readonly atMs: number; readonly hits: number }[] = []
  let window: Window | undefined
  let nowMs = 1_700_000_000_000 + random.integer(0, 9_999)
  for (let step = 0; step < 60; step++) {
    nowMs += random.integer(0, 900)
    const addend = random.integer(1, 4)
    const counted = countHit(algorithm, window, { addend, limit, nowMs })
    window = counted.window ?? window
    if (counted.after <= capacity) passed.push({ atMs: nowMs, hits: addend })
  }
  return passed.flatMap(({ atMs }, from) => {
    const sums: { readonly hits: number; readonly lengthMs: number }[] = []
    for (const one of passed.slice(from)) {
      sums.push({ hits: (sums.at(-1)?.hits ?? 0) + one.hits, lengthMs: one.atMs - atMs })
    }
    return sums
  })
}
