/** The operator plane's pages besides the configuration and the counters: rules, statistics, explanations. */

import { messageOf } from '#base/errors.ts'
import { stringifyWide } from '#base/json.ts'
import { metricsType } from '#base/prometheus.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { readRequest } from '#proto-json/json.ts'
import { dumpRules } from '#ratelimit/config/dump.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { explain } from '#ratelimit/explain.ts'
import { prometheusText } from '#ratelimit/statistics/prometheus.ts'
import { overLimitSums, type StatSum, statsText } from '#ratelimit/statistics/sum.ts'
import type { RateLimitRequest } from '#ratelimit/types.ts'
import { backEndStats } from './adapters/back-end.ts'
import { openIsolate } from './adapters/isolate.ts'
import { currentRules } from './adapters/rule-book-cache.ts'
import { readStats } from './adapters/stat-sink.ts'
import { readBody } from './bodies.ts'
import type { Call } from './call.ts'
import { decisionContext } from './decision-context.ts'
import { plainError } from './plain-answer.ts'

/** Listing of the operator plane: `path: help`, a line each and sorted, as the reference's debug port has it. */
export const listing = [
  '/config: revisions of the configuration and the last refused change',
  '/config/check: compile and compare a set of files, changing nothing (POST)',
  '/config/files: the files of the running revision (GET), or replace them all (PUT)',
  '/config/files/{key}: one file (GET, PUT, DELETE)',
  '/config/revisions/{revision}: the files of a kept revision',
  '/config/rollback: make a new revision of a kept one (POST)',
  '/counters: read (GET), forget (DELETE) or block (PUT) the counter of a key or a descriptor',
  '/debug/pprof/: profiles of the runtime, with npm start',
  '/explain: how a request would be decided and why, counting nothing (POST)',
  '/metrics: statistics in the Prometheus text format',
  '/openapi.json: this interface in OpenAPI 3.1, without a token',
  '/rlconfig: print out the currently loaded configuration for debugging',
  '/stats: print out stats',
  '/v1/events: decisions as they happen, as Server-Sent Events',
  '/v1/events/ticket: a ticket that opens the event stream once (POST)',
  '/v1/lists: the allow and deny lists (GET), or add to them and take from them (PUT)',
  '/v1/top: the keys with the most decisions and the most refusals',
  '/v1/usage: what was decided over time, by domain and rule',
  '/v1/what-if: what these rules would have decided about sampled requests (POST)',
].sort()

/** `/`: the list of paths. */
export function showListing(): Response {
  return text(listing.map((line) => `${line}\n`).join(''))
}

/** `/debug/pprof/`: profiles of the runtime from the process that hosts it; a deployment has none. */
export async function profile({ env, url }: Call): Promise<Response> {
  if (env.PROFILER !== undefined) {
    const path = url.pathname.slice(url.pathname.indexOf('/debug/pprof'))
    return env.PROFILER.fetch(`http://profiler${path}${url.search}`)
  }
  return plainError(
    501,
    'There are no profiles here: a Worker cannot profile itself. In a deployment the dashboard of the platform and "wrangler dev" have a profiler; /stats and /metrics count what the service does',
  )
}

/** `/rlconfig`: one line for every rule that has a limit; empty without configuration. */
export async function showRules({ env, ctx }: Call): Promise<Response> {
  const { rules } = await currentRules(env, ctx, openIsolate(env).settings)
  return text(rules === null ? '' : dumpRules(rules))
}

/** `/stats`: every statistic as `name: value`, sorted; sums of all isolates, and this isolate's gauges. */
export async function showStats({ env }: Call): Promise<Response> {
  return text(statsText(await allSums(env), openIsolate(env).settings.EXTRA_TAGS))
}

/** Every statistic in the Prometheus text format. */
export async function metricsText(env: RatelimitEnv): Promise<string> {
  const { EXTRA_TAGS: tags, PROMETHEUS_RESPONSE_TIME_AS_MILLISECONDS: hasMilliseconds } = openIsolate(env).settings
  return prometheusText(await allSums(env), tags, { hasMilliseconds })
}

/** `/metrics`: the same in the Prometheus text format. */
export async function showMetrics({ env }: Call): Promise<Response> {
  const body = await metricsText(env)
  return new Response(body, { headers: { 'content-type': metricsType } })
}

async function allSums(env: RatelimitEnv): Promise<readonly StatSum[]> {
  const { settings, overLimitCache } = openIsolate(env)
  const sums = await Promise.all([readStats(env, settings), backEndStats(env, settings)])
  return [...sums.flat(), ...(overLimitCache === null ? [] : overLimitSums(overLimitCache.gauges()))]
}

/** `POST /explain`: for a request as `/json` takes it, every rule tried, every counter, and the answer; counts nothing. */
export async function explainRequest({ request, env, ctx }: Call): Promise<Response> {
  const context = await decisionContext(env, ctx)
  const message = parseRequest(await readBody(request, context.settings.REQUEST_MAX_BODY_BYTES))
  const body = stringifyWide(await explain(message, context))
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function parseRequest(body: string): RateLimitRequest {
  try {
    return readRequest(body)
  } catch (cause) {
    throw new RatelimitError('malformed_request', messageOf(cause), { cause })
  }
}

function text(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
