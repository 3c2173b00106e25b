/** The text of an algorithm and the key of its counter, each read back. */

import { describe, expect, it } from 'vitest'
import { type Algorithm, longestPeriod } from '#ratelimit/algorithm/algorithm.ts'
import {
  algorithmKey,
  algorithmText,
  descriptorKey,
  parseAlgorithm,
  readAlgorithmKey,
} from '#ratelimit/algorithm/algorithm-key.ts'
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
