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

/** Starts with nothing. */
export function createFrontReports(link: FrontLink, settings: Settings, logger: Logger) {
  const { sink: stats, flush: flushStats } = createStatReports(link, settings, logger)
  const { sink: usage, flush: flushUsage } = createUsageReports(link, settings, logger)
  return {
    stats,
    usage,
    /** Hands over what waits. */
    async flush(): Promise<void> {
      await Promise.all([flushStats(), flushUsage()])
    },
  }
}

/** Takes what a front decides. */
export type FrontReports = ReturnType<typeof createFrontReports>

function createStatReports(link: FrontLink, settings: Settings, logger: Logger) {
  const sender = randomUUID()
  const batches = createStatBatches()
  let pauseMs = statsPauseMs(settings)
  const flushLater = createDelay(flush)
  let handing: Promise<void> | null = null

  function flush(): Promise<void> {
    handing ??= sendBatches().finally(() => {
      handing = null
    })
    return handing
  }

  /** A batch that does not arrive goes again under its number. */
  async function sendBatches(): Promise<void> {
    try {
      for (let batch = batches.next(); batch !== null; batch = batches.next()) {
        const answer = await link.ask({ kind: 'stats', sender, batch: batch.number, deltas: batch.deltas })
        pauseMs = Math.max(leastPauseMs, Number(answer))
        batches.taken(batch.number)
      }
    } catch (error) {
      logger.error('Cannot hand over statistics: they stay here and go with the next batch', error)
    }
  }

  const sink: StatSink = {
    record(deltas) {
      if (settings.DISABLE_STATS || deltas.length === 0) return
      batches.add(deltas)
      flushLater(pauseMs)
    },
  }
  return { sink, flush }
}

function createUsageReports(link: FrontLink, settings: Settings, logger: Logger) {
  const decided = createUsageAccumulator(Math.random)
  const flushLater = createDelay(flush)
  let pauseMs = leastPauseMs

  async function flush(): Promise<void> {
    const report = decided.take()
    if (report === null) return
    try {
      pauseMs = Math.max(leastPauseMs, Number(await link.ask({ kind: 'usage', report })))
    } catch (error) {
      logger.error('Cannot hand over usage: the decisions of the last second are not in it', error)
    }
  }

  const sink: UsageSink = {
    add(one) {
      decided.add(one)
      flushLater(pauseMs)
    },
  }
  return { sink: settings.USAGE_ENABLED ? sink : undefined, flush }
}

/** Acts once after so many milliseconds; calls in between change nothing. */
function createDelay(act: () => Promise<void>): (delayMs: number) => void {
  let isWaiting = false
  return (delayMs) => {
    if (isWaiting) return
    isWaiting = true
    // A process that ends hands over what waits, and does not stay for this.
    setTimeout(() => {
      isWaiting = false
      void act()
    }, delayMs).unref()
  }
}
