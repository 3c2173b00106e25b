/** Calls of the store for hits: one call, or a read first where a refused request must not count. */

import { describe, expect, it } from 'vitest'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { count, wouldBeOver } from '#ratelimit/decision/count.ts'
import type { DescriptorHit } from '#ratelimit/descriptor-hit.ts'
import type { CounterHit, Hits } from '#ratelimit/ports.ts'
import { defaultOptions } from '#ratelimit/rule-book.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'

function hitOf(key: string, limit: number, addend = 1, isRefund = false): DescriptorHit {
  const rateLimit = { requestsPerUnit: limit, unit: 'DAY' } as const
  const statKey = `shop.${key}`
  return {
    at: 0,
    limit: { ...defaultOptions, rateLimit, requestsPerUnit: limit, statKey, stats: limitStatNames(statKey) },
    rateLimit,
    hit: { key, unit: 'DAY', addend, limit, ...(isRefund && { isRefund }) },
  }
}

/** A store whose counters hold the numbers of `before`, with the calls that it got: the operation, then key and addend. */
function storeOf(before: Readonly<Record<string, number>>) {
  const calls: unknown[] = []
  const note = (operation: string, hits: readonly CounterHit[]) =>
    void calls.push([operation, ...hits.map(({ key, addend }) => [key, addend])])
  const read = (hits: readonly CounterHit[]): readonly Hits[] =>
    hits.map(({ key }) => ({ after: before[key] ?? 0, secondsUntilReset: 1 }))
  const counters: DecisionContext['counters'] = {
    hit: async (hits) => {
      note('hit', hits)
      return read(hits).map((counter, at) => ({ ...counter, after: counter.after + (hits[at]?.addend ?? 0) }))
    },
    peek: async (hits) => {
      note('peek', hits)
      return read(hits)
    },
  }
  return { calls, counters }
}

async function callsOf(
  counted: readonly DescriptorHit[],
  before: Readonly<Record<string, number>>,
  environment: Record<string, string>,
  isAnyKnownOver = false,
) {
  const { calls, counters } = storeOf(before)
  const context: DecisionContext = {
    rules: null,
    settings: readSettings(environment),
    counters,
    overLimitCache: null,
    drawId: () => 'id',
    stats: { record: () => {} },
    nowMs: 0,
  }
  await count(counted, isAnyKnownOver ? [small] : [], context)
  return calls
}

const stop = { STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true' }
const [small, big] = [hitOf('small', 2), hitOf('big', 10)]

describe('count()', () => {
  it('adds all hits in one call, for any values of the counters', async () => {
    expect(await callsOf([small, big], { small: 2 }, {})).toEqual([['hit', ['small', 1], ['big', 1]]])
  })

  describe('with STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT', () => {
    it('reads first, and adds all hits where no counter would be over', async () => {
      expect(await callsOf([small, big], { small: 1 }, stop)).toEqual([
        ['peek', ['small', 1], ['big', 1]],
        ['hit', ['small', 1], ['big', 1]],
      ])
    })

    it('adds hits only to the counters that would be over', async () => {
      expect(await callsOf([small, big], { small: 2 }, stop)).toEqual([
        ['peek', ['small', 1], ['big', 1]],
        ['hit', ['small', 1], ['big', 0]],
      ])
    })

    it('gives hits back also where another counter is over', async () => {
      const refund = hitOf('big', 10, 4, true)
      expect(await callsOf([small, refund], { small: 2 }, stop)).toContainEqual(['hit', ['small', 1], ['big', 4]])
    })

    it('counts the only descriptor of a request past its limit', async () => {
      expect(await callsOf([small], { small: 2 }, stop)).toEqual([['hit', ['small', 1]]])
    })

    it('adds nothing where the over-limit cache has refused another descriptor, but what is given back', async () => {
      expect(await callsOf([small, hitOf('big', 10, 4, true)], {}, stop, true)).toEqual([
        ['hit', ['small', 0], ['big', 4]],
      ])
    })

    it('adds all hits with memcached, as the reference', async () => {
      const memcache = { ...stop, BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: 'localhost:11211' }
      expect(await callsOf([small, big], { small: 2 }, memcache, true)).toEqual([['hit', ['small', 1], ['big', 1]]])
    })
  })
})

describe('wouldBeOver()', () => {
  it.each([
    [1, 1, false],
    [2, 1, true],
    [0, 3, true],
    [2, 0, false],
    [3, 0, true],
  ])('of a limit of 2 at %i with %i more is %s', (after, addend, isOver) => {
    expect(wouldBeOver(hitOf('k', 2, addend), { after, secondsUntilReset: 1 })).toBe(isOver)
  })

  it('takes an absent counter for 0, and hits given back for never over', () => {
    expect(wouldBeOver(hitOf('k', 2, 2), undefined)).toBe(false)
    expect(wouldBeOver(hitOf('k', 2, 3), undefined)).toBe(true)
    expect(wouldBeOver(hitOf('k', 2, 3, true), { after: 9, secondsUntilReset: 1 })).toBe(false)
  })
})
