/** A surface that is deployed without the others: health, metrics and the gate around it. */

import { isOperatorAllowed } from '#edge/operator-tokens.ts'
import { hasBearer } from './bearer.ts'
import { answerDeploymentMetrics } from './deployment-metrics.ts'
import type { Limiter } from './gate.ts'
import { answerHealthRoutes, isHealthPath } from './health.ts'
import { isReading } from './is-reading.ts'
import { operationsOf } from './operations-isolate.ts'
import { identify } from './operator.ts'
import { type GuardedSurface, serveSurface } from './serve.ts'

/** The rate limit service behind a service binding; undefined without one. */
export function boundLimiter(binding: Fetcher | undefined): Limiter | undefined {
  return binding && ((request) => binding.fetch(request))
}

/** Addresses that may be of a path which every Worker answers itself. */
const commonPaths = /\/(?:healthz|readyz|metrics)(?:[?#]|$)/

/** Answers a request to a Worker of one surface; the gate asks the limiter, where it is deployed. */
export function serveSingleSurface<Env extends object>(
  guarded: GuardedSurface<Env>,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  // Taking an address apart costs more than finding that a decision is none of these.
  const serve = commonPaths.test(request.url) ? serveCommon : serveSurface
  return serve(guarded, request, env, ctx)
}

async function serveCommon<Env extends object>(
  guarded: GuardedSurface<Env>,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const { surface } = guarded
  const { pathname } = new URL(request.url)
  if (isHealthPath(pathname)) return answerHealthRoutes(pathname, [surface], env, ctx)
  if (pathname === '/metrics' && (await mayReadMetrics(request, env))) {
    return answerDeploymentMetrics([surface], env)
  }
  return serveSurface(guarded, request, env, ctx)
}

/** Checks that a request may read all metrics: by `ADMIN_TOKEN`, or the scope `metrics` in SLUICE_TOKENS. */
export async function mayReadMetrics(
  request: Request,
  env: object & { readonly ADMIN_TOKEN?: string },
): Promise<boolean> {
  if (!isReading(request)) return false
  if (hasBearer(request, env.ADMIN_TOKEN)) return true
  const { operatorTokens } = operationsOf(env)
  if (operatorTokens.length === 0) return false
  const scopes = (await identify(request, operatorTokens))?.owner?.scopes ?? []
  return isOperatorAllowed(scopes, 'metrics', { isReading: true })
}
