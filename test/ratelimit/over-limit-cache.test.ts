/** The over-limit cache: exact in time, bounded in bytes. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'

test('find() refuses until the window turns and never after', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', 26, 1_234_400)
  expect(cache.find('k_', 'MINUTE', 1_259_999)).toMatchObject({ endsAtMs: 1_260_000 })
  expect(cache.find('k_', 'MINUTE', 1_260_000)).toBeNull()
  expect(cache.gauges()).toMatchObject({ hitCount: 1, missCount: 1, expiredCount: 1, entryCount: 0 })
})

test('remember() knows when hits of a blocked key may pass again, though the window turns before', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', 600, 1_255_300)
  expect(cache.find('k_', 'MINUTE', 1_259_999)).toMatchObject({ endsAtMs: 1_260_000, resetAtMs: 1_855_000 })
  expect(cache.find('k_', 'MINUTE', 1_260_000)).toBeNull()
})

test('remember() under a clock here that is behind trusts the owner of the counter', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', 5, 1_230_000)
  expect(cache.find('k_', 'MINUTE', 1_234_999)).not.toBeNull()
  expect(cache.find('k_', 'MINUTE', 1_235_000)).toBeNull()
})

test('find() forgets what was remembered under a clock that leapt a day ahead and came back', () => {
  const [now, day] = [1_234_000, 86_400_000]
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'MINUTE', 26, now + day)
  expect(cache.find('k_', 'MINUTE', now)).toBeNull()
  expect(cache.find('k_', 'MINUTE', now + day)).toBeNull()
  cache.remember('k_', 'MINUTE', 26, now)
  expect(cache.find('k_', 'MINUTE', now - 30_000)).not.toBeNull()
})

test('find() keeps units apart', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'DAY', 86_400, 0)
  expect(cache.find('k_', 'HOUR', 1)).toBeNull()
  expect(cache.find('k_', 'DAY', 1)).not.toBeNull()
})

test('useRules() forgets everything under other rules, and nothing under the same', () => {
  const [first, second] = [{}, {}]
  const cache = createOverLimitCache(1000)
  cache.useRules(first)
  cache.remember('k_', 'DAY', 86_400, 0)
  cache.useRules(first)
  expect(cache.find('k_', 'DAY', 1)).not.toBeNull()
  cache.useRules(second)
  expect(cache.find('k_', 'DAY', 1)).toBeNull()
  expect(cache.gauges().entryCount).toBe(0)
})

test('forget() drops a counter', () => {
  const cache = createOverLimitCache(1000)
  cache.remember('k_', 'DAY', 86_400, 0)
  cache.forget('k_', 'DAY')
  expect(cache.find('k_', 'DAY', 1)).toBeNull()
})

test('remember() never holds more than its bytes, and makes room by the oldest', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 200 }), (keys) => {
      const cache = createOverLimitCache(2000)
      for (const key of keys) cache.remember(key, 'DAY', 86_400, 0)
      expect(cache.gauges().entryCount).toBeLessThanOrEqual(Math.floor(2000 / 96))
      const last = keys.at(-1)
      if (last !== undefined) expect(cache.find(last, 'DAY', 1)).not.toBeNull()
    }),
    { seed: 3 },
  )
  const small = createOverLimitCache(10)
  small.remember('k_', 'DAY', 86_400, 0)
  expect(small.gauges()).toMatchObject({ entryCount: 0 })
})
