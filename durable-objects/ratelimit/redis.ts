/** RedisObject: one member of the pool of connections to Redis, which live here across requests. */

import { messageOf } from '#base/errors.ts'
import { encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import type { CounterHit, Hits } from '#ratelimit/ports.ts'
import type { StoreAddress } from '#ratelimit/redis/address.ts'
import { type HitCommands, hitCommands, peekCommands, readHits } from '#ratelimit/redis/commands.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { looksRaised, openWindows, redisRaise } from '#ratelimit/store-block.ts'
import { goesThroughRelay, readRedisStores, readStoreTls } from '#ratelimit/store-reach.ts'
import type { Unit } from '#ratelimit/types.ts'
import { consoleLogger } from '../base/log.ts'
import { withBlockEnds } from './block-ends.ts'
import { keeperName, nowSeconds, operatedCounters } from './operated-counters.ts'
import { OperatedObject } from './operated-object.ts'
import { type DrawAnswer, redisLeases } from './redis/leases.ts'
import { RedisStore } from './redis/store.ts'
import { redisCounters } from './redis/windows.ts'

/** Result of a store: counters, or the client's own words. An error thrown across the call would lose them. */
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
 * first call and again after a loss. One object beside the pool, `keeperName`, keeps the blocks of the deployment.
 */
export class RedisObject extends OperatedObject {
  readonly #settings = readSettings({ ...this.env })
  readonly #stores = openStores(this.#settings, this.env.STORE_RELAY)
  readonly #windows = redisCounters(
    (unit) => this.#storeOf(unit),
    () => this.#jitter(),
  )
  readonly #leases = redisLeases(
    (unit) => this.#storeOf(unit),
    () => this.#jitter(),
  )
  protected readonly counters = operatedCounters({
    storage: this.ctx.storage,
    store: this.#windows,
    logger: consoleLogger(this.#settings),
    now: nowSeconds,
  })

  /** Counts the hits of one request: one pipeline per store. */
  hit(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    const jitter = this.#jitter()
    return this.#run(hits, (hit, now) => hitCommands(hit, now, jitter))
  }

  /** Reads counters and leaves them as they are. */
  peek(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    return this.#run(hits, peekCommands)
  }

  /** Counts hits and grants leases of more of them; see `CounterObject.lease`. One pipeline per store. */
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<DrawAnswer> {
    return this.#leases(draws, { id, holder, nowMs: Date.now() }).then(
      (answers) => ({ ok: true, draws: encodeDraws(answers) }),
      (error: unknown) => ({ ok: false, message: messageOf(error) }),
    )
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
    const now = nowSeconds()
    const answer: Hits[] = new Array(hits.length)
    const { main, perSecond } = this.#stores
    try {
      await Promise.all(
        [main, perSecond].map(async (store) => {
          const own = [...hits.entries()].filter(([, hit]) => this.#storeOf(hit.unit) === store)
          if (own.length === 0 || store === null) return
          const replies = await store.run(own.map(([, hit]) => commandsOf(hit, now)))
          for (const [at, [position, hit]] of own.entries()) answer[position] = readHits(replies[at]?.[0], hit, now)
        }),
      )
      return { ok: true, hits: await this.#withBlockEnds(hits, answer, now) }
    } catch (error) {
      return { ok: false, message: messageOf(error) }
    }
  }

  #withBlockEnds(hits: readonly CounterHit[], counted: readonly Hits[], now: number) {
    return withBlockEnds(hits, counted, now, {
      mayBeRaised: ({ after }) => looksRaised(after, redisRaise),
      isOver: ({ after }, at) => after - redisRaise > (hits[at]?.limit ?? Number.POSITIVE_INFINITY),
      blockedUntil: (key) => this.env.REDIS.getByName(keeperName).blockedUntil(key),
      isMarked: async (at) => {
        const { key, unit } = hits[at] ?? { key: '', unit: 'SECOND' }
        const [stored] = await this.#windows.read(openWindows(key, [unit], now))
        return stored?.raisedBy != null
      },
    })
  }

  #storeOf(unit: Unit): RedisStore {
    return (unit === 'SECOND' ? this.#stores.perSecond : null) ?? this.#stores.main
  }

  #jitter(): number {
    return Math.floor(Math.random() * this.#stores.jitterSeconds)
  }
}

function openStores(settings: Settings, relay: Fetcher | undefined): Stores {
  const addresses = readRedisStores(settings)
  const tls = readStoreTls(settings)
  const shared = (address: StoreAddress) => ({
    closeOnReadOnly: settings.REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR,
    relay: goesThroughRelay({ isSocket: address.socketPath !== undefined, tls: address.tls }, tls)
      ? (relay ?? null)
      : null,
  })
  const main = new RedisStore(addresses.main, {
    ...shared(addresses.main),
    timeoutMs: settings.REDIS_TIMEOUT,
    flushMs: settings.REDIS_PIPELINE_WINDOW,
    flushLimit: settings.REDIS_PIPELINE_LIMIT,
  })
  const jitterSeconds = settings.EXPIRATION_JITTER_MAX_SECONDS
  if (addresses.perSecond === null) return { main, perSecond: null, jitterSeconds }
  const perSecond = new RedisStore(addresses.perSecond, {
    ...shared(addresses.perSecond),
    timeoutMs: settings.REDIS_PERSECOND_TIMEOUT,
    flushMs: settings.REDIS_PERSECOND_PIPELINE_WINDOW,
    flushLimit: settings.REDIS_PERSECOND_PIPELINE_LIMIT,
  })
  return { main, perSecond, jitterSeconds }
}
