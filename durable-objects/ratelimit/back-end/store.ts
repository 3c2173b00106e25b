/** The counters of the back end in use (`BACKEND_TYPE`): objects that count, or a pool of objects that ask a store. */

import { reserveOf } from '#ratelimit/algorithm/algorithm.ts'
import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { storeTimeout } from '#ratelimit/decision/store-timeout.ts'
import { RatelimitError, unavailable } from '#ratelimit/errors.ts'
import { memcachePoolSize } from '#ratelimit/placement.ts'
import type { CounterHit, CounterStore, Hits } from '#ratelimit/ports.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { RatelimitEnv } from '../env.ts'
import { requireValue, type StoreAnswer } from '../store-answer.ts'
import { counterStore } from './counter-store.ts'
import { type Extension, withDeadline } from './deadline.ts'

/** Makes the store of one request: Durable Objects, Redis or memcached, as `BACKEND_TYPE` says. */
export function openBackEnd(env: RatelimitEnv, settings: Settings, ctx: Extension): CounterStore {
  const { BACKEND_TYPE: backend, placement, REDIS_POOL_SIZE: size } = settings
  const timeoutMs = storeTimeout(settings)
  if (backend === 'redis') {
    return poolStore((name) => env.REDIS.getByName(name), { size, timeoutMs, ctx }, assertUnreserved)
  }
  if (backend === 'memcache') {
    return poolStore((name) => env.MEMCACHE.getByName(name), { size: memcachePoolSize, timeoutMs, ctx }, assertWindows)
  }
  return counterStore(env.COUNTER, placement, timeoutMs, ctx)
}

/** Pool of a deployment: the number of its objects, and the longest wait of a request for one of them. */
interface Pool {
  readonly size: number
  /** Longest wait in milliseconds; also bounds what takes several steps, such as following redirections. */
  readonly timeoutMs: number
  /** Of the request that waits; see `withDeadline`. */
  readonly ctx: Extension
}

/** The methods of a pool member that decisions call. */
interface Member {
  hit(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>>
  peek(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>>
}

/** Counts through one member of a pool, chosen by chance for every request; `assertKnown` throws for what it cannot count. */
function poolStore(
  memberAt: (name: string) => Member,
  { size, timeoutMs, ctx }: Pool,
  assertKnown: (hits: readonly CounterHit[]) => void,
): CounterStore {
  const ask = async (method: keyof Member, hits: readonly CounterHit[]) => {
    assertKnown(hits)
    const member = memberAt(`pool:${Math.floor(Math.random() * Math.max(1, size))}`)
    try {
      return requireValue(await withDeadline(member[method](hits), timeoutMs, ctx))
    } catch (error) {
      throw unavailable(error)
    }
  }
  return { hit: (hits) => ask('hit', hits), peek: (hits) => ask('peek', hits) }
}

/** Rules that were accepted for Durable Objects may ask for reservations. */
function assertUnreserved(hits: readonly CounterHit[]): void {
  const isReserved = ({ key }: CounterHit) => {
    const counter = readAlgorithmKey(key)
    return counter !== null && reserveOf(counter.algorithm) !== undefined
  }
  if (!hits.some(isReserved)) return
  const advice = 'expected BACKEND_TYPE durable-object, or rules without unsettled and concurrency'
  throw new RatelimitError('counter_unavailable', `Redis keeps no reservations, ${advice}`)
}

/** Rules that were accepted for another back end may ask for what memcached cannot do. */
function assertWindows(hits: readonly CounterHit[]): void {
  if (hits.every(({ key }) => readAlgorithmKey(key) === null)) return
  const advice = 'expected BACKEND_TYPE durable-object or redis, or rules without sluice'
  throw new RatelimitError('counter_unavailable', `memcached counts windows of a unit only, ${advice}`)
}
