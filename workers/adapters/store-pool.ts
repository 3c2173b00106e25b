/** CounterStore over a pool of objects that hold connections to Redis or memcached. */

import type { MemcacheObject } from '../../durable-objects/memcache.ts'
import type { RedisObject, StoreAnswer } from '../../durable-objects/redis.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import type { CounterStore, Hits } from '../../src/ratelimit/ports.ts'

/** Counts in Redis through one of `size` pool members, chosen by chance for every request. */
export function redisStore(namespace: DurableObjectNamespace<RedisObject>, size: number): CounterStore {
  return {
    hit: async (hits) => unwrap(() => namespace.getByName(memberName(size)).hit(hits)),
    peek: async (hits) => unwrap(() => namespace.getByName(memberName(size)).peek(hits)),
  }
}

/** Counts in memcached through one of `size` pool members, chosen by chance for every request. */
export function memcacheStore(namespace: DurableObjectNamespace<MemcacheObject>, size: number): CounterStore {
  return {
    hit: async (hits) => unwrap(() => namespace.getByName(memberName(size)).hit(hits)),
    peek: async (hits) => unwrap(() => namespace.getByName(memberName(size)).peek(hits)),
  }
}

/** Names every member of a pool, for health and gauges. */
export function memberNames(size: number): readonly string[] {
  return Array.from({ length: Math.max(1, size) }, (_, index) => `pool:${index}`)
}

function memberName(size: number): string {
  return `pool:${Math.floor(Math.random() * Math.max(1, size))}`
}

/** The store's own words become the error's message, because the reference answers with them over gRPC. */
async function unwrap(call: () => Promise<StoreAnswer>): Promise<readonly Hits[]> {
  let answer: StoreAnswer
  try {
    answer = await call()
  } catch (cause) {
    const state = cause instanceof Error ? cause.message : String(cause)
    throw new RatelimitError('counter_unavailable', `Cannot count: ${state}`, { cause })
  }
  if (answer.ok) return answer.hits
  throw new RatelimitError('counter_unavailable', answer.message)
}
