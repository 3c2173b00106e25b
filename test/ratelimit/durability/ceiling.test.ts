/** Ceilings: the disk never holds less than the count, and a crash costs at most the stated share of the limit. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Window } from '#ratelimit/counter.ts'
import {
  type Ceiling,
  exactCeiling,
  failedCeiling,
  hitsAhead,
  isCovered,
  isTooFarAhead,
  lossBudget,
  raiseCeiling,
  readCeiling,
  spareHits,
  unusedHits,
} from '#ratelimit/durability/ceiling.ts'
import { sweep } from '../../support/sweep.ts'

const window = (hits: number, start = 0): Window => ({ start, hits })

/**
 * Raises a ceiling for one hit after another; returns the ceilings that were written, by the hit that wrote them.
 * `before` is a ceiling that is used up; the hits begin two seconds after it was raised.
 */
function hitEvery(milliseconds: number, hits: number, limit: number, before?: Ceiling): ReadonlyMap<number, Ceiling> {
  const written = new Map<number, Ceiling>()
  const startMs = before === undefined ? 0 : before.raisedAtMs + 2_000
  const counted = before?.hits ?? 0
  let ceiling = before
  for (let hit = 1; hit <= hits; hit++) {
    if (isCovered(ceiling, window(counted + hit))) continue
    ceiling = raiseCeiling(ceiling, window(counted + hit), { limit, nowMs: startMs + hit * milliseconds })
    written.set(hit, ceiling)
  }
  return written
}

const busy: Ceiling = { start: 0, hits: 300, from: 100, step: 200, raisedAtMs: 0, lost: 0 }

describe('exactCeiling()', () => {
  test('keeps the step for a burst within two minutes, in the next window too', () => {
    const exact = exactCeiling(busy, window(150), 5_000)
    expect(exact).toEqual({ ...busy, hits: 150, from: 150 })
    expect(raiseCeiling(exact, window(151), { limit: 100_000, nowMs: 119_999 })).toMatchObject({ hits: 351, step: 200 })
    expect(raiseCeiling(exact, window(1, 60), { limit: 100_000, nowMs: 60_000 })).toMatchObject({
      hits: 201,
      step: 200,
    })
    expect(raiseCeiling(exact, window(151), { limit: 100_000, nowMs: 120_000 })).toMatchObject({ hits: 151, step: 0 })
  })
})

describe('readCeiling()', () => {
  test('counts every hit of the row, shows no demand, and covers no further hit', () => {
    const read = readCeiling(window(300), 200)
    expect([isCovered(read, window(300)), isCovered(read, window(301)), unusedHits(read, window(300))]).toEqual([
      true,
      false,
      0,
    ])
    expect(raiseCeiling(read, window(301), { limit: 1_000_000, nowMs: 1 })).toMatchObject({
      hits: 301,
      step: 0,
      lost: 200,
    })
  })

  test('leaves later ceilings of the window what crashes have not used of the budget, and the next window all of it', () => {
    const read = readCeiling(window(300), 60)
    const next = raiseCeiling({ ...read, step: 500, raisedAtMs: 0 }, window(301), { limit: 10_000, nowMs: 1 })
    expect([next.hits, spareHits(next)]).toEqual([341, 100])
    const full = readCeiling(window(341), spareHits(next))
    expect(raiseCeiling({ ...full, step: 500, raisedAtMs: 0 }, window(342), { limit: 10_000, nowMs: 1 }).hits).toBe(342)
    expect(raiseCeiling({ ...full, step: 500, raisedAtMs: 0 }, window(1, 60), { limit: 10_000, nowMs: 1 }).hits).toBe(
      101,
    )
  })
})

test('failedCeiling() covers no hit, and keeps step and budget', () => {
  const failed = failedCeiling({ ...busy, lost: 7 })
  expect([isCovered(failed, window(0)), unusedHits(failed, window(0))]).toEqual([false, 0])
  expect(raiseCeiling(failed, window(110), { limit: 100_000, nowMs: 4_000 })).toMatchObject({ step: 16, lost: 7 })
})

test.each([
  [19, 0],
  [20, 1],
  [100, 5],
  [160, 8],
  [800, 8],
  [1_000, 10],
  [30_000, 300],
])('lossBudget() of a limit of %i is %i hits', (limit, budget) => {
  expect(lossBudget(limit)).toBe(budget)
  expect(isTooFarAhead({ ...busy, hits: 100 + Math.max(1, budget) }, window(100), limit)).toBe(false)
  expect(isTooFarAhead({ ...busy, hits: 101 + Math.max(1, budget) }, window(100), limit)).toBe(true)
})

describe('raiseCeiling()', () => {
  test('writes every hit of a key that is hit less than once in two minutes', () => {
    expect(hitEvery(120_001, 100, 1_000_000).size).toBe(100)
  })

  test('writes a key with rarer hits twice at first, then with 2, 6 and 16 hits ahead', () => {
    const ahead = [...hitEvery(10_000, 60, 2_500)].map(([hit, { hits }]) => [hit, hits - hit])
    expect(ahead).toEqual([
      [1, 0],
      [2, 2],
      [5, 6],
      [12, 14],
      [27, 16],
      [44, 16],
    ])
  })

  // A minute of a key, and a minute in which it goes on: docs/quota.md has these figures.
  test.each([
    { everyMs: 1_000, limit: 4_000_000_000, writes: 2, after: 1 },
    { everyMs: 1_000, limit: 1_000, writes: 7, after: 6 },
    { everyMs: 1_000, limit: 100, writes: 11, after: 10 },
    { everyMs: 5_000, limit: 4_000_000_000, writes: 2, after: 1 },
    { everyMs: 5_000, limit: 1_000, writes: 4, after: 2 },
  ])('writes $writes times in a first minute of a hit every $everyMs ms, limit $limit', (given) => {
    const { everyMs, limit, writes, after } = given
    const hits = 60_000 / everyMs
    const first = [...hitEvery(everyMs, hits, limit)]
    expect(first.length).toBe(writes)
    // The next window begins with the step of the last ceiling.
    let [ceiling, written]: [Ceiling | undefined, number] = [first.at(-1)?.[1], 0]
    for (let hit = 1; hit <= hits; hit++) {
      if (isCovered(ceiling, window(hit, 60))) continue
      ceiling = raiseCeiling(ceiling, window(hit, 60), { limit, nowMs: 60_000 + hit * everyMs })
      written += 1
    }
    expect(written).toBe(after)
  })

  // Of a minute: the first hits, then a write every four seconds.
  test.each([
    { perSecond: 5, most: 17 },
    { perSecond: 10, most: 17 },
    { perSecond: 30, most: 18 },
    { perSecond: 80, most: 18 },
    { perSecond: 300, most: 18 },
  ])('writes once in four seconds at $perSecond hits a second', ({ perSecond, most }) => {
    expect(hitEvery(1_000 / perSecond, 60 * perSecond, 4_000_000_000).size).toBeLessThanOrEqual(most)
  })

  // The first two seconds of a key, and two seconds after a pause: docs/quota.md has these figures.
  test.each([
    { perSecond: 10, writes: 2 },
    { perSecond: 30, writes: 2 },
    { perSecond: 80, writes: 2 },
    { perSecond: 300, writes: 2 },
  ])('writes $writes times in two seconds of $perSecond hits each, and once after a pause', ({ perSecond, writes }) => {
    const distance = 1_000 / perSecond
    expect(hitEvery(distance, 2 * perSecond, 4_000_000_000).size).toBe(writes)
    const burst = 10 * perSecond
    const last = [...hitEvery(distance, burst, 4_000_000_000).values()].at(-1)
    const usedUp = exactCeiling(last, window(burst), 11_000)
    expect([...hitEvery(distance, 2 * perSecond, 4_000_000_000, usedUp).keys()]).toEqual([1])
  })

  test('takes four seconds of the rate since the last ceiling, and 64 hits at most for each of its hits', () => {
    const written = [...hitEvery(20, 600, 100_000)].map(([hit, { hits }]) => [hit, hits - hit])
    expect(written).toEqual([
      [1, 0],
      [2, 64],
      [67, 200],
      [268, 200],
      [469, 200],
    ])
  })

  test('follows a fall of demand with the next ceiling', () => {
    expect(raiseCeiling(busy, window(301), { limit: 20_000, nowMs: 40_200 })).toMatchObject({ hits: 321, step: 20 })
    expect(raiseCeiling(busy, window(301), { limit: 20_000, nowMs: 4_000_000 })).toMatchObject({ hits: 317, step: 16 })
    expect(raiseCeiling(busy, window(301), { limit: 20_000, nowMs: 40_000_000 })).toMatchObject({ hits: 301, step: 0 })
  })

  test('takes a clock that was set back for a hit in the same moment', () => {
    const before: Ceiling = { start: 0, hits: 5, from: 4, step: 1, raisedAtMs: 1_000_000, lost: 0 }
    expect(raiseCeiling(before, window(6), { limit: 20_000, nowMs: 0 })).toMatchObject({ hits: 134, step: 128 })
  })

  test('is at most one hundredth of the limit ahead', () => {
    const ahead = [...hitEvery(0.1, 20_000, 30_000)].map(([hit, { hits }]) => hits - hit)
    expect(ahead.slice(0, 4)).toEqual([0, 64, 300, 300])
    expect(Math.max(...ahead)).toBe(300)
  })

  test('writes hit by hit in the last fiftieth of the limit', () => {
    const written = hitEvery(0.1, 10_000, 10_000)
    const exact = [...written].filter(([hit, { hits }]) => hit >= 9_800 && hits === hit)
    expect(exact.length).toBeGreaterThanOrEqual(100)
  })

  test('stays within 2^53 - 1', () => {
    const most = Number.MAX_SAFE_INTEGER
    const before: Ceiling = { start: 0, hits: most - 1, from: most - 1_000, step: 1_000, raisedAtMs: 0, lost: 0 }
    expect(raiseCeiling(before, window(most), { limit: 4_294_967_295, nowMs: 1 }).hits).toBe(most)
  })

  test('covers the window that it was written for and no other', () => {
    const ceiling = raiseCeiling(undefined, window(5, 60), { limit: 1_000, nowMs: 0 })
    expect(isCovered(ceiling, window(5, 60))).toBe(true)
    expect(isCovered(ceiling, window(5, 120))).toBe(false)
    expect(unusedHits(ceiling, window(1, 120))).toBe(0)
  })
})

test('hitsAhead() is 0 without a limit and for limits below twenty', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.option(fc.nat(19)), (step, hits, limit) => {
      expect(hitsAhead(step, hits, { limit, lost: 0 })).toBe(0)
    }),
    { seed: 1 },
  )
})

test.each([
  { lost: 0, ahead: 625 },
  { lost: 5_000, ahead: 312 },
  { lost: 9_000, ahead: 100 },
  { lost: 9_950, ahead: 50 },
])('hitsAhead() of a step of 100 is $ahead in a limit of a million once crashes have cost $lost hits', (given) => {
  const { lost, ahead } = given
  expect(hitsAhead(100, 1, { limit: 1_000_000, lost })).toBe(ahead)
  expect(hitsAhead(10, 1, { limit: 1_000_000, lost: 0 })).toBe(150)
})

/** One step of a counter's life: hits after a wait, hits given back, a pause, a crash. */
type Step = { readonly kind: 'hit' | 'refund' | 'pause' | 'crash'; readonly hits: number; readonly waitMs: number }

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('hit', 'hit', 'hit', 'hit', 'hit', 'hit', 'refund', 'pause', 'crash'),
  hits: fc.integer({ min: 1, max: 4 }),
  waitMs: fc.integer({ min: 0, max: 6_000 }),
})

test('crashes forget no hit, admit none above the limit, and refuse at most the budget of the window too early, all together', () => {
  const lives = fc.tuple(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 1, max: 40 }),
    fc.array(step, { maxLength: 400 }),
  )
  fc.assert(
    fc.property(lives, ([limit, repeat, steps]) => {
      let [counted, admitted, lost, nowMs] = [0, 0, 0, 0]
      let ceiling: Ceiling | undefined
      const hit = (hits: number) => {
        counted += hits
        if (counted <= limit) admitted += hits
        if (!isCovered(ceiling, window(counted))) ceiling = raiseCeiling(ceiling, window(counted), { limit, nowMs })
      }
      for (const { kind, hits, waitMs } of steps) {
        nowMs += waitMs / repeat
        if (kind === 'hit') for (let at = 0; at < repeat; at++) hit(hits)
        else if (kind === 'refund' && counted >= hits) {
          counted -= hits
          if (admitted > counted) admitted = counted
          ceiling = exactCeiling(ceiling, window(counted), nowMs)
        } else if (kind === 'pause') {
          nowMs += 30_000
        } else if (kind === 'crash' && ceiling !== undefined) {
          lost += unusedHits(ceiling, window(counted))
          counted = ceiling.hits
          ceiling = readCeiling(window(counted), spareHits(ceiling))
          expect(lost).toBeLessThanOrEqual(ceiling.lost)
        }
        if (ceiling !== undefined) expect(ceiling.hits).toBeGreaterThanOrEqual(counted)
        expect(admitted).toBeLessThanOrEqual(limit)
        expect(counted - admitted).toBeGreaterThanOrEqual(0)
      }
      expect(lost).toBeLessThanOrEqual(lossBudget(limit))
    }),
    { seed: 13, numRuns: sweep(10_000) },
  )
})
