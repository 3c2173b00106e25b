/** RedisObject: one member of the pool of connections to Redis, which live here across requests. */

import { messageOf } from '#base/errors.ts'
import { type AlgorithmCounter, descriptorKey, readAlgorithmKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { readCounters } from '#ratelimit/algorithm/reading.ts'
import type { CounterReading } from '#ratelimit/contract/counters.ts'
import { maxHits } from '#ratelimit/counter.ts'
import { encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { asLook, type CounterHit, type Hits } from '#ratelimit/ports.ts'
import type { StoreAddress } from '#ratelimit/redis/address.ts'
import { blockCommands, readAlgorithmHits } from '#ratelimit/redis/algorithm-script.ts'
import { type HitCommands, hitCommands, peekCommands, readHits } from '#ratelimit/redis/commands.ts'
import type { Reply } from '#ratelimit/redis/resp.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { looksRaised, openWindows, redisRaise, wasRaised } from '#ratelimit/store-block.ts'
import { goesThroughRelay, readRedisStores, readStoreTls } from '#ratelimit/store-connections.ts'
import type { Unit } from '#ratelimit/types.ts'
import { consoleLogger } from '../base/log.ts'
import { nowSeconds } from '../base/now.ts'
import { withBlockExpiry } from './block-expiry.ts'
import { keeperName, operatorCounters } from './operator-counters.ts'
import { OperatorObject } from './operator-object.ts'
import { runByStore } from './redis/by-store.ts'
import { redisLeases } from './redis/leases.ts'
import { RedisStore } from './redis/store.ts'
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
    return answerStore(this.#run(hits.map(asLook), peekCommands))
  }

  /** Reads the counters of algorithms of a key beside its windows. */
  override async readKey(key: string, unit: Unit | null, looks: readonly CounterHit[] = []) {
    const read = await super.readKey(key, unit)
    if (!read.ok || looks.length === 0) return read
    return answerStore(
      this.#readLooks(looks).then((counters) => ({ ...read.value, counters: [...read.value.counters, ...counters] })),
    )
  }

  /** Forgets the counters of algorithms of a key as well. @returns what was there. */
  override async resetKey(key: string, unit: Unit | null, looks: readonly CounterHit[] = []) {
    const before = await this.readKey(key, unit, looks)
    const reset = before.ok ? await super.resetKey(key, unit) : before
    if (!reset.ok || looks.length === 0) return reset.ok ? before : reset
    const removed = runByStore(
      looks,
      (each) => this.#storeOf(each),
      (look) => ({ key: look.key, commands: [['DEL', look.key]] }),
    )
    return answerStore(removed.then(() => (before.ok ? before.value : reset.value)))
  }

  async #readLooks(looks: readonly CounterHit[]): Promise<readonly CounterReading[]> {
    const counted = await this.#run(looks.map(asLook), peekCommands)
    return looks.flatMap((look, at) => readCounters(look, counted[at] ?? { after: 0, secondsUntilReset: 1 }))
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

  /** Counts the connections open now, and opened since the start; null for a second store that is the first. */
  connections(): { readonly pool: PoolConnections; readonly perSecondPool: PoolConnections | null } {
    const { main, perSecond } = this.#stores
    return { pool: { ...main.connections }, perSecondPool: perSecond === null ? null : { ...perSecond.connections } }
  }

  async #run(
    hits: readonly CounterHit[],
    commandsOf: (hit: CounterHit, now: number) => HitCommands,
  ): Promise<readonly Hits[]> {
    const now = nowSeconds()
    const counters = hits.map(({ key }) => readAlgorithmKey(key))
    const isPlain = counters.every((counter) => counter === null)
    const [replies, marks] = await Promise.all([
      runByStore(
        hits,
        (unit) => this.#storeOf(unit),
        (hit) => commandsOf(hit, now),
      ),
      isPlain ? [] : this.#readMarks(counters, now),
    ])
    const isMarked = (at: number) => marks[at] === 1
    const counted = hits.map((hit, at) => {
      const counter = counters[at] ?? null
      if (counter === null) return readHits(replies[at], hit, now)
      const own = readAlgorithmHits(replies[at], hit, counter.algorithm)
      return isMarked(at) ? { ...own, after: maxHits } : own
    })
    return withBlockExpiry(hits, counted, now, {
      mayBeRaised: ({ after }, at) => (counters[at] == null ? looksRaised(after, redisRaise) : isMarked(at)),
      isOver: ({ after }, at) =>
        counters[at] == null && after - redisRaise > (hits[at]?.limit ?? Number.POSITIVE_INFINITY),
      blockedUntil: (key) => this.env.REDIS.getByName(keeperName).blockedUntil(descriptorKey(key)),
      wasRaised: async (at) => {
        if (counters[at] != null) return true
        const { key, unit } = hits[at] ?? { key: '', unit: 'SECOND' }
        const [stored] = await this.#windows.read(openWindows(key, [unit], now))
        return stored !== undefined && wasRaised(stored, redisRaise)
      },
    })
  }

  /** Replies by the place of the hit: 1 where the descriptor of an algorithm's counter is blocked. */
  async #readMarks(counters: readonly (AlgorithmCounter | null)[], now: number): Promise<readonly Reply[]> {
    const own = [...counters.entries()].flatMap(([at, counter]) => (counter === null ? [] : [{ at, counter }]))
    const replies = await this.#stores.main.run(own.map(({ counter }) => blockCommands(counter, now)))
    const marks: Reply[] = []
    for (const [index, { at }] of own.entries()) marks[at] = replies[index]?.[0] ?? 0
    return marks
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
    const isRelayed = goesThroughRelay({ isSocket: address.socketPath !== undefined, isTls: address.tls }, tls)
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
