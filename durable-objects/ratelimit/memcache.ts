/** MemcacheObject: one member of the pool of connections to memcached, which live here across requests. */

import {
  increaseOf,
  isMarked,
  judgeHits,
  type KeyedHit,
  keyHits,
  type ReadCounters,
} from '../../src/ratelimit/memcache/counting.ts'
import { serverOf } from '../../src/ratelimit/memcache/server-list.ts'
import {
  parseServers,
  readServiceRecords,
  type Server,
  serverText,
} from '../../src/ratelimit/memcache/servers.ts'
import { type Answer, encodeGet, encodeVersion } from '../../src/ratelimit/memcache/text.ts'
import type { CounterHit } from '../../src/ratelimit/ports.ts'
import { encodeDraws, type WireDraw } from '../../src/ratelimit/quota/lease.ts'
import { readSettings } from '../../src/ratelimit/settings.ts'
import type { StatSum } from '../../src/ratelimit/statistics/sum.ts'
import { looksRaised, memcacheRaise } from '../../src/ratelimit/store-block.ts'
import { goesThroughRelay, storeTlsOf } from '../../src/ratelimit/store-reach.ts'
import type { RelayTarget, Target } from '../base/dial.ts'
import { consoleLogger } from '../base/log.ts'
import { shortenToBlocks } from './block-ends.ts'
import { memcacheLeases } from './memcache/leases.ts'
import { MemcacheNode } from './memcache/server.ts'
import { memcacheCounters } from './memcache/windows.ts'
import { keeperName, nowSeconds, operatedCounters } from './operated-counters.ts'
import { OperatedObject } from './operated-object.ts'
import type { DrawAnswer } from './redis/leases.ts'
import type { StoreAnswer } from './redis.ts'

/** The servers that are in use and when they were looked up. */
interface ServerList {
  readonly servers: readonly Server[]
  readonly at: number
}

/** Milliseconds that a lookup of the service record may take. */
const lookupTimeoutMs = 3_000

/**
 * Counts in memcached with the reference's keys.
 *
 * Counters are read and judged before the answer and increased after it, so that simultaneous requests can pass a
 * limit by a little; a counter that cannot be read counts as unused and
 * is marked as unread (the reference fails open here, too). One object
 * beside the pool, `keeperName`, keeps the blocks of the deployment.
 */
export class MemcacheObject extends OperatedObject {
  readonly #values = readSettings({ ...this.env }).values
  readonly #nodes = new Map<string, MemcacheNode>()
  #list: ServerList | undefined
  #lookup: Promise<ServerList> | undefined
  readonly #stats = new Map<string, number>()
  readonly #leases = memcacheLeases(
    (key, command) => this.#insist(key, command),
    () => this.#jitter(),
  )
  protected readonly counters = operatedCounters({
    storage: this.ctx.storage,
    store: memcacheCounters(
      (key, command) => this.#insist(key, command),
      () => this.#jitter(),
    ),
    logger: consoleLogger(this.#values),
    now: nowSeconds,
  })
  /** Judges the hits of one request on what was counted before it, and counts them without making it wait. */
  async hit(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    const now = nowSeconds()
    const servers = await this.#servers()
    const keyed = keyHits(hits, now)
    const read = await this.#read(servers, keyed)
    for (const one of keyed) this.ctx.waitUntil(this.#increase(servers, one, now))
    const judged = judgeHits(keyed, read, now)
    const isMarkedAt = keyed.map((one) => isMarked(one, read))
    const shortened = await shortenToBlocks(hits, judged, now, {
      mayBeRaised: ({ after }, at) => isMarkedAt[at] === true || looksRaised(after, memcacheRaise),
      blockedUntil: (key) => this.env.MEMCACHE.getByName(keeperName).blockedUntil(key),
      isMarked: (at) => isMarkedAt[at] === true,
    })
    return { ok: true, hits: shortened }
  }

  /** Counts hits and grants leases of more of them; see `CounterObject.lease`. Every command must be answered. */
  lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<DrawAnswer> {
    return this.#leases(draws, { id, holder, nowMs: Date.now() }).then(
      (answers) => ({ ok: true, draws: encodeDraws(answers) }),
      (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }),
    )
  }

  /** Reads counters and leaves them as they are. */
  async peek(hits: readonly CounterHit[]): Promise<StoreAnswer> {
    const now = nowSeconds()
    const keyed = keyHits(
      hits.map((hit) => ({ ...hit, addend: 0 })),
      now,
    )
    const read = await this.#read(await this.#servers(), keyed)
    return { ok: true, hits: judgeHits(keyed, read, now) }
  }

  /** Whether at least one server answers; null when one does. */
  async problem(): Promise<string | null> {
    const servers = await this.#servers()
    const tries = servers.map((server) => this.#node(server).send(encodeVersion(), 1))
    return Promise.any(tries).then(
      () => null,
      () => (servers.length === 0 ? 'no memcached server is known' : 'no memcached server answers'),
    )
  }

  /** The statistics of this object since it was last started, as the reference names them. */
  stats(): readonly StatSum[] {
    return [...this.#stats].map(([name, value]) => ({ name, value }))
  }

  /** One multi-get per server; the keys of a server that fails are unread. */
  async #read(servers: readonly Server[], keyed: readonly KeyedHit[]): Promise<ReadCounters> {
    const byServer = new Map<Server | undefined, string[]>()
    for (const key of new Set(keyed.flatMap(({ key }) => key ?? []))) {
      const server = servers[serverOf(key, servers.length)]
      byServer.set(server, [...(byServer.get(server) ?? []), key])
    }
    const values = new Map<string, string>()
    const flags = new Map<string, number>()
    const unread = new Map<string, string>()
    await Promise.all(
      [...byServer].map(async ([server, keys]) => {
        this.#count('keys_requested', keys.length)
        const answer = await this.#ask(server, encodeGet(keys))
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
    const server = key === null ? undefined : servers[serverOf(key, servers.length)]
    if (key === null || server === undefined) return this.#count('increment.__code=error', 1)
    const { change, create } = increaseOf(key, hit, now, this.#jitter())
    const first = await this.#ask(server, change)
    this.#count(`increment.__code=${codeOf(first, 'number')}`, 1)
    if (first.kind !== 'not-found' || create === null) return
    const added = await this.#ask(server, create)
    this.#count(`add.__code=${codeOf(added, 'stored')}`, 1)
    if (added.kind !== 'not-stored') return
    const second = await this.#ask(server, change)
    this.#count(`increment.__code=${codeOf(second, 'number')}`, 1)
  }

  /** Asks one server; what keeps it from answering comes back as an answer, with its address. */
  async #ask(server: Server | undefined, bytes: Uint8Array): Promise<Answer> {
    if (server === undefined) return { kind: 'error', message: 'no memcached server is known' }
    const failed = (state: string): Answer => ({
      kind: 'error',
      message: `memcached ${serverText(server)}: ${state}`,
    })
    try {
      const [answer] = await this.#node(server).send(bytes, 1)
      return answer === undefined
        ? failed('no answer')
        : answer.kind === 'error'
          ? failed(answer.message)
          : answer
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error))
    }
  }

  /** Sends what an operator asked for, which must not fail in silence. */
  async #insist(key: string, command: Uint8Array): Promise<Answer> {
    const servers = await this.#servers()
    const answer = await this.#ask(servers[serverOf(key, servers.length)], command)
    if (answer.kind === 'error') throw new Error(answer.message)
    return answer
  }

  #jitter(): number {
    return Math.floor(Math.random() * this.#values.EXPIRATION_JITTER_MAX_SECONDS)
  }

  #node(server: Server): MemcacheNode {
    const name = serverText(server)
    const known = this.#nodes.get(name)
    if (known !== undefined) return known
    const connections = Math.max(1, this.#values.MEMCACHE_MAX_IDLE_CONNS)
    const node = new MemcacheNode(this.#target(server), connections)
    this.#nodes.set(name, node)
    return node
  }

  #target(server: Server): Target | RelayTarget {
    const tls = this.#values.MEMCACHE_TLS
    const { STORE_RELAY: relay } = this.env
    const isRelayed = goesThroughRelay({ isSocket: 'path' in server, tls }, storeTlsOf(this.#values))
    if (isRelayed && relay !== undefined) return { ...server, tls, relay }
    if ('path' in server) throw new Error('no relay reaches it')
    return { ...server, tls }
  }

  #count(name: string, delta: number): void {
    const full = `ratelimit.memcache.${name}`
    this.#stats.set(full, (this.#stats.get(full) ?? 0) + delta)
  }

  /** The servers in use; a list that is due is looked up behind the request, which uses the old one. */
  async #servers(): Promise<readonly Server[]> {
    const { MEMCACHE_HOST_PORT, MEMCACHE_SRV, MEMCACHE_SRV_REFRESH } = this.#values
    if (MEMCACHE_SRV === '') {
      this.#list ??= { servers: parseServers(MEMCACHE_HOST_PORT), at: 0 }
      return this.#list.servers
    }
    const isDue = MEMCACHE_SRV_REFRESH > 0 && Date.now() - (this.#list?.at ?? 0) >= MEMCACHE_SRV_REFRESH
    if (this.#list === undefined || isDue) {
      this.#lookup ??= this.#lookUp(MEMCACHE_SRV).finally(() => {
        this.#lookup = undefined
      })
      if (this.#list === undefined) return (await this.#lookup).servers
    }
    return this.#list.servers
  }

  /** Looks up the service record; on failure the list in use stays. */
  async #lookUp(name: string): Promise<ServerList> {
    try {
      const query = `name=${encodeURIComponent(name)}&type=SRV`
      const response = await fetch(`${this.#values.MEMCACHE_SRV_RESOLVER}?${query}`, {
        headers: { accept: 'application/dns-json' },
        signal: AbortSignal.timeout(lookupTimeoutMs),
      })
      this.#list = { servers: readServiceRecords(await response.json()), at: Date.now() }
    } catch {
      this.#count('srv_lookup.__code=error', 1)
    }
    return this.#list ?? { servers: [], at: 0 }
  }
}

function codeOf(answer: Answer, success: Answer['kind']): string {
  if (answer.kind === success) return 'success'
  if (answer.kind === 'not-found') return 'miss'
  return answer.kind === 'not-stored' ? 'not_stored' : 'error'
}
