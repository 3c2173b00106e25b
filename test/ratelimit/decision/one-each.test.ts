import { describe, expect, it } from 'vitest'
import { assertOneEach } from '#ratelimit/decision/one-each.ts'
import type { DescriptorHit } from '#ratelimit/descriptor-hit.ts'
import type { Hits } from '#ratelimit/ports.ts'
import { defaultOptions } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'

const rateLimit = { requestsPerUnit: 1, unit: 'DAY' } as const
const limit = { ...defaultOptions, rateLimit, requestsPerUnit: 1, statKey: 'k', stats: limitStatNames('k') }
const one: DescriptorHit = { at: 0, limit, rateLimit, hit: { key: 'k', unit: 'DAY', addend: 1 } }
const two = [one, one]

describe('assertOneEach()', () => {
  const counter: Hits = { after: 1, secondsUntilReset: 1 }

  it('hands over as many counters as were asked for', () => {
    const hits = [counter, counter]
    expect(assertOneEach(hits, two)).toBe(hits)
  })

  it.each([[[]], [[counter]], [[counter, counter, counter]]])('refuses %j for two', (hits) => {
    expect(() => assertOneEach(hits, two)).toThrow(
      expect.objectContaining({
        code: 'counter_unavailable',
        message: `Cannot count: the store answered ${hits.length} counters, expected 2`,
      }),
    )
  })
})
