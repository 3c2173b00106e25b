/** The back end of a deployment (`BACKEND_TYPE`): its store, what is wrong with it, and its statistics. */

import { messageOf } from '#base/errors.ts'
import { type Extension, withDeadline } from '#objects/ratelimit/back-end/deadline.ts'
import { openBackEnd } from '#objects/ratelimit/back-end/store.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { PoolConnections } from '#objects/ratelimit/redis.ts'
import { storeTimeout } from '#ratelimit/decision/store-timeout.ts'
import { leaseStore } from '#ratelimit/lease/store.ts'
import { memberNames, memcachePoolSize } from '#ratelimit/placement.ts'
import type { CounterStore, StatSink } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { StatSum } from '#ratelimit/statistics/sum.ts'
import type { Isolate } from './isolate.ts'

/** Makes the store of one request as `openBackEnd` does, behind this isolate's leases where `LEASES` has any. */
export function openLeasedBackEnd(
  env: RatelimitEnv,
  { settings, leases }: Pick<Isolate, 'settings' | 'leases'>,
  ctx: Extension,
  stats: StatSink,
): CounterStore {
  const store = openBackEnd(env, settings, ctx)
  if (leases === null) return store
  const timeoutMs = storeTimeout(settings)
  return leaseStore(store, leases, {
    now: Date.now,
    later: (work) => ctx.waitUntil(work),
    within: (call) => withDeadline(call, timeoutMs, ctx),
    stats,
  })
}

/**
 * Says what is wrong with the back end; null when it can count.
 *
 * Durable Objects always can, in the jurisdictions that the platform has. Redis must answer a PING, one memcached server
 * `version`. With `REDIS_HEALTH_CHECK_ACTIVE_CONNECTION` every pool member is asked, else one for all.
 */
export async function backEndProblem(env: RatelimitEnv, settings: Settings): Promise<string | null> {
  const { BACKEND_TYPE: backend, REDIS_HEALTH_CHECK_ACTIVE_CONNECTION: asksAll, REDIS_POOL_SIZE } = settings
  const timeoutMs = storeTimeout(settings)
  if (backend === 'memcache') return withDeadline(env.MEMCACHE.getByName(memberNames(1)[0] ?? '').problem(), timeoutMs)
  if (backend !== 'redis') return jurisdictionProblem(env, settings)
  const asked = memberNames(asksAll ? REDIS_POOL_SIZE : 1)
  const answers = asked.map((name) => env.REDIS.getByName(name).problem())
  const problems = await withDeadline(Promise.all(answers), timeoutMs)
  return problems.find((problem) => problem !== null) ?? null
}

/** Jurisdictions are the platform's: workerd on one machine has none. */
function jurisdictionProblem({ COUNTER }: RatelimitEnv, { placement: { places = [] } }: Settings): string | null {
  try {
    for (const { place } of places) if (place.jurisdiction !== null) COUNTER.jurisdiction(place.jurisdiction)
    return null
  } catch (error) {
    return `Cannot place counters: ${messageOf(error)} (COUNTER_PLACES)`
  }
}

/** The statistics of the back end's connections, added up over the pool; none for Durable Objects. */
export async function backEndStats(
  env: RatelimitEnv,
  { BACKEND_TYPE: backend, REDIS_POOL_SIZE }: Settings,
): Promise<readonly StatSum[]> {
  if (backend === 'memcache') {
    const names = memberNames(memcachePoolSize)
    return addUp((await Promise.all(names.map((name) => env.MEMCACHE.getByName(name).stats()))).flat())
  }
  if (backend !== 'redis') return []
  const names = memberNames(REDIS_POOL_SIZE)
  const states = await Promise.all(names.map((name) => env.REDIS.getByName(name).connections()))
  return addUp(
    states.flatMap(({ pool, perSecondPool }) => [
      ...poolStats('redis_pool', pool),
      ...(perSecondPool === null ? [] : poolStats('redis_per_second_pool', perSecondPool)),
    ]),
  )
}

function poolStats(pool: string, { active, total }: PoolConnections): readonly StatSum[] {
  return [
    { name: `ratelimit.${pool}.cx_active`, value: active },
    { name: `ratelimit.${pool}.cx_total`, value: total },
  ]
}

function addUp(sums: readonly StatSum[]): readonly StatSum[] {
  const values = new Map<string, number>()
  for (const { name, value } of sums) values.set(name, (values.get(name) ?? 0) + value)
  return [...values].map(([name, value]) => ({ name, value }))
}
