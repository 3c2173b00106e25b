/** Health of the service: `/healthcheck`, and the report that `/readyz`, the console and the gRPC health service share. */

import { createLineBudget } from '#base/line-budget.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { hasHealthyRules } from '#ratelimit/health.ts'
import { loadHint } from '#ratelimit/service.ts'
import { backEndProblem } from './adapters/back-end.ts'
import { openIsolate } from './adapters/isolate.ts'
import { loggerOf } from './adapters/logger.ts'
import { currentRules } from './adapters/rule-book-cache.ts'
import { assertStorage } from './adapters/storage-probe.ts'
import { reasonHeader, reasonValue } from './json-answer.ts'
import { logFailure } from './reason.ts'

/** `/healthcheck` with any method: 200 `OK`, or 500 without a body; a header gives the reason. */
export async function healthcheck(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const { isHealthy, reason } = await reportHealth(env, ctx)
  const headers: Record<string, string> = reason === null ? {} : { [reasonHeader]: reasonValue(reason) }
  return isHealthy ? new Response('OK', { headers }) : new Response(null, { status: 500, headers })
}

/** Without rules every decision is refused, which the log says once a minute. */
const missingLines = createLineBudget(1, 60_000)
const missingRules = `no rate limit configuration loaded: ${loadHint}`

/**
 * Tells whether this deployment can decide: its settings have no mistake, its objects can write and, where
 * `HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED` asks for it, there is at least one domain. Without rules every decision is
 * refused; the report and the log say so with either value of that setting.
 *
 * @returns the reason without any setting's value, since strangers may read it; null when there is no problem.
 */
export async function reportHealth(env: RatelimitEnv, ctx: ExecutionContext) {
  try {
    const { settings } = openIsolate(env)
    const problem = await backEndProblem(env, settings)
    if (problem !== null) throw new Error(problem)
    if (settings.BACKEND_TYPE === 'durable-object') await assertStorage(env)
    const { rules } = await currentRules(env, ctx, settings)
    if (rules === null && missingLines.take(Date.now()) !== null)
      loggerOf(env).warning(`Cannot decide: ${missingRules}`)
    return { isHealthy: hasHealthyRules(rules, settings), reason: rules === null ? missingRules : null }
  } catch (error) {
    logFailure(env, 'Cannot be healthy', error)
    return { isHealthy: false, reason: 'invalid settings or unwritable storage: see the log' }
  }
}
