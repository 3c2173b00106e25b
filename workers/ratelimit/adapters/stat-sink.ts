/** StatSink over StatsObject: adds up what this isolate counts, and hands it over after the answers have gone. */

import { type RatelimitEnv, statsName } from '#objects/ratelimit/env.ts'
import type { StatSink } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { createStatBatches, statsPauseMs } from '#ratelimit/statistics/batches.ts'
import type { StatSum } from '#ratelimit/statistics/sum.ts'
import { createDelay } from '../../edge/delayed-work.ts'
import { runInPlace, type WithinRequest } from '../../edge/request-context.ts'
import { loggerOf } from './logger.ts'

/** Switches statistics off, bounds the distinct names that the object keeps, and says when they are pushed. */
type StatSettings = Pick<
  Settings,
  'DISABLE_STATS' | 'STATS_MAX_NAMES' | 'USE_STATSD' | 'USE_DOG_STATSD' | 'STATS_FLUSH_INTERVAL'
>

/** Counts of this isolate that it has not yet handed over. */
const state = {
  batches: createStatBatches(),
  sender: '',
  /** Milliseconds that the object asked to wait at the last batch. */
  pauseMs: 0,
}
const delay = createDelay()

/** Makes the sink of one request; the first delta after a flush schedules the next one with `waitUntil`. */
export function statSink(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  settings: StatSettings,
  within: WithinRequest = runInPlace,
): StatSink {
  return {
    record(deltas) {
      if (settings.DISABLE_STATS || deltas.length === 0) return
      state.batches.add(deltas)
      delay(
        Math.max(statsPauseMs(settings), state.pauseMs),
        () => flush(env, settings),
        (run) => ctx.waitUntil(within(run)),
      )
    },
  }
}

/** Sums of all isolates, with this one's handed over first so that its own counts are never missing. */
export async function readStats(env: RatelimitEnv, settings: StatSettings): Promise<readonly StatSum[]> {
  await flush(env, settings)
  const sums = await env.STATS.getByName(statsName).read()
  return [...sums].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Sends what is pending, batch by batch; one that fails goes again, and its number keeps it from counting twice. */
async function flush(env: RatelimitEnv, settings: StatSettings): Promise<void> {
  state.sender ||= crypto.randomUUID()
  const object = env.STATS.getByName(statsName)
  for (let batch = state.batches.next(); batch !== null; batch = state.batches.next()) {
    const { number, deltas } = batch
    try {
      state.pauseMs = await object.add(state.sender, number, deltas, settings.STATS_MAX_NAMES)
    } catch (error) {
      loggerOf(env).error('Cannot hand over statistics: they stay here and go with the next batch', error)
      return
    }
    state.batches.taken(number)
  }
}
