/** The longest wait of a decision for its counters, by the settings of each back end. */

import { expect, it } from 'vitest'
import { storeTimeout } from '#ratelimit/decision/store-timeout.ts'
import { readDecisionSettings } from '#ratelimit/settings.ts'

it.each([
  [{}, 5_000],
  [{ COUNTER_TIMEOUT: '300ms' }, 300],
  [{ BACKEND_TYPE: 'redis', REDIS_TIMEOUT: '2s', REDIS_PERSECOND_TIMEOUT: '3s' }, 3_500],
  [{ COUNTER_TIMEOUT: '1000h' }, 2 ** 31 - 1],
])('storeTimeout() reads %j as milliseconds that a timer takes', (environment, expected) => {
  expect(storeTimeout(readDecisionSettings(environment))).toBe(expected)
})
