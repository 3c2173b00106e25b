/** UsageSink over StatsObject: reports what this isolate decided, after the answers have left. */

import { type RatelimitEnv, usageName } from '#objects/ratelimit/env.ts'
import type { StatsObject } from '#objects/ratelimit/stats.ts'
import type { UsageSink } from '#ratelimit/ports.ts'
import { createUsageAccumulator } from '#ratelimit/usage/usage-accumulator.ts'
import { createDelay } from '../../edge/delayed-work.ts'
import type { WithinRequest } from '../../edge/request-context.ts'
import { loggerOf } from './logger.ts'

/** Milliseconds to the first report; the object asks for longer pauses while it has no listeners. */
const reportAfterMs = 1_000

/** Decisions of this isolate that it has not yet reported, and the pause before the next report. */
const state = { decided: createUsageAccumulator(Math.random), pauseMs: reportAfterMs }
const delay = createDelay()

/** The object that keeps the decisions; the statistics of a deployment are in other objects of the class. */
export function usageObject(env: RatelimitEnv): DurableObjectStub<StatsObject> {
  return env.STATS.getByName(usageName)
}

/** Makes the sink of one request; the first decision after a report schedules the next one with `waitUntil`. */
export function usageSink(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  recorded: number,
  within: WithinRequest,
): UsageSink {
  return {
    add(decided) {
      state.decided.add(decided)
      delay(
        state.pauseMs,
        () => reportUsage(env, recorded),
        (run) => ctx.waitUntil(within(run)),
      )
    },
  }
}

/** Reports what was decided, because someone looks at it; the next pause is a second again. */
export async function reportToReader(env: RatelimitEnv, recorded: number): Promise<void> {
  await reportUsage(env, recorded)
  state.pauseMs = reportAfterMs
}

/** Reports what was decided since the last report. A report that fails is lost, and the log says so. */
async function reportUsage(env: RatelimitEnv, recorded: number): Promise<void> {
  const report = state.decided.take()
  if (report === null) return
  try {
    state.pauseMs = Math.max(reportAfterMs, await usageObject(env).report(report, recorded))
  } catch (error) {
    loggerOf(env).error('Cannot hand over usage: the decisions of the last second are not in it', error)
  }
}
