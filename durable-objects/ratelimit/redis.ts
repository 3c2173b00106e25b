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
import { withBlockExpiry } from './block-expiry.ts'
import { keeperName, nowSeconds, operatorCounters } from './operator-counters.ts'
import { OperatorObject } from './operator-object.ts'
import { redisLeases } from './redis/leases.ts'
import { RedisStore, runByStore } from './redis/store.ts'
import { redisCounters } from './redis/windows.ts'
import { answerStore, type StoreAnswer } from './store-answer.ts'

/** The connections of one store of a pool member, for the gauges of the reference. */
export interface PoolConnections {
  readonly active: number
  readonly total: number
}

/**
 * Counts in Redis with the reference's keys and commands.
 *
 * The object's clock stamps the keys. A connection carries the hits of many requests at once; it is opened by the
 * first call and again after a loss. One object beside the pool, `keeperName`, keeps the blocks of the deployment.
 */
export class RedisObject extends OperatorObject {
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
  protected readonly counters = operatorCounters({
    storage: this.ctx.storage,
    store: this.#windows,
    logger: consoleLogger(this.#settings),
    now: nowSeconds,
  })

  /** Counts the hits of one request: one pipeline per store. */
  hit(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>> {
    const jitter = this.#jitter()
    return answerStore(this.#run(hits, (hit, now) => hitCommands(hit, now, jitter)))
  }

  /** Reads counters and leaves them as they are. */
  peek(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>> {
    return answerStore(this.#run(hits, peekCommands))
  }

  /** Counts hits and grants leases of more of them; see `CounterObject.lease`. One pipeline per store. */
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<StoreAnswer<readonly number[]>> {
    return answerStore(this.#leases(draws, { id, holder, nowMs: Date.now() }).then(encodeDraws))
  }

  /** Asks the stores whether they are there; null when all of them answer. */
  async problem(): Promise<string | null> {
    const { main, perSecond } = this.#stores
    return Promise.all([main.ping(), perSecond?.ping()]).then(() => null, messageOf)
  }

  /**
   * Counts the connections that are open now, and that were opened since the object was last started.
   *
   * @returns null for the second store when limits of a second share the one.
   */
  connections(): { readonly pool: PoolConnections; readonly perSecondPool: PoolConnections | null } {
    const { main, perSecond } = this.#stores
    return {
      pool: { ...main.connections },
      perSecondPool: perSecond === null ? null : { ...perSecond.connections },
    }
  }

  async #run(
    hits: readonly CounterHit[],
    commandsOf: (hit: CounterHit, now: number) => HitCommands,
  ): Promise<readonly Hits[]> {
    const now = nowSeconds()
    const replies = await runByStore(
      hits,
      (unit) => this.#storeOf(unit),
      (hit) => commandsOf(hit, now),
    )
    const counted = hits.map((hit, at) => readHits(replies[at], hit, now))
    return withBlockExpiry(hits, counted, now, {
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
    return Math.floor(Math.random() * this.#settings.EXPIRATION_JITTER_MAX_SECONDS)
  }
}

/** Opens the stores of a deployment: one for all limits, or a second one for limits of a second. */
function openStores(settings: Settings, relay: Fetcher | undefined) {
  const addresses = readRedisStores(settings)
  const tls = readStoreTls(settings)
  const open = (address: StoreAddress, prefix: 'REDIS' | 'REDIS_PERSECOND') => {
    const isRelayed = goesThroughRelay({ isSocket: address.socketPath !== undefined, tls: address.tls }, tls)
    return new RedisStore(address, {
      closeOnReadOnly: settings.REDIS_CLOSE_CONNECTION_ON_READONLY_ERROR,
      relay: isRelayed ? (relay ?? null) : null,
      timeoutMs: settings[`${prefix}_TIMEOUT`],
      flushMs: settings[`${prefix}_PIPELINE_WINDOW`],
      flushLimit: settings[`${prefix}_PIPELINE_LIMIT`],
    })
  }
  const perSecond = addresses.perSecond === null ? null : open(addresses.perSecond, 'REDIS_PERSECOND')
  return { main: open(addresses.main, 'REDIS'), perSecond }
}
