/** `/healthz` and `/readyz`: whether the Worker runs, and whether every part of what is deployed can answer. */

import { createLineBudget } from '#base/line-budget.ts'
import { version } from '#base/version.ts'
import { inTime } from '#objects/base/in-time.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import { requestFields } from './request-context.ts'
import { settingsMistakes } from './settings-check.ts'
import type { Check, Surface } from './surface.ts'

/** Time for which a result is kept, in milliseconds: anyone may ask, and a check is a call to an object. */
const heldMs = 5_000
/** Longest time for one check, in milliseconds. */
const answerWithinMs = 3_000

/** Readiness of each part, by name. */
type Readiness = Readonly<Record<string, boolean>>

const outcomes = new WeakMap<object, { readonly atMs: number; readonly parts: Readiness }>()
const failures = createLineBudget(20, 60_000)

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Checks that a path is one of the two. */
export function isHealthPath(path: string): boolean {
  return path === '/healthz' || path === '/readyz'
}

/**
 * Answers the two routes.
 *
 * `/healthz` touches nothing: 200 says that the script runs. `/readyz` checks settings and every part, at most once in
 * five seconds for each isolate: 200, or 503 with the parts that are not ready. Reasons go to the log only.
 */
export async function answerHealthRoutes<Env extends object>(
  path: string,
  surfaces: readonly Surface<Env>[],
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  if (path === '/healthz') {
    const body = { status: 'ok', version, surfaces: surfaces.map(({ name }) => name) }
    return Response.json(body, { headers })
  }
  const parts = await checkReadiness(surfaces, env, ctx)
  const isReady = Object.values(parts).every((part) => part)
  return Response.json(
    { status: isReady ? 'ready' : 'not_ready', version, parts },
    { status: isReady ? 200 : 503, headers },
  )
}

async function checkReadiness<Env extends object>(
  surfaces: readonly Surface<Env>[],
  env: Env,
  ctx: ExecutionContext,
): Promise<Readiness> {
  const known = outcomes.get(env)
  const nowMs = Date.now()
  if (known !== undefined && nowMs - known.atMs >= 0 && nowMs - known.atMs < heldMs) return known.parts
  const mistakes = settingsMistakes(
    env,
    surfaces.map(({ settings }) => settings),
  )
  const checks = surfaces.flatMap(({ checks }) => Object.entries(checks))
  const outcome = await Promise.all(
    checks.map(async ([name, check]) => [name, await passes(name, check, env, ctx)] as const),
  )
  const parts = { settings: mistakes.length === 0, ...Object.fromEntries(outcome) }
  outcomes.set(env, { atMs: nowMs, parts })
  return parts
}

async function passes<Env extends object>(
  name: string,
  check: Check<Env>,
  env: Env,
  ctx: ExecutionContext,
): Promise<boolean> {
  try {
    await inTime(check(env, ctx), answerWithinMs)
    return true
  } catch (error) {
    if (failures.take(Date.now()) !== null) loggerOfEnvironment(env, requestFields).error(`Not ready: ${name}`, error)
    return false
  }
}
