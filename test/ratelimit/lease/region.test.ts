/** Leases of leases: the model of regions, and what a region does with one question. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import { createHeldLeases, takeAnswer } from '#ratelimit/lease/held-leases.ts'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { answerDraw, beginDraw, isHandedOn, type RegionLeases } from '#ratelimit/lease/region.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'
import { createLeaseWorld, type LeaseWorld, type RegionPlan } from '../../support/lease-world.ts'
import { sweep } from '../../support/sweep.ts'

const [minute, start, nowMs] = [units.indexOf('MINUTE'), 1_200, 1_210_000]
const ask = (addend: number, wanted: number, returned: readonly number[] = [], limit = 100): WireDraw => [
  'a',
  minute,
  addend,
  limit,
  wanted,
  0,
  returned,
]
const drawing = { id: 7, holder: 1, nowMs }

/** A region that holds 40 hits of a limit of 100, of which 60 are counted with them. */
function regionOf40(): RegionLeases {
  const region = { held: createHeldLeases(10), book: createLeaseBook() }
  const { question } = beginDraw(region, ask(1, 30), nowMs)
  const draw = {
    after: 60,
    windowStart: start,
    millisecondsUntilReset: 50_000,
    granted: 40,
    outstanding: 40,
    faults: 0,
  }
  if (question === null) throw new Error('Cannot hold hits: nothing was asked')
  takeAnswer(region.held, question, draw, { id: 1, limit: 100, sentMs: nowMs, nowMs })
  return region
}

/** Answers one question that the region need not pass on. */
function answerHere(region: RegionLeases, wire: WireDraw) {
  const begun = beginDraw(region, wire, nowMs)
  expect(begun.question).toBeNull()
  return answerDraw(region, begun, null, drawing).draw
}

const isOut = (region: RegionLeases, atMs = nowMs) => isHandedOn(region, { key: 'a', unit: 'MINUTE' }, atMs)
const leftOf = ({ held }: RegionLeases) => held.table.find({ key: 'a', unit: 'MINUTE' })?.left

describe('beginDraw()', () => {
  it('asks the counter for what it cannot admit, and for a lease of what the holders want', () => {
    const region = regionOf40()
    expect(beginDraw(region, ask(10, 0), nowMs).question).toBeNull()
    expect(leftOf(region)).toBe(30)
    // What is left goes back, so that it does not block the hits, unless holders may return hits of the lease.
    expect(beginDraw(region, ask(31, 0), nowMs).question?.slice(2)).toEqual([31, 100, 31 + 10 + 31, 0, [1, 30]])
  })

  it('keeps the lease open that hits which were handed on come back to', () => {
    const region = regionOf40()
    answerHere(region, ask(10, 60))
    expect(leftOf(region)).toBe(15)
    expect(beginDraw(region, ask(16, 0), nowMs).question?.[6]).toEqual([])
    answerHere(region, ask(15, 0))
    expect(beginDraw(region, ask(1, 0), nowMs).question?.[6]).toEqual([])
    answerHere(region, ask(0, 0, [7, 12]))
    expect(beginDraw(region, ask(13, 0), nowMs).question?.[6]).toEqual([1, 12])
  })

  it('takes back what it handed on, once, and nothing that it did not', () => {
    const region = regionOf40()
    expect(answerHere(region, ask(0, 10))).toMatchObject({ granted: 10 })
    expect([leftOf(region), isOut(region), isOut(region, nowMs + 20_000)]).toEqual([30, true, false])
    for (const [returned, faults, left] of [
      [[8, 5], 1, 30],
      [[7, 4], 0, 34],
      [[7, 4], 1, 34],
    ] as const) {
      expect(answerHere(region, ask(0, 0, returned)).faults).toBe(faults)
      expect(leftOf(region)).toBe(left)
    }
    answerHere(region, ask(0, 10))
    expect(answerHere(region, ask(0, 0, [7, 11])).faults).toBe(1)
    expect([leftOf(region), isOut(region)]).toEqual([24, false])
  })
})

describe('answerDraw()', () => {
  it('hands on a lease that ends before its own, counted by the last answer of the counter', () => {
    const draw = answerHere(regionOf40(), ask(1, 10))
    expect(draw).toMatchObject({ after: 21 + 10, granted: 10, windowStart: start, millisecondsUntilReset: 50_000 })
    expect(draw.lastsMs).toBe(50_000 * 0.99 - 1_000)
  })

  it('hands on nothing of another window than the answer, after a refusal, or under a lower limit', () => {
    const home = { after: 5, windowStart: start, millisecondsUntilReset: 9, granted: 0, outstanding: 0, faults: 0 }
    const answer = (wire: WireDraw, more: Partial<Draw>) => {
      const begun = { wire, admitted: null, question: null, faults: 0 }
      return answerDraw(regionOf40(), begun, { ...home, ...more }, drawing).draw
    }
    expect(answer(ask(1, 10), {})).toMatchObject({ after: 15, granted: 10 })
    expect(answer(ask(1, 10), { windowStart: start - 60 })).toEqual({ ...home, windowStart: start - 60 })
    expect(answer(ask(1, 10), { after: 101 })).toMatchObject({ after: 101, granted: 0 })
    expect(answer(ask(1, 10, [], 99), {})).toMatchObject({ after: 5, granted: 0 })
  })
})

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
  for (; world.window() <= next; ) {
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
