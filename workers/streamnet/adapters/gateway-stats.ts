/** Counts of this isolate of the gateway, handed to the object that adds them up after the answers have gone. */

import { addReport, countRequest, countUpstream, emptyReport, type GatewayReport } from '#gateway/metrics.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { createDelay } from '../../edge/delayed-work.ts'

/** Milliseconds that counts wait for others to travel with. */
const flushAfterMs = 500

/** Lets work go on after the answer. */
type After = (work: Promise<void>) => void

const state = { pending: emptyReport() }
const delay = createDelay()

/** Counts an answer to a caller who was let in. */
export function reportRequest(env: StreamnetEnv, after: After, operation: string, status: number): void {
  countRequest(state.pending, operation, status)
  schedule(env, after)
}

/** Counts a request to the node. */
export function reportUpstream(env: StreamnetEnv, after: After, seconds: number, isAnswered: boolean): void {
  countUpstream(state.pending, seconds, isAnswered)
  schedule(env, after)
}

/** The sum of all isolates, with this one's handed over first. */
export async function readReport(env: StreamnetEnv): Promise<GatewayReport> {
  await flush(env)
  return objectOf(env).read()
}

function schedule(env: StreamnetEnv, after: After): void {
  delay(
    flushAfterMs,
    () => flush(env),
    (run) => after(run()),
  )
}

/** Counts that could not be handed over go with the next flush; where only the answer was lost they count twice. */
async function flush(env: StreamnetEnv): Promise<void> {
  const report = state.pending
  state.pending = emptyReport()
  try {
    await objectOf(env).add(report)
  } catch (error) {
    addReport(state.pending, report)
    loggerOfEnvironment(env).error('Cannot hand over statistics: they go with the next ones', error)
  }
}

function objectOf({ GATEWAY_STATS }: StreamnetEnv) {
  return GATEWAY_STATS.getByName('sum')
}
