/** The fullest counter of a rule: which one takes the place of another. */

import { describe, expect, it } from 'vitest'
import type { DecidedDescriptor } from '#ratelimit/answer/respond.ts'
import type { Fill } from '#ratelimit/contract/usage.ts'
import { defaultOptions, type Limit } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import type { DescriptorStatus } from '#ratelimit/types.ts'
import { usageBounds } from '#ratelimit/usage/bounds.ts'
import { isFuller, keepFullest } from '#ratelimit/usage/fullest-counter.ts'

const rateLimit = { requestsPerUnit: 10, unit: 'MINUTE' } as const
const moment = { domain: 'shop', second: 60 }

const fillOf = (fields: Partial<Fill> = {}): Fill => ({
  domain: 'shop',
  rule: 'shop.k',
  key: 'a',
  limit: 10,
  unit: 'MINUTE',
  remaining: 5,
  endsAt: 120,
  ...fields,
})

function limitOf(statKey: string): Limit {
  return { ...defaultOptions, rateLimit, requestsPerUnit: 10, statKey, stats: limitStatNames(statKey) }
}

/** A descriptor that is within a limit. */
function decidedBy(limit: Limit, key: string, status: Partial<DescriptorStatus>): DecidedDescriptor {
  return {
    match: { descriptor: { entries: [] }, limit, key, isReplaced: false },
    status: { code: 'OK', limitRemaining: 0, ...status },
  }
}

const leaving = (limitRemaining: number) => ({ currentLimit: rateLimit, limitRemaining, secondsUntilReset: 60 })

describe('isFuller()', () => {
  it.each([
    ['has less left', { key: 'b', remaining: 4 }, 60, true],
    ['has as much left', { key: 'b' }, 60, true],
    ['has more left', { key: 'b', remaining: 6 }, 60, false],
    ['has more left of a larger limit', { key: 'b', remaining: 6, limit: 20 }, 60, true],
    ['is the same counter', { remaining: 9 }, 60, true],
    ['comes after the window of the other', { key: 'b', remaining: 9 }, 120, true],
    ['has a limit of 0', { key: 'b', remaining: 0, limit: 0 }, 60, true],
  ])('of a counter that %s', (_which, next, now, expected) => {
    expect(isFuller(fillOf(next), fillOf(), now)).toBe(expected)
  })
})

describe('keepFullest()', () => {
  it('keeps the counter with the least left', () => {
    const fills = new Map<string, Fill>()
    const limit = limitOf('shop.k')
    for (const [key, remaining] of [
      ['a', 4],
      ['b', 1],
      ['c', 3],
    ] as const) {
      keepFullest(fills, moment, decidedBy(limit, key, leaving(remaining)))
    }
    expect([...fills.values()]).toEqual([fillOf({ key: 'b', remaining: 1 })])
  })

  it('leaves out a status without a limit or a window', () => {
    const fills = new Map<string, Fill>()
    const limit = limitOf('shop.k')
    keepFullest(fills, moment, decidedBy(limit, 'a', {}))
    keepFullest(fills, moment, decidedBy(limit, 'a', { currentLimit: rateLimit }))
    expect(fills.size).toBe(0)
  })

  it('keeps a bounded number of rules, and goes on with those that it has', () => {
    const fills = new Map<string, Fill>()
    const limits = Array.from({ length: usageBounds.fills + 1 }, (_, at) => limitOf(`shop.${at}`))
    for (const limit of limits) keepFullest(fills, moment, decidedBy(limit, 'a', leaving(5)))
    expect(fills.size).toBe(usageBounds.fills)
    const [first = limitOf('')] = limits
    keepFullest(fills, moment, decidedBy(first, 'b', leaving(1)))
    expect(fills.get(first.statKey)?.key).toBe('b')
  })
})
