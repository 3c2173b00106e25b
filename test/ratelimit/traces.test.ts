/** The recorded answers of the reference service, replayed against the service with its counters in memory. */

import { describe, expect, it } from 'vitest'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { startService } from '../support/ratelimit-service.ts'
import { comparable, type TraceRun, type TraceStep, traceSets } from '../support/ratelimit-traces.ts'

/** Midday, so that no window turns. */
const clock = 1_750_000_000

async function replay(run: TraceRun, env: Readonly<Record<string, string>>) {
  const configYaml = Object.values(run.files)
  const { target, loadError } = await startService({ env, clock, configYaml }, { readRequest, writeResponse })
  expect(loadError).toBeNull()
  return async ([request, status, body]: TraceStep) => {
    const reply = await target.request(JSON.stringify(request))
    if (status !== 400 || typeof body === 'string') {
      expect({ request, status: reply.status, body: comparable(reply.body) }).toEqual({ request, status, body })
    } else {
      const grpc = { grpc: reply.grpc?.status, message: reply.grpc?.message }
      expect({ request, status: reply.status, ...grpc }).toEqual({ request, status, ...(body as object) })
    }
  }
}

describe.each(traceSets)('shouldRateLimit answers as the reference did, set $name', ({ vars, runs }) => {
  it.each(runs.map((run, index) => ({ run, index })))('configuration $index', async ({ run }) => {
    const step = await replay(run, vars)
    for (const each of run.steps) await step(each)
  })
})
