/** Statistics of an object: added up here, handed to StatsObject now and then. */

import type { Settings } from '#ratelimit/settings.ts'
import { createStatBatches } from '#ratelimit/statistics/batches.ts'
import { type RatelimitEnv, statsName } from './env.ts'

/** Starts with nothing counted. */
export function pendingCounts(env: RatelimitEnv, { DISABLE_STATS, STATS_MAX_NAMES }: Settings) {
  const sender = crypto.randomUUID()
  const batches = createStatBatches()
  let isFlushing = false
  return {
    add(name: string, delta: number): void {
      if (!DISABLE_STATS && delta !== 0) batches.add([{ name, delta }])
    },
    /** Hands over what was counted; what could not be taken, or came during another call, goes with the next one. */
    async flush(): Promise<void> {
      const batch = isFlushing ? null : batches.next()
      if (batch === null) return
      isFlushing = true
      try {
        await env.STATS.getByName(statsName).add(sender, batch.number, batch.deltas, STATS_MAX_NAMES)
        batches.taken(batch.number)
      } finally {
        isFlushing = false
      }
    },
  }
}

/** Milliseconds that counts which flush themselves wait for others. */
const flushAfterMs = 1_000

/** Makes counts that are handed over a second after the first of them; `ctx` is of the object. */
export function flushedCounts(env: RatelimitEnv, settings: Settings, ctx: Pick<DurableObjectState, 'waitUntil'>) {
  const counts = pendingCounts(env, settings)
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(name: string, delta: number): void {
      counts.add(name, delta)
      if (timer !== undefined) return
      timer = setTimeout(() => {
        timer = undefined
        ctx.waitUntil(counts.flush().catch(() => {}))
      }, flushAfterMs)
    },
  }
}
