/** The longest wait of a decision for its counters. */

import type { Settings } from '../settings.ts'

/**
 * Milliseconds that a call to the back end may take. With Redis a pool member gives up by itself (`REDIS_TIMEOUT`), and
 * its answer says what Redis did; the other back ends have `COUNTER_TIMEOUT`.
 */
export function storeTimeout(settings: Settings): number {
  if (settings.BACKEND_TYPE !== 'redis') return settings.COUNTER_TIMEOUT
  return Math.max(settings.REDIS_TIMEOUT, settings.REDIS_PERSECOND_TIMEOUT) + travelMs
}

/** Milliseconds that the answer of a pool member may take after the time for Redis is over. */
const travelMs = 500
