/** RedisObject: one member of the pool of connections to Redis, which live here across requests. */

import { DurableObject } from 'cloudflare:workers'
import type { CounterHit, Hits } from '../src/ratelimit/ports.ts'
import { readStoreAddress } from '../src/ratelimit/redis/address.ts'
import { type HitCommands, hitCommands, peekCommands, readHits } from '../src/ratelimit/redis/commands.ts'
import { readSettings, type Settings } from '../src/ratelimit/settings.ts'
import type { RatelimitEnv } from './env.ts'
import { RedisStore } from './redis/store.ts'

/** What a store came to: counters, or the client's own words. An error thrown across the call would lose them. */
export type StoreAnswer =
  | { readonly ok: true; readonly hits: readonly Hits[] }
  | { readonly ok: false; readonly message: string }

/** The connections of one store of a pool member, for the gauges of the reference. */
export interface PoolConnections {
  readonly active: number
  readonly total: number
}

/** The connections of a pool member. */
export interface MemberConnections {
  readonly pool: PoolConnections
  /** Null when per-second limits share the one store. */
  readonly perSecondPool: PoolConnections | null
}

/** The stores of a deployment: one for all limits, or a second one for limits of a second. */
interface Stores {
  readonly main: RedisStore
  readonly perSecond: RedisStore | null
  readonly jitterSeconds: number
}

/**
 * Counts in Redis with the reference's keys and commands.
 *
 * The object's clock stamps the keys. A connection carries the hits of many requests at once; it is opened by the
 * first call and again after a loss.
 */
export class RedisObject extends DurableObject<RatelimitEnv> {
  readonly #stores = storesOf(readSettings({ ...this.env }))

  /** Counts the hits of one request: one pipeline per store. */
  hit(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    const jitter = Math.floor(Math.random() * this.#stores.jitterSeconds)
    return this.#run(hits, (hit, now) => hitCommands(hit, now, jitter))
  }

  /** Reads counters and leaves them as they are. */
  peek(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    return this.#run(hits, peekCommands)
  }

  /** Asks the stores whether they are there; null when all of them answer. */
  async problem(): Promise<string | null> {
    const { main, perSecond } = this.#stores
    return Promise.all([main.ping(), perSecond?.ping()]).then(() => null, messageOf)
  }

  /** Counts the connections that are open now, and that were opened since the object was last started. */
  connections(): MemberConnections {
    const { main, perSecond } = this.#stores
    return {
      pool: { ...main.connections },
      perSecondPool: perSecond === null ? null : { ...perSecond.connections },
    }
  }

  async #run(
    hits: readonly CounterHit[],
    commandsOf: (hit: CounterHit, now: number) => HitCommands,
  ): Promise<StoreAnswer> {
    const now = Math.floor(Date.now() / 1000)
    const answer: Hits[] = new Array(hits.length)
    const isPerSecond = (hit: CounterHit) => this.#stores.perSecond !== null && hit.unit === 'SECOND'
    try {
      await Promise.all(
        [false, true].map(async (second) => {
          const own = [...hits.entries()].filter(([, hit]) => isPerSecond(hit) === second)
          const store = second ? this.#stores.perSecond : this.#stores.main
          if (own.length === 0 || store === null) return
          const replies = await store.run(own.map(([, hit]) => commandsOf(hit, now)))
          for (const [at, [position, hit]] of own.entries())
            answer[position] = readHits(replies[at]?.[0], hit, now)
        }),
      )
      return { ok: true, hits: answer }
    } catch (error) {
      return { ok: false, message: messageOf(error) }
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function storesOf({ values }: Settings): Stores {
  const shared = { closeOnReadOnly: values.REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR }
  const main = new RedisStore(
    readStoreAddress({
      prefix: 'REDIS',
      type: values.REDIS_TYPE,
      url: values.REDIS_URL,
      auth: values.REDIS_AUTH,
      sentinelAuth: values.REDIS_SENTINEL_AUTH,
      tls: values.REDIS_TLS,
    }),
    {
      ...shared,
      timeoutMs: values.REDIS_TIMEOUT,
      flushMs: values.REDIS_PIPELINE_WINDOW,
      flushLimit: values.REDIS_PIPELINE_LIMIT,
    },
  )
  if (!values.REDIS_PERSECOND) {
    return { main, perSecond: null, jitterSeconds: values.EXPIRATION_JITTER_MAX_SECONDS }
  }
  const perSecond = new RedisStore(
    readStoreAddress({
      prefix: 'REDIS_PERSECOND',
      type: values.REDIS_PERSECOND_TYPE,
      url: values.REDIS_PERSECOND_URL,
      auth: values.REDIS_PERSECOND_AUTH,
      sentinelAuth: values.REDIS_PERSECOND_SENTINEL_AUTH,
      tls: values.REDIS_PERSECOND_TLS,
    }),
    {
      ...shared,
      timeoutMs: values.REDIS_PERSECOND_TIMEOUT,
      flushMs: values.REDIS_PERSECOND_PIPELINE_WINDOW,
      flushLimit: values.REDIS_PERSECOND_PIPELINE_LIMIT,
    },
  )
  return { main, perSecond, jitterSeconds: values.EXPIRATION_JITTER_MAX_SECONDS }
}
