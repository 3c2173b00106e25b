/** The operator plane's pages and tools besides the configuration: rules, statistics, counters. */

import type { CounterObject } from '../../durable-objects/counter.ts'
import type { RatelimitEnv } from '../../durable-objects/env.ts'
import { readRequest } from '../../proto-json/json.ts'
import { dumpRules } from '../../src/ratelimit/config/dump.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import { explain } from '../../src/ratelimit/explain.ts'
import { prometheusText } from '../../src/ratelimit/prometheus.ts'
import { overLimitSums, type StatSum, statsText } from '../../src/ratelimit/stats.ts'
import type { RateLimitRequest } from '../../src/ratelimit/types.ts'
import { backEndStats } from '../adapters/back-end.ts'
import { objectNameOf } from '../adapters/counter-store.ts'
import { isolateOf } from '../adapters/isolate.ts'
import { currentRules } from '../adapters/rule-book-cache.ts'
import { readStats } from '../adapters/stat-sink.ts'
import { type Call, textOf } from './configuration.ts'
import { statOptions, worldOf } from './decision.ts'

/** What the operator plane offers, one `path: help` per line and sorted, as the reference's debug port lists it. */
export const listing = [
  '/config: revisions of the configuration and the last refused change',
  '/config/check: compile and compare a set of files, changing nothing (POST)',
  '/config/files: the files of the running revision (GET), or replace them all (PUT)',
  '/config/files/{key}: one file (GET, PUT, DELETE)',
  '/config/revisions/{revision}: the files of a kept revision',
  '/config/rollback: make a new revision of a kept one (POST)',
  '/counters: read (GET), forget (DELETE) or block (PUT) the counter of a key',
  '/debug/pprof/: not offered; the platform profiles Workers by its own tools',
  '/explain: how a request would be decided and why, counting nothing (POST)',
  '/metrics: statistics in the Prometheus text format',
  '/rlconfig: print out the currently loaded configuration for debugging',
  '/stats: print out stats',
].sort()

/** `/`: the list of paths. */
export function showListing(): Response {
  return text(listing.map((line) => `${line}\n`).join(''))
}

/** `/rlconfig`: one line for every rule that has a limit; empty without configuration. */
export async function showRules({ env, ctx }: Call): Promise<Response> {
  const { rules } = await currentRules(env, ctx, isolateOf(env).settings)
  return text(rules === null ? '' : dumpRules(rules))
}

/** `/stats`: every statistic as `name: value`, sorted; sums of all isolates, and this isolate's gauges. */
export async function showStats({ env }: Call): Promise<Response> {
  return text(statsText(await allSums(env), isolateOf(env).settings.values.EXTRA_TAGS))
}

/** `/metrics`: the same in the Prometheus text format. */
export async function showMetrics({ env }: Call): Promise<Response> {
  const body = prometheusText(await allSums(env), isolateOf(env).settings.values.EXTRA_TAGS)
  return new Response(body, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
}

async function allSums(env: RatelimitEnv): Promise<readonly StatSum[]> {
  const isolate = isolateOf(env)
  const { settings, overLimitCache } = isolate
  const sums = await Promise.all([readStats(env, statOptions(isolate)), backEndStats(env, settings)])
  return [...sums.flat(), ...(overLimitCache === null ? [] : overLimitSums(overLimitCache.gauges()))]
}

/** `POST /explain`: for a request as `/json` takes it, every rule tried, every counter, and the answer; counts nothing. */
export async function explainRequest({ request, env, ctx }: Call): Promise<Response> {
  const world = await worldOf(env, ctx)
  const message = parseRequest(await textOf(request, world.settings.bounds.bodyBytes))
  const explanation = await explain(message, world)
  // Addends have 64 bits, which JSON numbers have not: they become text, as in proto3 JSON.
  const body = JSON.stringify(explanation, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function parseRequest(body: string): RateLimitRequest {
  try {
    return readRequest(body)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : 'Cannot read JSON'
    throw new RatelimitError('malformed_request', message, { cause })
  }
}

/** `GET /counters?key=K`: the open windows of a key and whether it is blocked. */
export async function readCounter(call: Call): Promise<Response> {
  const { key, counter } = counterOf(call)
  return Response.json({ key, ...(await counter.read(key)) })
}

/** `DELETE /counters?key=K`: forgets the counters and the block of a key; answers what was there. */
export async function resetCounter(call: Call): Promise<Response> {
  const { key, counter } = counterOf(call)
  const before = await counter.reset(key)
  audit(call, 'reset', key)
  return Response.json({ key, forgotten: before })
}

/** `PUT /counters?key=K&seconds=N`: refuses every hit of a key for so long; 0 lifts the block. */
export async function blockCounter(call: Call): Promise<Response> {
  const { key, counter } = counterOf(call)
  const seconds = Number(call.url.searchParams.get('seconds') ?? Number.NaN)
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > maxBlockSeconds) {
    throw new RatelimitError(
      'malformed_request',
      `Cannot block: seconds is "${call.url.searchParams.get('seconds') ?? ''}", expected 0 to ${maxBlockSeconds}`,
    )
  }
  const reading = await counter.block(key, Math.floor(Date.now() / 1000) + seconds)
  audit(call, `block for ${seconds} s`, key)
  return Response.json({ key, ...reading })
}

/** A year: a longer block is a rule. */
const maxBlockSeconds = 31_536_000

function counterOf({ env, url }: Call): { key: string; counter: DurableObjectStub<CounterObject> } {
  const key = url.searchParams.get('key') ?? ''
  if (key === '') {
    throw new RatelimitError(
      'malformed_request',
      'Cannot find a counter: key is missing, expected ?key=PREFIX_DOMAIN_KEY_VALUE_ as /stats and dumps write it',
    )
  }
  const { placement } = isolateOf(env).settings
  return { key, counter: env.COUNTER.getByName(objectNameOf(key, placement)) }
}

/** One line in the log for every change that an operator makes to a counter. */
function audit({ request }: Call, action: string, key: string): void {
  console.log(JSON.stringify({ audit: action, key, who: request.headers.get('from') ?? 'operator' }))
}

function text(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
