/** Ceilings: the disk never holds less than the count, and a crash costs at most the stated share of the limit. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Window } from '../../../src/ratelimit/counter.ts'
import {
  type Ceiling,
  exactCeiling,
  hitsAhead,
  isCovered,
  raiseCeiling,
  unusedHits,
} from '../../../src/ratelimit/quota/ceiling.ts'

const window = (hits: number, start = 0): Window => ({ start, hits })

/** Raises a ceiling for one hit after another; returns the ceilings that were written, by the hit that wrote them. */
function hitEvery(milliseconds: number, hits: number, limit: number): ReadonlyMap<number, Ceiling> {
  const written = new Map<number, Ceiling>()
  let ceiling: Ceiling | undefined
  for (let hit = 1; hit <= hits; hit++) {
    if (isCovered(ceiling, window(hit))) continue
    ceiling = raiseCeiling(ceiling, window(hit), limit, hit * milliseconds)
    written.set(hit, ceiling)
  }
  return written
}

test('exactCeiling() takes a pause for no demand: a hit right after it is not worth a step', () => {
  const raised = raiseCeiling(undefined, window(1), 1_000_000, 0)
  const idle = exactCeiling(raised, window(1), 800)
  expect(idle).toEqual({ start: 0, hits: 1, step: 0, raisedAtMs: 0 })
  expect(raiseCeiling(idle, window(2), 1_000_000, 900)).toMatchObject({ hits: 2, step: 0 })
})

describe('raiseCeiling()', () => {
  test('writes every hit of a key with fewer than three a second', () => {
    expect(hitEvery(500, 100, 1_000_000).size).toBe(100)
  })

  test('writes about once a second, from five hits a second on', () => {
    expect(hitEvery(200, 300, 1_000_000).size).toBeLessThan(80)
    // Ten seconds, and the first doublings.
    expect(hitEvery(10, 1_000, 1_000_000).size).toBeLessThan(20)
    expect(hitEvery(1, 10_000, 1_000_000).size).toBeLessThan(25)
  })

  test('is at most one hundredth of the limit ahead, and doubles until then', () => {
    const ahead = [...hitEvery(0.1, 20_000, 30_000)].map(([hit, { hits }]) => hits - hit)
    expect(ahead.slice(0, 6)).toEqual([0, 1, 2, 4, 8, 16])
    expect(Math.max(...ahead)).toBe(300)
  })

  test('writes hit by hit in the last fiftieth of the limit', () => {
    const written = hitEvery(0.1, 10_000, 10_000)
    const exact = [...written].filter(([hit, { hits }]) => hit >= 9_800 && hits === hit)
    expect(exact.length).toBeGreaterThanOrEqual(100)
  })

  test('stays within 2^53 - 1', () => {
    const most = Number.MAX_SAFE_INTEGER
    const before: Ceiling = { start: 0, hits: most - 1, step: 1_000, raisedAtMs: 0 }
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
        if (!isCovered(ceiling, window(counted)))
          ceiling = raiseCeiling(ceiling, window(counted), limit, nowMs)
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
    { seed: 13, numRuns: 10_000 },
  )
})
