/** The capacity of an algorithm, its period, and how long its counter is kept. */

import { describe, expect, it } from 'vitest'
import { capacityOf, lifeOf, longestPeriod, periodOf, unitThatLasts } from '#ratelimit/algorithm/algorithm.ts'

describe('capacityOf()', () => {
  it('is the burst of a bucket and the limit of others; the period is the time until all of it is free again', () => {
    const limit = { requestsPerUnit: 10, unit: 'MINUTE' } as const
    expect([capacityOf(limit), periodOf(limit), lifeOf(limit)]).toEqual([10, 60, 60])
    const bucket = { ...limit, algorithm: { kind: 'token_bucket', seconds: 60, burst: 25, charge: 'all' } } as const
    expect([capacityOf(bucket), periodOf(bucket), lifeOf(bucket)]).toEqual([25, 150, 210])
    expect(capacityOf({ ...bucket, requestsPerUnit: 0 })).toBe(0)
    const sliding = { ...limit, algorithm: { kind: 'sliding', seconds: 60, charge: 'all' } } as const
    expect([capacityOf(sliding), periodOf(sliding), lifeOf(sliding)]).toEqual([10, 60, 120])
  })
})

describe('unitThatLasts()', () => {
  it('is the shortest unit that is long enough', () => {
    const found = [1, 2, 3, 60, 61, 86_400, 86_401, 2_592_001, longestPeriod].map(unitThatLasts)
    expect(found).toEqual(['SECOND', 'SECOND', 'MINUTE', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'YEAR', 'YEAR'])
  })
})
