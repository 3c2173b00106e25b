/** Statistics of an object: added up here, handed to StatsObject a second after the first of them. */

import type { Settings } from '#ratelimit/settings.ts'
import { createStatBatches } from '#ratelimit/statistics/batches.ts'
import { consoleLogger } from '../base/log.ts'
import { type RatelimitEnv, statsName } from './env.ts'

/** Milliseconds that a count waits for others. */
const flushAfterMs = 1_000

/** Starts with nothing counted; `ctx` is of the object. */
export function pendingCounts(env: RatelimitEnv, settings: Settings, ctx: Pick<DurableObjectState, 'waitUntil'>) {
  const sender = crypto.randomUUID()
  const batches = createStatBatches()
  let isScheduled = false
  let isFlushing = false

  /** Hands over what was counted, also what comes meanwhile; what is not taken goes with the next counts. */
  async function flush(): Promise<void> {
    isScheduled = false
    if (isFlushing) return
    isFlushing = true
    try {
      for (let batch = batches.next(); batch !== null; batch = batches.next()) {
        await env.STATS.getByName(statsName).add(sender, batch.number, batch.deltas, settings.STATS_MAX_NAMES)
        batches.taken(batch.number)
      }
    } catch (error) {
      consoleLogger(settings).error('Cannot hand over statistics: they go with the next ones', error)
    }
    isFlushing = false
  }

  return {
    add(name: string, delta: number): void {
      if (settings.DISABLE_STATS || delta === 0) return
      batches.add([{ name, delta }])
      if (!isScheduled) setTimeout(() => ctx.waitUntil(flush()), flushAfterMs)
      isScheduled = true
    },
  }
}
