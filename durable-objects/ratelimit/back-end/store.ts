/** The counters of the back end in use (`BACKEND_TYPE`). */

import { storeTimeout } from '#ratelimit/decision/store-timeout.ts'
import { memcachePoolSize } from '#ratelimit/placement.ts'
import type { CounterStore } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RatelimitEnv } from '../env.ts'
import { counterStore } from './counter-store.ts'
import type { Extension } from './deadline.ts'
import { memcacheStore, redisStore } from './store-pool.ts'

/** Makes the store of one request: Durable Objects, Redis or memcached, as `BACKEND_TYPE` says. */
export function openBackEnd(env: RatelimitEnv, settings: Settings, ctx: Extension): CounterStore {
  const { BACKEND_TYPE: backend, placement, REDIS_POOL_SIZE: size } = settings
  const timeoutMs = storeTimeout(settings)
  if (backend === 'redis') return redisStore(env.REDIS, { size, timeoutMs, ctx })
  if (backend === 'memcache') return memcacheStore(env.MEMCACHE, { size: memcachePoolSize, timeoutMs, ctx })
  return counterStore(env.COUNTER, placement, timeoutMs, ctx)
}
