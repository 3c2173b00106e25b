/** Statistics and usage of a front, summed and handed over in batches, as often as the service asks. */

import { randomUUID } from 'node:crypto'
import type { Logger } from '#base/logger.ts'
import type { StatSink, UsageSink } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { createStatBatches, statsPauseMs } from '#ratelimit/statistics/batches.ts'
import { createUsageAccumulator } from '#ratelimit/usage/usage-accumulator.ts'
import type { FrontLink } from './link.ts'

/** Milliseconds to the first report of usage, and the least between two reports. */
const leastPauseMs = 1_000

/** Takes what a front decides. */
export interface FrontReports {
  readonly stats: StatSink
  readonly usage: UsageSink | undefined
  /** Hands over what waits. */
  flush(): Promise<void>
}

/** Starts with nothing. */
export function createFrontReports(link: FrontLink, settings: Settings, logger: Logger): FrontReports {
  const sender = randomUUID()
  const batches = createStatBatches()
  const decided = createUsageAccumulator(Math.random)
  const timers: { stats?: NodeJS.Timeout | undefined; usage?: NodeJS.Timeout | undefined } = {}
  let [statsAfterMs, usageAfterMs] = [statsPauseMs(settings), leastPauseMs]
  let handing: Promise<void> | null = null

  function handOver(): Promise<void> {
    handing ??= sendBatches().finally(() => {
      handing = null
    })
    return handing
  }

  /** A batch that does not arrive goes again under its number. */
  async function sendBatches(): Promise<void> {
    try {
      for (let batch = batches.next(); batch !== null; batch = batches.next()) {
        const pauseMs = await link.ask({ kind: 'stats', sender, batch: batch.number, deltas: batch.deltas })
        statsAfterMs = Math.max(leastPauseMs, Number(pauseMs))
        batches.taken(batch.number)
      }
    } catch (error) {
      logger.error('Cannot hand over statistics: they stay here and go with the next batch', error)
    }
  }

  async function report(): Promise<void> {
    const report = decided.take()
    if (report === null) return
    try {
      usageAfterMs = Math.max(leastPauseMs, Number(await link.ask({ kind: 'usage', report })))
    } catch (error) {
      logger.error('Cannot hand over usage: the decisions of the last second are not in it', error)
    }
  }

  return {
    stats: {
      record(deltas) {
        if (settings.DISABLE_STATS || deltas.length === 0) return
        batches.add(deltas)
        timers.stats ??= setTimeout(() => {
          timers.stats = undefined
          void handOver()
        }, statsAfterMs)
      },
    },
    usage: settings.USAGE_ENABLED
      ? {
          add(one) {
            decided.add(one)
            timers.usage ??= setTimeout(() => {
              timers.usage = undefined
              void report()
            }, usageAfterMs)
          },
        }
      : undefined,
    async flush() {
      await Promise.all([handOver(), report()])
    },
  }
}
