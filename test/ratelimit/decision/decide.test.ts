/** Decisions and their statistics: the arithmetic at every edge. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decide,
  decideRefund,
  decideRemembered,
  joinDecisions,
  nearThreshold,
  type Settlement,
} from '#ratelimit/decision/decide.ts'
import { defaultOptions, type Limit } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'

function limitOf(requestsPerUnit: number, isShadow = false) {
  const rateLimit = { requestsPerUnit, unit: 'DAY' } as const
  const stats = limitStatNames('d.k')
  const limit: Limit = { ...defaultOptions, isShadow, rateLimit, requestsPerUnit, statKey: 'd.k', stats }
  return { limit, rateLimit }
}

function decided(allowed: number, before: number, addend: number, ratio = 0.8, isShadow = false) {
  const hits = { after: before + addend, secondsUntilReset: 9 }
  const { status, stats } = decide(limitOf(allowed, isShadow), addend, hits, ratio)
  const named = Object.fromEntries(stats.map(({ name, delta }) => [name.split('.').at(-1) ?? '', delta]))
  return { code: status.code, remaining: status.limitRemaining, ...named }
}

test('nearThreshold() multiplies in single precision', () => {
  expect(nearThreshold(90, 0.7)).toBe(63)
  expect(Math.floor(90 * 0.7)).toBe(62)
  expect(nearThreshold(20, 0.8)).toBe(16)
})

test.each([
  [14, 3, { code: 'OK', remaining: 3, within_limit: 3, near_limit: 1 }],
  [16, 3, { code: 'OK', remaining: 1, within_limit: 3, near_limit: 3 }],
  [13, 3, { code: 'OK', remaining: 4, within_limit: 3 }],
  [19, 3, { code: 'OVER_LIMIT', remaining: 0, over_limit: 2, near_limit: 1 }],
  [15, 7, { code: 'OVER_LIMIT', remaining: 0, over_limit: 2, near_limit: 4 }],
  [20, 3, { code: 'OVER_LIMIT', remaining: 0, over_limit: 3 }],
  [20, 0, { code: 'OK', remaining: 0 }],
  [21, 0, { code: 'OVER_LIMIT', remaining: 0 }],
] as const)('decide() of limit 20 at %i with %i more', (before, addend, expected) => {
  expect(decided(20, before, addend)).toEqual(expected)
})

test('decide() counts nothing near a limit whose threshold rounds to above it', () => {
  const limit = 4_294_967_295
  expect(nearThreshold(limit, 1)).toBe(limit + 1)
  expect(decided(limit, limit - 1, 3, 1)).toEqual({ code: 'OVER_LIMIT', remaining: 0, over_limit: 2 })
})

test('decide() of an addend that was not added takes every hit as beyond the thresholds, as the reference', () => {
  const statsOf = (after: number) =>
    decide(limitOf(20), 30, { after, secondsUntilReset: 9 }, 0.8).stats.map(({ delta }) => delta)
  expect(statsOf(10)).toEqual([30])
  expect(statsOf(18)).toEqual([30, 30])
})

test('decide() under a shadow rule answers OK with nothing left and counts the override', () => {
  expect(decided(20, 19, 3, 0.8, true)).toEqual({
    code: 'OK',
    remaining: 0,
    over_limit: 2,
    near_limit: 1,
    shadow_mode: 2,
  })
})

test('decide() puts every hit of a decision into exactly one of over and within, or near and over', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(2000), fc.integer({ min: 1, max: 500 }), (allowed, before, addend) => {
      const {
        code,
        over_limit = 0,
        within_limit = 0,
        near_limit = 0,
      } = decided(allowed, before, addend) as {
        code: string
        over_limit?: number
        within_limit?: number
        near_limit?: number
      }
      expect(code).toBe(before + addend > allowed ? 'OVER_LIMIT' : 'OK')
      if (code === 'OK') expect([within_limit, over_limit]).toEqual([addend, 0])
      else expect(over_limit + near_limit).toBeLessThanOrEqual(addend)
      expect(near_limit).toBeLessThanOrEqual(addend)
    }),
    { seed: 11 },
  )
})

test('decideRemembered() counts the whole addend as over, and from memory', () => {
  const { status, stats } = decideRemembered(limitOf(2), 4, 7)
  expect(status).toMatchObject({ code: 'OVER_LIMIT', limitRemaining: 0, secondsUntilReset: 7 })
  expect(stats.map(({ name, delta }) => [name.split('.').at(-1), delta])).toEqual([
    ['over_limit', 4],
    ['over_limit_with_local_cache', 4],
  ])
})

test('decideRefund() is always OK and says what is left', () => {
  const hits = { after: 3, secondsUntilReset: 7 }
  const { status, stats } = decideRefund(limitOf(2), 4, hits)
  expect(status).toMatchObject({ code: 'OK', limitRemaining: 0 })
  expect(stats).toEqual([{ name: 'ratelimit.service.rate_limit.d.k.total_negative_hits', delta: 4 }])
})

test.each<[Settlement | undefined, Settlement | undefined, Settlement | undefined]>([
  ['done', 'not_found', 'done'],
  ['not_found', 'done', 'done'],
  ['not_found', 'settled', 'settled'],
  ['ended', undefined, 'ended'],
  [undefined, undefined, undefined],
])('joinDecisions() of the settlements %s and %s is %s', (first, next, expected) => {
  const decisionOf = (settlement: Settlement | undefined, isOver: boolean) => {
    const status = { code: 'OK', limitRemaining: 1 } as const
    return settlement === undefined ? { status, isOver } : { status, isOver, settlement }
  }
  const joined = joinDecisions(decisionOf(first, true), decisionOf(next, false))
  expect([joined.settlement, joined.isOver]).toEqual([expected, true])
})
