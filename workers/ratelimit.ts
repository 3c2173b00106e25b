/** The rate limit service over HTTP: the decision path, and the operator plane behind a token. */

import { assertCounters } from '#objects/ratelimit/back-end/failed-counters.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { shouldRateLimitPath } from '#proto-json/index.ts'
import { frontPath } from '#ratelimit/front/messages.ts'
import { ratelimitVariables } from '#ratelimit/settings.ts'
import { hasBearer } from './edge/bearer.ts'
import { answerConsole, type SurfaceState, surfaceState } from './edge/console.ts'
import { answerFrontPage, type FrontPage } from './edge/front-page.ts'
import { nameRoute, returnNoMadeId, runInPlace } from './edge/request-context.ts'
import { answerSettingsHealth, type CheckedSurface, settingsMistakes } from './edge/settings-check.ts'
import { serveSingleSurface } from './edge/single-surface.ts'
import type { Surface } from './edge/surface.ts'
import { openIsolate } from './ratelimit/adapters/isolate.ts'
import { noteLocation } from './ratelimit/adapters/location.ts'
import { decideJson } from './ratelimit/decision.ts'
import { openFront } from './ratelimit/front.ts'
import { answerGrpc, grpcServices, isGrpcPath } from './ratelimit/grpc.ts'
import { healthcheck, reportHealth } from './ratelimit/health.ts'
import { answerLimiter, isLimiterPath, limiterPaths, limiterRoute } from './ratelimit/limiter/http.ts'
import { operationsAt, operatorRoots } from './ratelimit/operate.ts'
import { metricsText } from './ratelimit/operator.ts'
import { answerOperator, isOpen, operatorPath } from './ratelimit/operator-plane.ts'
import { operatorPrefix, pathOf } from './ratelimit/path.ts'
import { plainError } from './ratelimit/plain-answer.ts'
import { answerQuota, isQuotaPath, quotaService } from './ratelimit/quota.ts'
import { answerFailure } from './ratelimit/reason.ts'

export { CounterObject } from '#objects/ratelimit/counter.ts'
export { FrontObject } from '#objects/ratelimit/front.ts'
export { MemcacheObject } from '#objects/ratelimit/memcache.ts'
export { QuotaObject } from '#objects/ratelimit/quota.ts'
export { RedisObject } from '#objects/ratelimit/redis.ts'
export { RegionObject } from '#objects/ratelimit/region.ts'
export { RuleBookObject } from '#objects/ratelimit/rule-book.ts'
export { StatsObject } from '#objects/ratelimit/stats.ts'
export { RateLimiter } from './ratelimit/rate-limiter.ts'

/**
 * Answers one request.
 *
 * The decision path is recognised by comparing a few strings; only what is left goes through the router, because a
 * decision costs so little that a router would be seen in it.
 */
async function fetch(request: Request, env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const path = pathOf(request.url)
  try {
    const isDecision = path === '/json' || path === shouldRateLimitPath || isLimiterPath(path)
    nameRoute(isDecision ? limiterRoute(path) : 'other')
    if (isDecision) returnNoMadeId()
    if (path === '/json') return await decideJson(request, env, ctx, runInPlace)
    if (path === '/healthcheck') return await answerHealth(env, ctx)
    if (isLimiterPath(path)) return await answerLimiter(request, path, env, ctx)
    if (path === frontPath) return await openFront(request, env)
    if (isQuotaPath(path)) return await answerQuota(request, path, env, ctx)
    if (isGrpcPath(path)) {
      noteLocation(request)
      return await answerGrpc(request, path, env, ctx)
    }
    const page = await answerConsole(request, env, async () => [await describeRatelimit(env, ctx)])
    if (page !== null) return page
    if (path === '/' && isVisit(request)) return answerFrontPage(request, frontPage)
    return await answerOperator({ request, url: new URL(request.url), env, ctx })
  } catch (error) {
    return answerFailure(env, request, error)
  }
}

const frontPage: FrontPage = {
  name: 'Sluice rate limit service',
  about: 'Decides whether a request may pass, for Envoy and for anything that can send JSON to /json.',
  links: [
    { path: '/healthcheck', about: 'whether it can decide' },
    { path: '/openapi.json', about: 'the interface in OpenAPI 3.1' },
    { path: '/ratelimit', about: 'the operator plane, with a token' },
  ],
}

/** A look at the root without any token; with one it is the list of the operator plane. */
function isVisit({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !headers.get('authorization')
}

/** Settings of this surface that the health of a deployment checks. */
export const ratelimitSettings: CheckedSurface<RatelimitEnv> = { variables: ratelimitVariables, read: openIsolate }

/** Describes this surface for the console. */
export async function describeRatelimit(env: RatelimitEnv, ctx: ExecutionContext): Promise<SurfaceState> {
  const state = surfaceState('ratelimit', ratelimitSettings, env)
  return state.isHealthy ? { name: 'ratelimit', ...(await reportHealth(env, ctx)) } : state
}

/** The rate limit service as a surface of a deployment. */
export const ratelimitSurface: Surface<RatelimitEnv> = {
  name: 'ratelimit',
  // Of the operator plane those that say whose they are; all are below the prefix.
  paths: [
    ...['/json', ...limiterPaths, '/healthcheck', frontPath, operatorPrefix, quotaService, ...grpcServices],
    ...[...operatorRoots].filter((root) => root !== '/openapi.json' && root !== '/v1'),
  ],
  fetch,
  fetchFrequent: (request, env, ctx, within) =>
    pathOf(request.url) === '/json' ? decideJson(request, env, ctx, within) : undefined,
  settings: ratelimitSettings,
  checks: {
    async ratelimit(env, ctx) {
      const { isHealthy, reason } = await reportHealth(env, ctx)
      // Without rules the service is healthy, as the reference is, and refuses every decision.
      if (!isHealthy || reason !== null) throw new Error(reason ?? 'the service cannot decide')
      await assertCounters(env)
    },
  },
  metrics: metricsText,
  gate: {
    operationOf(request, path) {
      const own = isLimiterPath(path) ? null : operatorPath(path, '/metrics')
      if (own === null || isOpen(operationsAt(own)) || (path === '/' && isVisit(request))) return null
      return request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write'
    },
    // Rules of the gate that refuse everything are mended with this token.
    isOperator: (request, env) => hasBearer(request, env.ADMIN_TOKEN),
    refuse: (message, seconds) => plainError(429, message, { 'retry-after': String(seconds) }),
  },
}

export default {
  fetch: (request, env, ctx) =>
    serveSingleSurface({ surface: ratelimitSurface, limiter: (asked) => fetch(asked, env, ctx) }, request, env, ctx),
} satisfies ExportedHandler<RatelimitEnv>

async function answerHealth(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const mistakes = settingsMistakes(env, [ratelimitSettings])
  return mistakes.length > 0 ? answerSettingsHealth(mistakes) : healthcheck(env, ctx)
}
