/** The text and the key of an algorithm, its capacity, and how long its counter is kept. */

import { describe, expect, it } from 'vitest'
import {
  type Algorithm,
  algorithmKey,
  algorithmText,
  capacityOf,
  descriptorKey,
  lifeOf,
  longestPeriod,
  parseAlgorithm,
  periodOf,
  readAlgorithmKey,
  unitThatLasts,
} from '#ratelimit/algorithm/algorithm.ts'
import { readCounters } from '#ratelimit/algorithm/reading.ts'
import { nameObject } from '#ratelimit/placement.ts'

const algorithms: readonly Algorithm[] = [
  { kind: 'fixed', seconds: 900, charge: 'all' },
  { kind: 'fixed', seconds: 60, charge: 'admitted' },
  { kind: 'sliding', seconds: 1, charge: 'all' },
  { kind: 'token_bucket', seconds: 60, burst: 100, charge: 'all' },
  { kind: 'calendar', seconds: 86_400, period: 'day', zone: 'America/Argentina/Buenos_Aires', charge: 'admitted' },
  { kind: 'calendar', seconds: 2_678_400, period: 'month', zone: 'UTC', charge: 'all' },
  { kind: 'concurrency', seconds: 60, charge: 'admitted' },
  { kind: 'fixed', seconds: 60, charge: 'all', reserve: { unsettled: 'charged', timeToLive: 600 } },
  {
    kind: 'calendar',
    seconds: 86_400,
    period: 'day',
    zone: 'Europe/Berlin',
    charge: 'admitted',
    reserve: { unsettled: 'refunded', timeToLive: 1 },
  },
]

describe('algorithmText()', () => {
  it.each(algorithms)('is read back: %o', (algorithm) => {
    expect(parseAlgorithm(algorithmText(algorithm))).toEqual(algorithm)
  })

  it('is not read from anything else', () => {
    const texts = ['', 'fixed', 'fixed 0', `sliding ${longestPeriod + 1}`, 'token_bucket 60', 'token_bucket 60 0']
    for (const text of [
      ...texts,
      'sliding 60 80',
      'fixed 60 all',
      'leaky 60',
      'sliding 60 unsettled charged 5',
      'fixed 60 unsettled charged 0',
      'concurrency 0',
      'concurrency 60 admitted',
      'fixed 60 unsettled lost 5',
      'calendar year UTC',
      'calendar day Mars/Olympus',
    ])
      expect(parseAlgorithm(text)).toBeNull()
  })
})

describe('algorithmKey()', () => {
  it.each(algorithms)('is read back, with any values in it: %o', (algorithm) => {
    for (const key of ['shop_user_a_', 'shop_user_a\nfixed 900_', 'shop__\n_']) {
      const text = algorithmKey({ key, algorithm })
      expect(readAlgorithmKey(text)).toEqual({ key, algorithm })
      expect(descriptorKey(text)).toBe(key)
      expect(nameObject(text, { kind: 'per-key' })).toBe(nameObject(key, { kind: 'per-key' }))
    }
  })

  it('is never a key that a request makes', () => {
    for (const key of ['shop_user_a_', 'shop_user_a\nsliding 60_', '']) expect(readAlgorithmKey(key)).toBeNull()
  })
})

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

describe('readCounters()', () => {
  it('names the algorithm, and lists nothing where nothing is used', () => {
    const hit = { key: 'shop_a_\nsliding 60', unit: 'HOUR', addend: 0 } as const
    const reading = { unit: 'HOUR', algorithm: 'sliding 60', hits: 3, secondsUntilReset: 9 }
    expect(readCounters(hit, { after: 3, secondsUntilReset: 9 })).toEqual([reading])
    expect(readCounters(hit, { after: 0, secondsUntilReset: 9 })).toEqual([])
    expect(readCounters({ ...hit, key: 'shop_a_' }, { after: 3, secondsUntilReset: 9 })).toEqual([])
  })
})
