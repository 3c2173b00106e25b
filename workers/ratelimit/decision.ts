/** The decision path over HTTP: `/json` and `/healthcheck`, with the reference's answers and nothing else. */

import type { RatelimitEnv } from '../../durable-objects/env.ts'
import { readRequest, writeResponse } from '../../proto-json/json.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import { currentFields } from '../../src/ratelimit/respond.ts'
import { shouldRateLimit, type World } from '../../src/ratelimit/service.ts'
import type { Header } from '../../src/ratelimit/types.ts'
import { backEndOf, backEndProblem } from '../adapters/back-end.ts'
import { type Isolate, isolateOf } from '../adapters/isolate.ts'
import { loggerOf } from '../adapters/logger.ts'
import { currentRules } from '../adapters/rule-book-cache.ts'
import { type StatOptions, statSink } from '../adapters/stat-sink.ts'
import { assertStorage } from '../adapters/storage-probe.ts'
import { readText } from '../http/body.ts'
import { plainError } from '../http/problems.ts'

/** Objects that statistics are spread over; one is enough until some thousand isolates report. */
export const statShards = 1

/** What the settings say about statistics. */
export function statOptions({ settings }: Isolate): StatOptions {
  return { isDisabled: settings.values.DISABLE_STATS, shards: statShards, maxNames: settings.statNames }
}

/**
 * Everything that one decision needs: rules of one revision, the counters, and a place for its statistics.
 *
 * @throws RatelimitError with code `invalid_settings`.
 */
export async function worldOf(env: RatelimitEnv, ctx: ExecutionContext): Promise<World> {
  const isolate = isolateOf(env)
  const { settings, overLimitCache } = isolate
  const { rules } = await currentRules(env, ctx, settings)
  return {
    rules,
    settings,
    overLimitCache,
    counters: backEndOf(env, settings, ctx),
    stats: statSink(env, ctx, statOptions(isolate)),
    nowMs: Date.now(),
  }
}

/**
 * `/json`, whatever the method: 200 and 429 carry the decision, and as HTTP fields what LIMIT_IETF_HEADERS_ENABLED
 * and LIMIT_RETRY_AFTER_ENABLED switch on (the classic ones stay in the body, as in the reference); everything that cannot be decided is 400
 * `Bad Request`, as in the reference, and the reason goes to the log.
 */
export async function decideJson(
  request: Request,
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  try {
    const { settings } = isolateOf(env)
    const body = await readText(request, settings.bounds.bodyBytes)
    if ('fault' in body) return plainError(400, 'Bad Request')
    const message = readRequest(body.text)
    const response = await shouldRateLimit(message, await worldOf(env, ctx))
    const { overallCode, statuses } = response
    return new Response(writeResponse(response), {
      status: overallCode === 'OVER_LIMIT' ? 429 : 200,
      headers: headersWith(currentFields(overallCode, statuses, settings)),
    })
  } catch (error) {
    if (!isCallersOrStores(error)) throw error
    if (error.code === 'counter_unavailable') loggerOf(env).error('Cannot decide', error)
    return plainError(400, 'Bad Request')
  }
}

/** Made once: copying finished headers costs less than reading them from an object. */
const jsonHeaders = new Headers({ 'content-type': 'application/json' })

function headersWith(fields: readonly Header[]): Headers {
  if (fields.length === 0) return jsonHeaders
  const headers = new Headers(jsonHeaders)
  for (const { key, value } of fields) headers.set(key, value)
  return headers
}

/** `/healthcheck`, whatever the method: 200 `OK`, or 500 with nothing. */
export async function healthcheck(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  return (await isHealthy(env, ctx)) ? new Response('OK') : new Response(null, { status: 500 })
}

/**
 * Tells whether this deployment can decide: its settings make sense, its objects can write and, where
 * `HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED` asks for it, there is at least one domain.
 */
export async function isHealthy(env: RatelimitEnv, ctx: ExecutionContext): Promise<boolean> {
  try {
    const { settings } = isolateOf(env)
    const problem = await backEndProblem(env, settings)
    if (problem !== null) throw new Error(problem)
    if (settings.backend === 'durable-object') await assertStorage(env)
    if (!settings.healthyWithAtLeastOneConfig) return true
    const { rules } = await currentRules(env, ctx, settings)
    return rules !== null && rules.domains.size > 0
  } catch (error) {
    loggerOf(env).error('Cannot be healthy', error)
    return false
  }
}

/** Tells errors that the contract answers with 400 from those of the deployment or of ours. */
function isCallersOrStores(error: unknown): error is RatelimitError | (Error & { code: string }) {
  if (error instanceof RatelimitError) return error.code !== 'invalid_settings'
  return error instanceof Error && 'code' in error && error.code === 'malformed_json'
}
