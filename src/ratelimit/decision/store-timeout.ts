/** The longest wait of a decision for its counters. */

import type { Settings } from '../settings.ts'

/** Milliseconds that the back end may take: COUNTER_TIMEOUT, or with Redis its own time and that of the answer. */
export function storeTimeout({
  BACKEND_TYPE,
  COUNTER_TIMEOUT,
  REDIS_TIMEOUT,
  REDIS_PERSECOND_TIMEOUT,
}: Settings): number {
  const redisMs = Math.max(REDIS_TIMEOUT, REDIS_PERSECOND_TIMEOUT) + travelMs
  return Math.min(longestMs, BACKEND_TYPE === 'redis' ? redisMs : COUNTER_TIMEOUT)
}

/** Milliseconds that the answer of a pool member may take after the time for Redis is over. */
const travelMs = 500
/** The longest wait of a timer; one that is longer would come at once. */
const longestMs = 2 ** 31 - 1
