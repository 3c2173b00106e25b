/** UsageSink over StatsObject: what this isolate decided, handed over after the answers have gone. */

import type { RatelimitEnv } from '../../../durable-objects/ratelimit/env.ts'
import type { StatsObject } from '../../../durable-objects/ratelimit/stats.ts'
import type { UsageSink } from '../../../src/ratelimit/ports.ts'
import { createUsageTally } from '../../../src/ratelimit/usage/tally.ts'
import { exportDecisions } from './decision-export.ts'
import { loggerOf } from './logger.ts'

/** Milliseconds between reports when the object asks for no longer pause. */
const reportAfterMs = 1_000
/** A report that has not come by then is taken for lost with the request that carried it. */
const reportLostAfterMs = 5_000

/** What this isolate has decided and not yet handed over; the tally is bounded. */
const state = {
  tally: createUsageTally(Math.random),
  dueAt: 0,
  pauseMs: reportAfterMs,
}

/** The object that remembers what was decided; the statistics of a deployment have others. */
export function usageObject(env: RatelimitEnv): DurableObjectStub<StatsObject> {
  return env.STATS.getByName('usage')
}

/**
 * Makes the sink of one request; the first decision after a report schedules the next one with `waitUntil`.
 *
 * @param recorded - How many sampled requests are kept; 0 for none.
 */
export function usageSink(env: RatelimitEnv, ctx: ExecutionContext, recorded: number): UsageSink {
  return {
    add(decided) {
      state.tally.add(decided)
      const now = Date.now()
      if (state.dueAt !== 0 && now < state.dueAt + reportLostAfterMs) return
      state.dueAt = now + state.pauseMs
      ctx.waitUntil(reportLater(env, recorded))
    },
  }
}

async function reportLater(env: RatelimitEnv, recorded: number): Promise<void> {
  await scheduler.wait(state.pauseMs)
  state.dueAt = 0
  await reportUsage(env, recorded)
}

/** Hands over what was decided since the last report. What cannot be handed over is forgotten, and the log says so. */
export async function reportUsage(env: RatelimitEnv, recorded: number): Promise<void> {
  const report = state.tally.take()
  if (report === null) return
  try {
    state.pauseMs = Math.max(reportAfterMs, await usageObject(env).report(report, recorded))
  } catch (error) {
    loggerOf(env).error('Cannot hand over usage: the decisions of the last second are not in it', error)
  }
  await exportDecisions(env, report.samples)
}
