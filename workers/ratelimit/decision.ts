/** The decision path over HTTP: `/json` and `/healthcheck`, with the reference's answers and nothing else. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { hasHealthyRules } from '#ratelimit/health.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { loadHint, shouldRateLimit } from '#ratelimit/service.ts'
import { readBytes } from '../edge/body.ts'
import { isWithin, type WithinRequest } from '../edge/request-context.ts'
import { backEndProblem, openLeasedBackEnd } from './adapters/back-end.ts'
import { type Isolate, openIsolate } from './adapters/isolate.ts'
import { noteLocation } from './adapters/location.ts'
import { loggerOf } from './adapters/logger.ts'
import { currentRules, freshRules } from './adapters/rule-book-cache.ts'
import { statSink } from './adapters/stat-sink.ts'
import { assertStorage } from './adapters/storage-probe.ts'
import { usageSink } from './adapters/usage-sink.ts'
import { identifyCaller } from './caller.ts'
import {
  answerDecision,
  decidedHeaders,
  readDecisionBody,
  reasonHeader,
  reasonValue,
  refuseDecision,
  unmatchedHeaders,
} from './json-answer.ts'
import type { PlainAnswer } from './problems.ts'
import { answerFailure, logFailure, logMissingRules } from './reason.ts'

/**
 * Everything that one decision needs: rules of one revision, the counters, and a place for its statistics.
 *
 * @param within - of the request, where it does not run within its context anyway.
 * @returns a promise only where the rules must be asked for.
 * @throws RatelimitError with code `invalid_settings`.
 */
export function decisionContext(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest = isWithin,
): Promise<DecisionContext> | DecisionContext {
  const isolate = openIsolate(env)
  const carrier = { ctx, within }
  const fresh = freshRules(isolate.settings)
  if (fresh !== undefined) return contextWith(fresh.rules, isolate, env, carrier)
  const asked = within(() => currentRules(env, ctx, isolate.settings))
  return asked.then(({ rules }) => contextWith(rules, isolate, env, carrier))
}

function contextWith(
  rules: RuleBook | null,
  isolate: Isolate,
  env: RatelimitEnv,
  { ctx, within }: { readonly ctx: ExecutionContext; readonly within: WithinRequest },
): DecisionContext {
  const { settings, overLimitCache } = isolate
  const { USAGE_ENABLED, USAGE_RECORD_REQUESTS } = settings
  const stats = statSink(env, ctx, isolate.settings, within)
  return {
    rules,
    settings,
    overLimitCache,
    counters: openLeasedBackEnd(env, isolate, ctx, stats),
    stats,
    usage: USAGE_ENABLED ? usageSink(env, ctx, USAGE_RECORD_REQUESTS, within) : undefined,
    drawId: () => crypto.randomUUID(),
    nowMs: Date.now(),
  }
}

/**
 * `/json` with any method, as `answerDecision` and `refuseDecision` say.
 *
 * Every function that waits costs about half of a microsecond, and ten of them show: what can go on without waiting
 * does.
 */
export async function decideJson(
  request: Request,
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest,
): Promise<Response> {
  let caller: string | null = null
  try {
    caller = identifyCaller(request, env, ctx)
    const { settings } = openIsolate(env)
    if (settings.LEASE_REGIONS.length > 0) noteLocation(request)
    const { bodyBytes } = settings.bounds
    const message = readDecisionBody(await readBytes(request, bodyBytes), bodyBytes)
    const context = decisionContext(env, ctx, within)
    const response = await shouldRateLimit(message, context instanceof Promise ? await context : context)
    return toResponse(answerDecision(response, settings))
  } catch (error) {
    return within(() => {
      const refused = refuseDecision(error, {
        logger: loggerOf(env),
        caller,
        isReasonInBody: () => openIsolate(env).settings.JSON_REASON_IN_BODY,
      })
      return refused === null ? answerFailure(env, request, error) : toResponse(refused)
    })
  }
}

/** Made once: copying finished headers costs less than reading them from an object. */
const finished = new Map<PlainAnswer['headers'], Headers>(
  [decidedHeaders, unmatchedHeaders].map((headers) => [headers, new Headers(headers)]),
)

function toResponse({ status, headers, body }: PlainAnswer): Response {
  return new Response(body, { status, headers: finished.get(headers) ?? headers })
}

/** `/healthcheck` with any method: 200 `OK`, or 500 without a body; a header gives the reason. */
export async function healthcheck(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const { isHealthy: isFit, reason } = await reportHealth(env, ctx)
  const headers: Record<string, string> = reason === null ? {} : { [reasonHeader]: reasonValue(reason) }
  return isFit ? new Response('OK', { headers }) : new Response(null, { status: 500, headers })
}

const missingRules = `no rate limit configuration loaded: ${loadHint}`

interface HealthReport {
  readonly isHealthy: boolean
  /** Null when nothing is amiss; never a setting's value, since strangers may read it. */
  readonly reason: string | null
}

/**
 * Tells whether this deployment can decide: its settings make sense, its objects can write and, where
 * `HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED` asks for it, there is at least one domain. Without rules every decision is
 * refused; the report and the log say so with either setting.
 */
export async function reportHealth(env: RatelimitEnv, ctx: ExecutionContext): Promise<HealthReport> {
  try {
    const { settings } = openIsolate(env)
    const problem = await backEndProblem(env, settings)
    if (problem !== null) throw new Error(problem)
    if (settings.BACKEND_TYPE === 'durable-object') await assertStorage(env)
    const { rules } = await currentRules(env, ctx, settings)
    if (rules === null) logMissingRules(env, missingRules)
    return { isHealthy: hasHealthyRules(rules, settings), reason: rules === null ? missingRules : null }
  } catch (error) {
    logFailure(env, 'Cannot be healthy', error)
    return { isHealthy: false, reason: 'the settings make no sense, or nothing can be stored: the log says which' }
  }
}
