/** Source of leases: the object that counts a key, over every back end. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { StoreAnswer } from '#objects/ratelimit/store-answer.ts'
import { stampedKey } from '#ratelimit/counter-key.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { type Draw, decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { isKey } from '#ratelimit/memcache/text.ts'
import { hashOf, objectNameOf } from '#ratelimit/placement.ts'
import type { Settings } from '#ratelimit/settings.ts'
import type { Unit } from '#ratelimit/types.ts'
import { callObject } from './counter-store.ts'
import { noteFailed } from './failed-counters.ts'
import { memberNames, memcachePoolSize } from './store-pool.ts'

/** One call of an object. */
export interface DrawCall {
  /** Of the object, as `objectOf` names it. */
  readonly object: string
  /** Names the call and its leases; random, 0 to 2^53 - 1. */
  readonly id: number
  readonly holder: number
  readonly draws: readonly WireDraw[]
}

/** The counters of a deployment, as leases are drawn from them. */
export interface LeaseSource {
  /** Names the object that is asked about a key; questions to one object travel together. */
  objectOf(key: string): string
  /** Tells whether the back end can count this key; one that it cannot is left to the plain path. */
  canCount(key: string, unit: Unit): boolean
  /** True where the plain path answers when a draw fails, as with memcached, which fails open. */
  readonly fallsBack: boolean
  /** @throws RatelimitError with code `counter_unavailable`. */
  draw(call: DrawCall): Promise<readonly Draw[]>
}

/** Makes the source of the back end in use. Stubs are made per call, as every isolate must. */
export function leaseSource(env: RatelimitEnv, settings: Settings): LeaseSource {
  const { BACKEND_TYPE: backend, placement } = settings
  if (backend === 'redis') {
    const member = (name: string) => env.REDIS.getByName(name)
    return pooledSource(settings.REDIS_POOL_SIZE, (name, call) => drawOf(member(name), call))
  }
  if (backend === 'memcache') {
    const member = (name: string) => env.MEMCACHE.getByName(name)
    return {
      ...pooledSource(memcachePoolSize, (name, call) => drawOf(member(name), call)),
      fallsBack: true,
      // Every stamp of a unit is as long as today's.
      canCount: (key, unit) => isKey(stampedKey(key, unit, Math.floor(Date.now() / 1000))),
    }
  }
  return {
    objectOf: (key) => objectNameOf(key, placement),
    canCount: () => true,
    fallsBack: false,
    async draw({ object, id, holder, draws }) {
      const call = callObject(async () => env.COUNTER.getByName(object).lease(id, holder, draws))
      return decodeDraws(await noteFailed(object, call))
    },
  }
}

/** A pool member with the method that both stores have. */
interface LeasingMember {
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<StoreAnswer<readonly number[]>>
}

function drawOf(member: LeasingMember, { id, holder, draws }: DrawCall): Promise<StoreAnswer<readonly number[]>> {
  return member.lease(id, holder, draws)
}

/** Every key has its member of the pool, which keeps its leases in mind. */
function pooledSource(
  size: number,
  ask: (name: string, call: DrawCall) => Promise<StoreAnswer<readonly number[]>>,
): LeaseSource {
  const names = memberNames(size)
  return {
    objectOf: (key) => names[hashOf(key) % names.length] ?? '',
    canCount: () => true,
    fallsBack: false,
    async draw(call) {
      const answer = await ask(call.object, call)
      if (answer.ok) return decodeDraws(answer.value)
      throw new RatelimitError('counter_unavailable', answer.message)
    },
  }
}
