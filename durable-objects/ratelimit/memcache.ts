/**
 * MemcacheObject: reads counters of memcached over its pooled connections, judges hits, and then increases each counter;
 * a missing one is added, and increased after all where another client added it first.
 */

import { groupBy } from '#base/group-by.ts'
import { encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import {
  isMarked,
  isOverBesideBlock,
  judgeHits,
  type KeyedHit,
  keyHits,
  planIncrease,
  type ReadCounters,
} from '#ratelimit/memcache/counting.ts'
import { chooseServer, type Server } from '#ratelimit/memcache/servers.ts'
import { type Answer, encodeGet } from '#ratelimit/memcache/text.ts'
import { asLook, type CounterHit, type Hits } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import type { StatSum } from '#ratelimit/statistics/sum.ts'
import { looksRaised, memcacheRaise } from '#ratelimit/store-block.ts'
import { consoleLogger } from '../base/log.ts'
import { nowSeconds } from '../base/now.ts'
import { withBlockExpiry } from './block-expiry.ts'
import { memcacheConnections } from './memcache/connections.ts'
import { memcacheLeases } from './memcache/leases.ts'
import { serverList } from './memcache/server-list.ts'
import { memcacheCounters } from './memcache/windows.ts'
import { keeperName, operatorCounters } from './operator-counters.ts'
import { OperatorObject } from './operator-object.ts'
import { answerStore, type StoreAnswer } from './store-answer.ts'

/**
 * Counts in memcached with the reference's keys.
 *
 * Counters are read and judged before the answer and increased after it, so that simultaneous requests can pass a
 * limit by a little. A counter that cannot be read counts as unused and is marked as unread: the reference fails open
 * here, too. One object beside the pool, `keeperName`, keeps the blocks of the deployment.
 */
export class MemcacheObject extends OperatorObject {
  readonly #values = readSettings({ ...this.env })
  readonly #connections = memcacheConnections(this.#values, this.env.STORE_RELAY)
  readonly #servers = serverList(this.#values, () => this.#count('srv_lookup.__code=error', 1))
  readonly #stats = new Map<string, number>()
  readonly #leases = memcacheLeases(
    (key, command) => this.#insist(key, command),
    () => this.#jitter(),
  )
  protected readonly counters = operatorCounters({
    storage: this.ctx.storage,
    store: memcacheCounters(
      (key, command) => this.#insist(key, command),
      () => this.#jitter(),
    ),
    logger: consoleLogger(this.#values),
    now: nowSeconds,
  })

  /** Judges the hits of one request on what was counted before it, and counts them without making it wait. */
  async hit(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>> {
    const now = nowSeconds()
    const servers = await this.#servers()
    const keyed = keyHits(hits, now)
    const read = await this.#read(servers, keyed)
    for (const one of keyed) this.ctx.waitUntil(this.#increase(servers, one, now))
    return this.#judge(hits, keyed, read, now)
  }

  async #judge(
    hits: readonly CounterHit[],
    keyed: readonly KeyedHit[],
    read: ReadCounters,
    now: number,
  ): Promise<StoreAnswer<readonly Hits[]>> {
    const judged = judgeHits(keyed, read, now)
    const isMarkedAt = keyed.map((one) => isMarked(one, read))
    const answered = await withBlockExpiry(hits, judged, now, {
      mayBeRaised: ({ after }, at) => isMarkedAt[at] === true || looksRaised(after, memcacheRaise),
      blockedUntil: (key) => this.env.MEMCACHE.getByName(keeperName).blockedUntil(key),
      isOver: (_, at) => isOverBesideBlock(keyed[at], read),
      wasRaised: (at) => isMarkedAt[at] === true,
    })
    return { ok: true, value: answered }
  }

  /** Counts hits and grants leases of more of them; see `CounterObject.lease`. Every command must be answered. */
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<StoreAnswer<readonly number[]>> {
    return answerStore(this.#leases(draws, { id, holder, nowMs: Date.now() }).then(encodeDraws))
  }

  /** Reads counters and leaves them as they are. */
  async peek(hits: readonly CounterHit[]): Promise<StoreAnswer<readonly Hits[]>> {
    const now = nowSeconds()
    const keyed = keyHits(hits.map(asLook), now)
    const read = await this.#read(await this.#servers(), keyed)
    return this.#judge(hits, keyed, read, now)
  }

  /** Says what is wrong when no server answers; null when at least one does. */
  async problem(): Promise<string | null> {
    return this.#connections.problem(await this.#servers())
  }

  /** The statistics of this object since it was last started, as the reference names them. */
  stats(): readonly StatSum[] {
    return [...this.#stats].map(([name, value]) => ({ name, value }))
  }

  /** One multi-get per server; the keys of a server that fails are unread. */
  async #read(servers: readonly Server[], keyed: readonly KeyedHit[]): Promise<ReadCounters> {
    const keys = new Set(keyed.flatMap(({ key }) => key ?? []))
    const byServer = groupBy(keys, (key) => servers[chooseServer(key, servers.length)])
    const values = new Map<string, string>()
    const flags = new Map<string, number>()
    const unread = new Map<string, string>()
    await Promise.all(
      [...byServer].map(async ([server, keys]) => {
        this.#count('keys_requested', keys.length)
        const answer = await this.#connections.ask(server, encodeGet(keys))
        this.#count(`multiget.__code=${answer.kind === 'values' ? 'success' : 'error'}`, 1)
        if (answer.kind !== 'values') {
          const reason = answer.kind === 'error' ? answer.message : `memcached answered ${answer.kind}`
          for (const key of keys) unread.set(key, reason)
          return
        }
        this.#count('keys_found', answer.values.size)
        for (const [key, value] of answer.values) values.set(key, value)
        for (const [key, flag] of answer.flags) flags.set(key, flag)
      }),
    )
    return { values, flags, unread }
  }

  /** Increases; adds when the key is missing; increases once more when another client added it in between. */
  async #increase(servers: readonly Server[], { key, hit }: KeyedHit, now: number): Promise<void> {
    const server = key === null ? undefined : servers[chooseServer(key, servers.length)]
    if (key === null || server === undefined) return this.#count('increment.__code=error', 1)
    const { change, create } = planIncrease(key, hit, now, this.#jitter())
    const first = await this.#connections.ask(server, change)
    this.#count(`increment.__code=${describeAnswer(first, 'number')}`, 1)
    if (first.kind !== 'not-found' || create === null) return
    const added = await this.#connections.ask(server, create)
    this.#count(`add.__code=${describeAnswer(added, 'stored')}`, 1)
    if (added.kind !== 'not-stored') return
    const second = await this.#connections.ask(server, change)
    this.#count(`increment.__code=${describeAnswer(second, 'number')}`, 1)
  }

  /** Sends what an operator asked for, which must not fail in silence. */
  async #insist(key: string, command: Uint8Array): Promise<Answer> {
    const servers = await this.#servers()
    const answer = await this.#connections.ask(servers[chooseServer(key, servers.length)], command)
    if (answer.kind === 'error') throw new Error(answer.message)
    return answer
  }

  #jitter(): number {
    return Math.floor(Math.random() * this.#values.EXPIRATION_JITTER_MAX_SECONDS)
  }

  #count(name: string, delta: number): void {
    const full = `ratelimit.memcache.${name}`
    this.#stats.set(full, (this.#stats.get(full) ?? 0) + delta)
  }
}

function describeAnswer(answer: Answer, success: Answer['kind']): string {
  if (answer.kind === success) return 'success'
  if (answer.kind === 'not-found') return 'miss'
  return answer.kind === 'not-stored' ? 'not_stored' : 'error'
}
