import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  boundMemcacheRaise,
  distinctWindows,
  hitsBesideBlock,
  looksRaised,
  memcacheRaise,
  openWindows,
  raisedWindows,
  redisRaise,
  renewalDue,
  secondsToLive,
  wasRaised,
} from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units, windowStart } from '#ratelimit/window.ts'
import { sweep } from '../support/sweep.ts'

const now = 1_700_000_042

describe('redisRaise and memcacheRaise', () => {
  it('are above every limit, and within what the reference reads', () => {
    expect(redisRaise).toBeGreaterThan(2 ** 32)
    expect(Number.isSafeInteger(redisRaise * 2)).toBe(true)
    expect(memcacheRaise * 2).toBeLessThanOrEqual(2 ** 31)
  })
})

describe('wasRaised()', () => {
  it('is true with a mark, and where the counter was lowered since it looked raised', () => {
    expect(wasRaised({ count: redisRaise + 3, raisedBy: redisRaise }, redisRaise)).toBe(true)
    expect(wasRaised({ count: 3, raisedBy: null }, redisRaise)).toBe(true)
    expect(wasRaised({ count: 0, raisedBy: null }, redisRaise)).toBe(true)
  })

  it('is false for a counter of very many hits', () => {
    expect(wasRaised({ count: redisRaise + 3, raisedBy: null }, redisRaise)).toBe(false)
  })
})

describe('boundMemcacheRaise()', () => {
  it('leaves the sum above every limit that the reference can refuse, and within what it reads (property)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 2 ** 24 }), (count) => {
        const sum = count + boundMemcacheRaise(count)
        expect(sum).toBeGreaterThanOrEqual(Math.min(2 ** 30, 2 ** 31 - 2 ** 24))
        expect(sum).toBeLessThanOrEqual(2 ** 31 - 2 ** 24)
      }),
      { seed: 2 },
    )
    expect([0, 5].map(boundMemcacheRaise)).toEqual([memcacheRaise, memcacheRaise])
    expect(boundMemcacheRaise(2 ** 40)).toBe(0)
  })
})

describe('hitsBesideBlock()', () => {
  it('takes off what the mark says, however much was counted', () => {
    const counts = [0, 7, 2 ** 29, 2 ** 40, 2 ** 52]
    for (const count of counts) {
      expect(hitsBesideBlock({ count: count + redisRaise, raisedBy: redisRaise }, 0)).toBe(count)
      expect(hitsBesideBlock({ count, raisedBy: null }, 0)).toBe(count)
    }
  })

  it('is never negative when hits were given back while the counter was raised', () => {
    expect(hitsBesideBlock({ count: redisRaise - 3, raisedBy: redisRaise }, 0)).toBe(0)
  })

  it('takes a counter without a mark for raised only where asked to and the counter looks so', () => {
    const unmarked = (count: number) => hitsBesideBlock({ count, raisedBy: null }, redisRaise)
    expect([0, 7, redisRaise, redisRaise + 7, redisRaise - 3].map(unmarked)).toEqual([0, 7, 0, 7, 0])
    expect(looksRaised(redisRaise - 3, redisRaise)).toBe(true)
  })
})

describe('distinctWindows()', () => {
  const windows = (...names: readonly Unit[]) =>
    names.map((unit) => ({ key: unit === 'MINUTE' ? 'k_60' : 'k_0', unit, start: 0 }))
  it.each([
    ['the longest of those with one key', null, ['MINUTE', 'HOUR', 'DAY'], ['MINUTE', 'DAY']],
    ['the longest in any order', null, ['DAY', 'MINUTE', 'HOUR'], ['DAY', 'MINUTE']],
    ['the unit of the rule', 'HOUR', ['DAY', 'HOUR', 'WEEK'], ['HOUR']],
    ['the unit of the rule in any order', 'HOUR', ['HOUR', 'DAY', 'WEEK'], ['HOUR']],
    ['the longest where the rule has another unit', 'YEAR', ['HOUR', 'WEEK', 'DAY'], ['WEEK']],
  ] as const)('leaves %s', (_, own, given, left) => {
    expect(distinctWindows(windows(...given), own).map(({ unit }) => unit)).toEqual(left)
  })
})

describe('openWindows()', () => {
  it('has one window for each counter at midnight', () => {
    const open = openWindows('k_', units, 86_400 * 6 + 1_210)
    expect(open.map(({ unit }) => unit)).toEqual(['SECOND', 'MINUTE', 'DAY', 'YEAR'])
  })

  it('stamps the key as the reference does', () => {
    expect(openWindows('shop_k_v_', ['MINUTE'], 1234)).toEqual([{ key: 'shop_k_v_1200', unit: 'MINUTE', start: 1200 }])
  })
})

describe('raisedWindows()', () => {
  it('reaches to the end of a short block and no farther', () => {
    const starts = raisedWindows('k_', ['SECOND'], now, now + 3).map(({ start }) => start)
    expect(starts).toEqual([now, now + 1, now + 2])
    expect(raisedWindows('k_', ['DAY'], now, now + 3)).toHaveLength(1)
    expect(raisedWindows('k_', ['SECOND'], now, now - 1)).toEqual([])
  })

  it('reaches two windows of a long unit ahead, and two minutes at the least', () => {
    expect(raisedWindows('k_', ['DAY'], now, Number.POSITIVE_INFINITY)).toHaveLength(3)
    expect(raisedWindows('k_', ['SECOND'], now, Number.POSITIVE_INFINITY)).toHaveLength(120)
    expect(raisedWindows('k_', units, now, Number.POSITIVE_INFINITY).length).toBeLessThan(140)
  })

  it('leaves no window of the block out before the renewal is due (property)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 31 }),
        fc.integer({ min: 1, max: 10_000_000 }),
        fc.subarray([...units], { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (at, lasts, blocked, share) => {
          const until = at + lasts
          const raised = new Set(raisedWindows('k_', blocked, at, until).map(({ key }) => key))
          const moment = at + Math.floor((renewalDue(blocked, at, until) - at) * share)
          for (const { key, start } of openWindows('k_', blocked, moment)) {
            if (start < until) expect(raised.has(key)).toBe(true)
          }
        },
      ),
      { seed: 1, numRuns: sweep(500) },
    )
  })
})

describe('secondsToLive()', () => {
  it('is the time to the end of the window, 1 at the least', () => {
    const start = windowStart('HOUR', now)
    const window = { key: 'k', unit: 'HOUR', start } as const
    expect(secondsToLive(window, now)).toBe(start + unitSeconds.HOUR - now)
    expect(secondsToLive(window, start + 9_999)).toBe(1)
  })
})
