/** Statistics and usage of a front, summed and handed over in batches: statistics each eight seconds, usage as the service asks. */

import { randomUUID } from 'node:crypto'
import type { Logger } from '#base/logger.ts'
import type { StatSink, UsageSink } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { createStatBatches } from '#ratelimit/statistics/batches.ts'
import { createUsageAccumulator } from '#ratelimit/usage/usage-accumulator.ts'
import type { FrontLink } from './link.ts'

/** Milliseconds that statistics wait for others to travel with, and the least between two reports of usage. */
const [statsAfterMs, usageAfterMs] = [8_000, 1_000]

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
  let [statsPauseMs, usagePauseMs] = [statsAfterMs, usageAfterMs]
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
        statsPauseMs = Math.max(statsAfterMs, Number(pauseMs))
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
      usagePauseMs = Math.max(usageAfterMs, Number(await link.ask({ kind: 'usage', report })))
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
        }, statsPauseMs)
      },
    },
    usage: settings.USAGE_ENABLED
      ? {
          add(one) {
            decided.add(one)
            timers.usage ??= setTimeout(() => {
              timers.usage = undefined
              void report()
            }, usagePauseMs)
          },
        }
      : undefined,
    async flush() {
      await Promise.all([handOver(), report()])
    },
  }
}
