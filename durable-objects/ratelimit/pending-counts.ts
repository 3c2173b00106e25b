/** Statistics of an object: added up here, handed to StatsObject now and then. */

import type { StatDelta } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { addPending } from '#ratelimit/statistics/sum.ts'
import { type RatelimitEnv, statsName } from './env.ts'

/** Counts by name. */
export interface PendingCounts {
  add(name: string, delta: number): void
  /** Hands over what was counted; what could not be taken, or came during another call, goes with the next one. */
  flush(): Promise<void>
}

/** Names that wait at most; further ones, and those that are too long, are counted under one name. */
const mostNames = 10_000

/** Starts with nothing counted. */
export function pendingCounts(env: RatelimitEnv, { DISABLE_STATS, STATS_MAX_NAMES }: Settings): PendingCounts {
  const sender = crypto.randomUUID()
  const pending = new Map<string, number>()
  let inFlight: { readonly number: number; readonly deltas: readonly StatDelta[] } | null = null
  let batches = 0
  let isFlushing = false
  return {
    add(name, delta) {
      if (DISABLE_STATS || delta === 0) return
      addPending(pending, { name, delta }, mostNames)
    },
    async flush() {
      if (isFlushing || (inFlight === null && pending.size === 0)) return
      if (inFlight === null) {
        batches += 1
        inFlight = { number: batches, deltas: [...pending].map(([name, delta]) => ({ name, delta })) }
        pending.clear()
      }
      const { number, deltas } = inFlight
      isFlushing = true
      try {
        await env.STATS.getByName(statsName).add(sender, number, deltas, STATS_MAX_NAMES)
        inFlight = null
      } finally {
        isFlushing = false
      }
    },
  }
}
