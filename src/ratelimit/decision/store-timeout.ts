/** The longest wait of a decision for its counters. */

import type { Settings } from '../settings.ts'

/** Milliseconds that the back end may take: COUNTER_TIMEOUT, or with Redis its own time and that of the answer. */
export function storeTimeout(settings: Settings): number {
  if (settings.BACKEND_TYPE !== 'redis') return settings.COUNTER_TIMEOUT
  return Math.max(settings.REDIS_TIMEOUT, settings.REDIS_PERSECOND_TIMEOUT) + travelMs
}

/** Milliseconds that the answer of a pool member may take after the time for Redis is over. */
const travelMs = 500
