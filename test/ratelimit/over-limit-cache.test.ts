/** The over-limit cache: exact in time, bounded in bytes. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOverLimitCache } from '../../src/ratelimit/over-limit-cache.ts'

test('find() refuses until the window turns and never after', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', { hits: 3, secondsUntilReset: 26 }, 1_234_400)
  expect(cache.find('k_', 'MINUTE', 2, 1_259_999)).toMatchObject({ hits: 3, endsAtMs: 1_260_000 })
  expect(cache.find('k_', 'MINUTE', 2, 1_260_000)).toBeNull()
  expect(cache.gauges()).toMatchObject({ hitCount: 1, missCount: 1, expiredCount: 1, entryCount: 0 })
})

test('remember() under a clock here that is behind trusts the owner of the counter', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', { hits: 3, secondsUntilReset: 5 }, 1_230_000)
  expect(cache.find('k_', 'MINUTE', 2, 1_234_999)).not.toBeNull()
  expect(cache.find('k_', 'MINUTE', 2, 1_235_000)).toBeNull()
})

test('find() forgets what was remembered under a clock that leapt a day ahead and came back', () => {
  const [now, day] = [1_234_000, 86_400_000]
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', { hits: 3, secondsUntilReset: 26 }, now + day)
  expect(cache.find('k_', 'MINUTE', 2, now)).toBeNull()
  expect(cache.find('k_', 'MINUTE', 2, now + day)).toBeNull()
  cache.remember('k_', 'MINUTE', { hits: 3, secondsUntilReset: 26 }, now)
  expect(cache.find('k_', 'MINUTE', 2, now - 30_000)).not.toBeNull()
})

test('find() keeps units apart and lets a raised limit through', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'DAY', { hits: 3, secondsUntilReset: 86_400 }, 0)
  expect(cache.find('k_', 'HOUR', 2, 1)).toBeNull()
  expect(cache.find('k_', 'DAY', 3, 1)).toBeNull()
  expect(cache.find('k_', 'DAY', 2, 1)).not.toBeNull()
})

test('forget() drops a counter', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'DAY', { hits: 3, secondsUntilReset: 86_400 }, 0)
  cache.forget('k_', 'DAY')
  expect(cache.find('k_', 'DAY', 2, 1)).toBeNull()
})

test('remember() never holds more than its bytes, and makes room by the oldest', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 200 }), (keys) => {
      const cache = createOverLimitCache(2000)
      for (const key of keys) cache.remember(key, 'DAY', { hits: 1, secondsUntilReset: 86_400 }, 0)
      expect(cache.gauges().entryCount).toBeLessThanOrEqual(Math.floor(2000 / 96))
      const last = keys.at(-1)
      if (last !== undefined) expect(cache.find(last, 'DAY', 0, 1)).not.toBeNull()
    }),
    { seed: 3 },
  )
  const small = createOverLimitCache(10)
  small.remember('k_', 'DAY', { hits: 3, secondsUntilReset: 86_400 }, 0)
  expect(small.gauges()).toMatchObject({ entryCount: 0 })
})
