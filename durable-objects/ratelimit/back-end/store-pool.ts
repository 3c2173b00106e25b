/** CounterStore over a pool of objects that hold connections to Redis or memcached. */

import { messageOf } from '#base/errors.ts'
import { readAlgorithmKey, reserveOf } from '#ratelimit/algorithm/algorithm.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { CounterHit, CounterStore, Hits } from '#ratelimit/ports.ts'
import type { MemcacheObject } from '../memcache.ts'
import type { RedisObject } from '../redis.ts'
import type { StoreAnswer } from '../store-answer.ts'
import { type Extension, withDeadline } from './deadline.ts'

/** Pool of a deployment: the number of its objects, and the longest wait of a request for one of them. */
export interface Pool {
  readonly size: number
  /** Longest wait in milliseconds; also bounds what takes several steps, such as following redirections. */
  readonly timeoutMs: number
  /** Of the request that waits; see `withDeadline`. */
  readonly ctx: Extension
}

/** Counts in Redis through one pool member, chosen by chance for every request. */
export function redisStore(namespace: DurableObjectNamespace<RedisObject>, pool: Pool): CounterStore {
  const member = () => namespace.getByName(memberName(pool.size))
  return {
    hit: (hits) => unwrap(() => member().hit(assertUnreserved(hits)), pool),
    peek: (hits) => unwrap(() => member().peek(assertUnreserved(hits)), pool),
  }
}

/** Rules that were accepted for Durable Objects may ask for reservations. */
function assertUnreserved(hits: readonly CounterHit[]): readonly CounterHit[] {
  const isReserved = ({ key }: CounterHit) => {
    const counter = readAlgorithmKey(key)
    return counter !== null && reserveOf(counter.algorithm) !== undefined
  }
  if (!hits.some(isReserved)) return hits
  const advice = 'expected BACKEND_TYPE durable-object, or rules without unsettled and concurrency'
  throw new RatelimitError('counter_unavailable', `Redis keeps no reservations, ${advice}`)
}

/** Counts in memcached through one pool member, chosen by chance for every request. */
export function memcacheStore(namespace: DurableObjectNamespace<MemcacheObject>, pool: Pool): CounterStore {
  const member = () => namespace.getByName(memberName(pool.size))
  return {
    hit: (hits) => unwrap(() => member().hit(assertWindows(hits)), pool),
    peek: (hits) => unwrap(() => member().peek(assertWindows(hits)), pool),
  }
}

/** Rules that were accepted for another back end may ask for what memcached cannot do. */
function assertWindows(hits: readonly CounterHit[]): readonly CounterHit[] {
  if (hits.every(({ key }) => readAlgorithmKey(key) === null)) return hits
  const advice = 'expected BACKEND_TYPE durable-object or redis, or rules without sluice'
  throw new RatelimitError('counter_unavailable', `memcached counts windows of a unit only, ${advice}`)
}

function memberName(size: number): string {
  return `pool:${Math.floor(Math.random() * Math.max(1, size))}`
}

/** The store's own words become the error's message, because the reference answers with them over gRPC. */
async function unwrap(
  call: () => Promise<StoreAnswer<readonly Hits[]>>,
  { timeoutMs, ctx }: Pool,
): Promise<readonly Hits[]> {
  let answer: StoreAnswer<readonly Hits[]>
  try {
    answer = await withDeadline(call(), timeoutMs, ctx)
  } catch (cause) {
    if (cause instanceof RatelimitError) throw cause
    const state = messageOf(cause)
    throw new RatelimitError('counter_unavailable', `Cannot count: ${state}`, { cause })
  }
  if (answer.ok) return answer.value
  throw new RatelimitError('counter_unavailable', answer.message)
}
