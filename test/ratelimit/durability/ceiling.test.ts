/** Ceilings: the disk never holds less than the count, and a crash costs at most the stated share of the limit. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Window } from '#ratelimit/counter.ts'
import {
  type Ceiling,
  exactCeiling,
  hitsAhead,
  isCovered,
  raiseCeiling,
  restedCeiling,
  unusedHits,
} from '#ratelimit/durability/ceiling.ts'
import { sweep } from '../../support/sweep.ts'

const window = (hits: number, start = 0): Window => ({ start, hits })

/**
 * Raises a ceiling for one hit after another; returns the ceilings that were written, by the hit that wrote them.
 * `before` is an idle ceiling; the hits begin two seconds after it was raised.
 */
function hitEvery(milliseconds: number, hits: number, limit: number, before?: Ceiling): ReadonlyMap<number, Ceiling> {
  const written = new Map<number, Ceiling>()
  const startMs = before === undefined ? 0 : before.raisedAtMs + 2_000
  const counted = before?.hits ?? 0
  let ceiling = before
  for (let hit = 1; hit <= hits; hit++) {
    if (isCovered(ceiling, window(counted + hit))) continue
    ceiling = raiseCeiling(ceiling, window(counted + hit), limit, startMs + hit * milliseconds)
    written.set(hit, ceiling)
  }
  return written
}

describe('exactCeiling()', () => {
  test('takes a pause for no demand: a hit right after it is not worth a step', () => {
    const raised = raiseCeiling(undefined, window(1), 1_000_000, 0)
    const idle = exactCeiling(raised, window(1), 800)
    expect(idle).toEqual({ start: 0, hits: 1, from: 1, step: 0, raisedAtMs: 0 })
    expect(raiseCeiling(idle, window(2), 1_000_000, 900)).toMatchObject({ hits: 2, step: 0 })
  })

  const busy: Ceiling = { start: 0, hits: 300, from: 100, step: 200, raisedAtMs: 0 }

  test('keeps the step for a burst within two minutes, in the next window too', () => {
    const idle = exactCeiling(busy, window(150), 5_000)
    expect(idle).toEqual({ start: 0, hits: 150, from: 150, step: 200, raisedAtMs: 0 })
    expect(raiseCeiling(idle, window(151), 1_000_000, 119_999)).toMatchObject({ hits: 351, step: 200 })
    expect(raiseCeiling(idle, window(1, 60), 1_000_000, 60_000)).toMatchObject({ hits: 201, step: 200 })
    expect(raiseCeiling(idle, window(151), 1_000_000, 120_000)).toMatchObject({ hits: 151, step: 0 })
  })

  test('forgets the step of a ceiling that served only the hit that raised it', () => {
    const idle = exactCeiling(busy, window(150), 5_000)
    const once = raiseCeiling(idle, window(151), 1_000_000, 50_000)
    expect(exactCeiling(once, window(151), 50_750)).toMatchObject({ hits: 151, step: 0 })
  })
})

test('restedCeiling() covers no window, and its step serves the next one', () => {
  const rested = restedCeiling({ start: 60, hits: 300, from: 300, step: 200, raisedAtMs: 0 })
  expect(isCovered(rested, window(0, 60))).toBe(false)
  expect(unusedHits(rested, window(0, 60))).toBe(0)
  expect(raiseCeiling(rested, window(301, 60), 1_000_000, 20_000)).toMatchObject({ hits: 501, from: 301 })
})

describe('raiseCeiling()', () => {
  test('writes every hit of a key with fewer than three a second', () => {
    expect(hitEvery(500, 100, 1_000_000).size).toBe(100)
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
    { perSecond: 80, writes: 3 },
    { perSecond: 300, writes: 3 },
  ])('writes $writes times in two seconds of $perSecond hits each, and once after a pause', ({ perSecond, writes }) => {
    const distance = 1_000 / perSecond
    expect(hitEvery(distance, 2 * perSecond, 4_000_000_000).size).toBe(writes)
    const burst = 10 * perSecond
    const last = [...hitEvery(distance, burst, 4_000_000_000).values()].at(-1)
    const idle = exactCeiling(last, window(burst), 11_000)
    expect([...hitEvery(distance, 2 * perSecond, 4_000_000_000, idle).keys()]).toEqual([1])
  })

  test('takes four seconds of the rate since the last ceiling, and 64 hits at most for each of its hits', () => {
    const written = [...hitEvery(20, 600, 1_000_000)].map(([hit, { hits }]) => [hit, hits - hit])
    expect(written).toEqual([
      [1, 0],
      [2, 64],
      [67, 200],
      [268, 200],
      [469, 200],
    ])
  })

  test('follows a fall of demand with the next ceiling', () => {
    const before: Ceiling = { start: 0, hits: 300, from: 100, step: 200, raisedAtMs: 0 }
    expect(raiseCeiling(before, window(301), 1_000_000, 40_200)).toMatchObject({ hits: 321, step: 20 })
    expect(raiseCeiling(before, window(301), 1_000_000, 4_000_000)).toMatchObject({ hits: 301, step: 0 })
  })

  test('takes a clock that was set back for a hit in the same moment', () => {
    const before: Ceiling = { start: 0, hits: 5, from: 4, step: 1, raisedAtMs: 1_000_000 }
    expect(raiseCeiling(before, window(6), 1_000_000, 0)).toMatchObject({ hits: 134, step: 128 })
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
    const before: Ceiling = { start: 0, hits: most - 1, from: most - 1_000, step: 1_000, raisedAtMs: 0 }
    expect(raiseCeiling(before, window(most), 4_294_967_295, 1).hits).toBe(most)
  })

  test('covers the window that it was written for and no other', () => {
    const ceiling = raiseCeiling(undefined, window(5, 60), 1_000, 0)
    expect(isCovered(ceiling, window(5, 60))).toBe(true)
    expect(isCovered(ceiling, window(5, 120))).toBe(false)
    expect(unusedHits(ceiling, window(1, 120))).toBe(0)
  })
})

test('hitsAhead() is 0 without a limit and for limits below a hundred', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.option(fc.nat(99)), (step, hits, limit) => {
      expect(hitsAhead(step, hits, limit)).toBe(0)
    }),
    { seed: 1 },
  )
})

/** One step of a counter's life: hits after a wait, hits given back, a pause after which the count is written, a crash. */
type Step = {
  readonly kind: 'hit' | 'refund' | 'idle' | 'crash'
  readonly hits: number
  readonly waitMs: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('hit', 'hit', 'hit', 'hit', 'hit', 'hit', 'refund', 'idle', 'crash'),
  hits: fc.integer({ min: 1, max: 4 }),
  waitMs: fc.integer({ min: 0, max: 600 }),
})

test('a crash forgets no hit, admits none above the limit, and refuses at most 1 % of the limit or one hit too early', () => {
  const lives = fc.tuple(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 1, max: 40 }),
    fc.array(step, { maxLength: 400 }),
  )
  fc.assert(
    fc.property(lives, ([limit, repeat, steps]) => {
      let [counted, admitted, lost, nowMs, crashes] = [0, 0, 0, 0, 0]
      let ceiling: Ceiling | undefined
      const hit = (hits: number) => {
        counted += hits
        if (counted <= limit) admitted += hits
        if (!isCovered(ceiling, window(counted))) ceiling = raiseCeiling(ceiling, window(counted), limit, nowMs)
      }
      for (const { kind, hits, waitMs } of steps) {
        nowMs += waitMs / repeat
        if (kind === 'hit') for (let at = 0; at < repeat; at++) hit(hits)
        else if (kind === 'refund' && counted >= hits) {
          counted -= hits
          if (admitted > counted) admitted = counted
          ceiling = exactCeiling(ceiling, window(counted), nowMs)
        } else if (kind === 'idle') {
          nowMs += 1_000
          ceiling = exactCeiling(ceiling, window(counted), nowMs)
        } else if (kind === 'crash' && ceiling !== undefined) {
          const unused = unusedHits(ceiling, window(counted))
          expect(unused).toBeLessThanOrEqual(Math.max(1, limit / 100))
          lost += unused
          crashes += 1
          counted = ceiling.hits
          ceiling = undefined
        }
        if (ceiling !== undefined) expect(ceiling.hits).toBeGreaterThanOrEqual(counted)
        expect(admitted).toBeLessThanOrEqual(limit)
        expect(counted - admitted).toBeGreaterThanOrEqual(0)
      }
      expect(lost).toBeLessThanOrEqual(crashes * Math.max(1, limit / 100))
    }),
    { seed: 13, numRuns: sweep(10_000) },
  )
})
