/** The decision path over HTTP: `/json` and `/healthcheck`, with the reference's answers and nothing else. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { currentFields } from '#ratelimit/answer/respond.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { unlimitedByNothing } from '#ratelimit/decision/decide.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { hasHealthyRules } from '#ratelimit/health.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { loadHint, shouldRateLimit } from '#ratelimit/service.ts'
import type { DescriptorStatus, Header } from '#ratelimit/types.ts'
import { type BodyFault, decodeBody, readBytes } from '../edge/body.ts'
import { isWithin, type WithinRequest } from '../edge/request-context.ts'
import { backEndProblem, openLeasedBackEnd } from './adapters/back-end.ts'
import { type Isolate, isolateOf } from './adapters/isolate.ts'
import { noteLocation } from './adapters/location.ts'
import { currentRules, freshRules } from './adapters/rule-book-cache.ts'
import { statSink } from './adapters/stat-sink.ts'
import { assertStorage } from './adapters/storage-probe.ts'
import { usageSink } from './adapters/usage-sink.ts'
import { identifyCaller } from './caller.ts'
import { answerFailure, logFailure, logMissingRules, logRefusal, reasonHeader, reasonValue, refuse } from './reason.ts'

/**
 * Everything that one decision needs: rules of one revision, the counters, and a place for its statistics.
 *
 * @param within - of the request, where it does not run within its context anyway.
 * @throws RatelimitError with code `invalid_settings`.
 */
export async function decisionContext(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest = isWithin,
): Promise<DecisionContext> {
  const isolate = isolateOf(env)
  const { settings } = isolate
  const { rules } = freshRules(settings) ?? (await within(() => currentRules(env, ctx, settings)))
  return contextWith(rules, isolate, env, { ctx, within })
}

/** A request that is decided, and what runs the parts of it that may write to the log. */
interface Carrier {
  readonly ctx: ExecutionContext
  readonly within: WithinRequest
}

function contextWith(
  rules: RuleBook | null,
  isolate: Isolate,
  env: RatelimitEnv,
  { ctx, within }: Carrier,
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
    nowMs: Date.now(),
  }
}

/**
 * `/json` with any method: 200 and 429 carry the decision, and as HTTP fields what LIMIT_IETF_HEADERS_ENABLED
 * and LIMIT_RETRY_AFTER_ENABLED switch on (the classic ones stay in the body, as in the reference).
 *
 * Everything that cannot be decided is 400 `Bad Request`, as in the reference; the reason is in a header, with
 * JSON_REASON_IN_BODY in the body too, and goes to the log. Beyond the reference, a caller without a token is 401 and
 * what callers may not ask for is 403.
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
    const isolate = isolateOf(env)
    const { settings } = isolate
    if (settings.LEASE_REGIONS.length > 0) noteLocation(request)
    const { bodyBytes } = settings.bounds
    const body = decodeBody(await readBytes(request, bodyBytes))
    if ('fault' in body) throw unreadable(body.fault, bodyBytes)
    const message = readRequest(body.text)
    const { rules } = freshRules(settings) ?? (await within(() => currentRules(env, ctx, settings)))
    const response = await shouldRateLimit(message, contextWith(rules, isolate, env, { ctx, within }))
    const { overallCode, statuses } = response
    return new Response(writeResponse(response), {
      status: overallCode === 'OVER_LIMIT' ? 429 : 200,
      headers: headersWith(statuses, currentFields(overallCode, statuses, settings)),
    })
  } catch (error) {
    return within(() =>
      isCallersOrStores(error) ? refuseJson(error, env, caller) : answerFailure(env, request, error),
    )
  }
}

/** The body of each status, and the other parts of its answer. */
function refuseJson(error: CallersError, env: RatelimitEnv, caller: string | null): Response {
  const { code, message } = error
  const reason = error instanceof RatelimitError && error.hint ? `${message}: ${error.hint}` : message
  if (code === 'counter_unavailable') logFailure(env, 'Cannot decide', error)
  else logRefusal(env, error, { path: '/json', caller })
  const isReasonInBody = isolateOf(env).settings.JSON_REASON_IN_BODY
  if (code === 'not_allowed') return refuse(403, 'Forbidden', reason, isReasonInBody)
  if (code !== 'unauthenticated') return refuse(400, 'Bad Request', reason, isReasonInBody)
  const response = refuse(401, message, reason)
  response.headers.set('www-authenticate', 'Bearer realm="rate limit decisions"')
  return response
}

/** Error of a body that cannot be read. */
export function unreadable(fault: BodyFault, maxBytes: number): RatelimitError {
  return fault === 'too_large'
    ? new RatelimitError(
        'request_too_large',
        `Cannot read the body: it is too long, expected at most ${maxBytes} bytes (REQUEST_MAX_BODY_BYTES)`,
      )
    : new RatelimitError('malformed_request', 'Cannot read the body: its bytes are not UTF-8')
}

/** Made once: copying finished headers costs less than reading them from an object. */
const jsonHeaders = new Headers({ 'content-type': 'application/json' })
const unmatchedHeaders = new Headers({
  'content-type': 'application/json',
  [reasonHeader]: reasonValue('no rule matches any descriptor, so nothing was counted'),
})

function headersWith(statuses: readonly DescriptorStatus[], fields: readonly Header[]): Headers {
  const isUnmatched = statuses.every((status) => status === unlimitedByNothing)
  const known = isUnmatched ? unmatchedHeaders : jsonHeaders
  if (fields.length === 0) return known
  const headers = new Headers(known)
  for (const { key, value } of fields) headers.set(key, value)
  return headers
}

/** `/healthcheck` with any method: 200 `OK`, or 500 without a body; a header gives the reason. */
export async function healthcheck(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const { isHealthy: isFit, reason } = await reportHealth(env, ctx)
  const headers: Record<string, string> = reason === null ? {} : { [reasonHeader]: reasonValue(reason) }
  return isFit ? new Response('OK', { headers }) : new Response(null, { status: 500, headers })
}

const missingRules = `no rate limit configuration loaded: ${loadHint}`

/** Health of a deployment: its ability to decide, and its problems. */
export interface HealthReport {
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
    const { settings } = isolateOf(env)
    const problem = await backEndProblem(env, settings)
    if (problem !== null) throw new Error(problem)
    if (settings.BACKEND_TYPE === 'durable-object') await assertStorage(env)
    const { rules } = await currentRules(env, ctx, settings)
    if (rules === null) logMissingRules(env, missingRules)
    return { isHealthy: hasHealthyRules(rules, settings), reason: rules === null ? missingRules : null }
  } catch (error) {
    logFailure(env, 'Cannot be healthy', error)
    return {
      isHealthy: false,
      reason: 'the settings make no sense, or nothing can be stored: the log says which',
    }
  }
}

type CallersError = RatelimitError | ProtoJsonError

/** Tells errors that the contract answers with 400 from those of the deployment or of ours. */
function isCallersOrStores(error: unknown): error is CallersError {
  if (error instanceof RatelimitError) return error.code !== 'invalid_settings'
  return error instanceof ProtoJsonError && error.code === 'malformed_json'
}
