/** The rate limit service without HTTP, its world in memory and its clock settable: a target for the cases. */

import { mistakeText } from '#ratelimit/config/compile.ts'
import { dumpRules } from '#ratelimit/config/dump.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { hasHealthyRules } from '#ratelimit/health.ts'
import { createOverLimitCache } from '#ratelimit/over-limit-cache.ts'
import type { CounterStore } from '#ratelimit/ports.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { serviceStats } from '#ratelimit/statistics/names.ts'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { checkRules } from './compile-rules.ts'
import { createMemoryCounterStore, type LiveCounter } from './memory-counter-store.ts'
import { createStatTable } from './memory-stats.ts'
import type { CaseReply, CaseStart, StartedCase } from './ratelimit-cases.ts'

/** Codec of requests and answers. */
export interface BodyCodec {
  readonly readRequest: (text: string) => RateLimitRequest
  readonly writeResponse: (response: RateLimitResponse) => string
}

const badRequest = 'Bad Request\n'

/** A store that a case can look into and make fail. */
export interface CaseStore extends CounterStore {
  fail(message: string | null): void
  dump(): readonly LiveCounter[] | Promise<readonly LiveCounter[]>
}

/** Opens the store of a case; `now` is the case's clock in whole seconds. */
export type OpenStore = (settings: Settings, now: () => number) => CaseStore

/** Counts in memory, in the manner of the back end that the case asks for. */
const openMemory: OpenStore = (settings, now) =>
  createMemoryCounterStore({
    now,
    flavour: settings.BACKEND_TYPE === 'memcache' ? 'memcached' : 'redis',
    jitterSeconds: settings.EXPIRATION_JITTER_MAX_SECONDS,
    random: () => 0.5,
  })

/** Starts the service as a case says, with `codec` at its edge and its counters in memory or in a given store. */
export async function startService(
  begin: CaseStart,
  codec: BodyCodec,
  openStore: OpenStore = openMemory,
): Promise<StartedCase> {
  // Cases speak of Redis by default; counting itself needs no address, so the default back end is used.
  const environment = (env: Readonly<Record<string, string>>) =>
    env.BACKEND_TYPE === 'memcache' ? { MEMCACHE_HOST_PORT: 'memory:11211', ...env } : env
  let settings = readSettings(environment(begin.env))
  let clock = begin.clock ?? Math.floor(Date.now() / 1000)
  let rules: RuleBook | null = null
  const store = openStore(settings, () => clock)
  const table = createStatTable(settings.STATS_MAX_NAMES)
  const cache = settings.LOCAL_CACHE_SIZE_IN_BYTES > 0 ? createOverLimitCache(settings.LOCAL_CACHE_SIZE_IN_BYTES) : null

  function load(configYaml: readonly string[]): string | null {
    const files = configYaml.map((text, index) => ({ key: `config.file${index}.yaml`, text }))
    const compiled = checkRules(files, { mergeDomains: settings.MERGE_DOMAIN_CONFIG })
    const [mistake] = compiled.mistakes
    const name = mistake === undefined ? serviceStats.configLoadSuccess : serviceStats.configLoadError
    table.add([{ name, delta: 1 }])
    if (mistake !== undefined) return mistakeText(mistake)
    rules = compiled.rules
    return null
  }

  async function request(body: string): Promise<CaseReply> {
    let message: RateLimitRequest
    try {
      message = codec.readRequest(body)
    } catch {
      return { status: 400, body: badRequest }
    }
    const world: DecisionContext = {
      rules,
      settings,
      counters: store,
      overLimitCache: cache,
      drawId: () => 'id',
      stats: { record: (deltas) => table.add(deltas) },
      nowMs: clock * 1000,
    }
    try {
      const response = await shouldRateLimit(message, world)
      const status = response.overallCode === 'OK' ? 200 : 429
      return { status, body: codec.writeResponse(response), grpc: { status: 0 } }
    } catch (error) {
      if (!(error instanceof RatelimitError)) throw error
      const grpc = { status: error.code === 'invalid_override' ? 3 : 2, message: error.message }
      return { status: 400, body: badRequest, grpc }
    }
  }

  return {
    loadError: load(begin.configYaml),
    target: {
      request,
      setClock: (unix) => {
        clock = unix
      },
      reload: async (configYaml, env) => {
        if (env !== undefined) settings = readSettings(environment({ ...begin.env, ...env }))
        return load(configYaml)
      },
      failStore: (message) => store.fail(message === '' ? null : message),
      stats: async () => Object.fromEntries(table.list().map(({ name, value }) => [name, value])),
      counters: async () => ({
        store: Object.fromEntries((await store.dump()).map(({ key, value, ttl }) => [key, { value, ttl }])),
        // The second store of REDIS_PERSECOND holds the limits of unit second and no other.
        perSecondKeys: (await store.dump())
          .filter(({ unit }) => unit === 'SECOND' && settings.REDIS_PERSECOND)
          .map(({ key }) => key),
      }),
      rlconfig: async () => (rules === null ? '' : dumpRules(rules)),
      healthcheck: async () =>
        hasHealthyRules(rules, settings) ? { status: 200, body: 'OK' } : { status: 500, body: '' },
    },
  }
}
