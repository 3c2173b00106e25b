/** Counter stores over real servers with a settable clock: our own commands and parsers on a socket of Node. */

import { connect, type Socket } from 'node:net'
import { RatelimitError } from '#ratelimit/errors.ts'
import { judgeHits, keyHits, planIncrease, type ReadCounters } from '#ratelimit/memcache/counting.ts'
import { type Answer, encodeGet, readAnswers } from '#ratelimit/memcache/text.ts'
import type { CounterHit, CounterStore, Hits } from '#ratelimit/ports.ts'
import { type HitCommands, hitCommands, peekCommands, readHits } from '#ratelimit/redis/commands.ts'
import { encodeCommands, isErrorReply, type Reply, readReplies } from '#ratelimit/redis/resp.ts'
import type { RunningMemcached } from './memcached.ts'
import type { LiveCounter } from './memory-counter-store.ts'
import type { RunningRedis } from './redis.ts'

/** A store that can be looked into and made to fail. */
export interface WireCounterStore extends CounterStore {
  /** Makes every call fail with a message; null works again. */
  fail(message: string | null): void
  dump(): Promise<readonly LiveCounter[]>
  close(): void
}

/** Options of a store. */
export interface WireStoreOptions {
  /** Unix time in whole seconds. */
  readonly now: () => number
  readonly jitterSeconds: number
}

/** Counts in real Redis servers; with a second one, limits of a second live there. */
export function redisWireStore(
  main: RunningRedis,
  perSecond: RunningRedis | null,
  { now, jitterSeconds }: WireStoreOptions,
): WireCounterStore {
  const link = open<Reply>(main.port, readReplies)
  const secondLink = perSecond === null ? link : open<Reply>(perSecond.port, readReplies)
  let failure: string | null = null
  let clock = now()

  /** Redis lives in real time: a step of a second or two is waited for, so that keys end as they would. */
  async function follow(): Promise<void> {
    const step = now() - clock
    clock = now()
    if (step > 0 && step <= 2) await new Promise((resolve) => setTimeout(resolve, step * 1000))
  }

  async function run(hits: readonly CounterHit[], commandsOf: (hit: CounterHit) => HitCommands): Promise<Hits[]> {
    if (failure !== null) throw unavailable(failure)
    await follow()
    return Promise.all(
      hits.map(async (hit) => {
        const { commands } = commandsOf(hit)
        const replies = await (hit.unit === 'SECOND' ? secondLink : link).send(
          encodeCommands(commands),
          commands.length,
        )
        const refusal = replies.find(isErrorReply)
        if (refusal !== undefined) throw unavailable(refusal.error)
        return readHits(replies[0], hit, now())
      }),
    )
  }

  return {
    hit: (hits) => run(hits, (hit) => hitCommands(hit, now(), Math.floor(0.5 * jitterSeconds))),
    peek: (hits) => run(hits, (hit) => peekCommands(hit, now())),
    fail(message) {
      failure = message
    },
    async dump() {
      const [first, second] = await Promise.all([
        dumpRedis(main, 'MINUTE'),
        perSecond ? dumpRedis(perSecond, 'SECOND') : [],
      ])
      return [...first, ...second]
    },
    close() {
      link.close()
      secondLink.close()
    },
  }
}

/** Makes the pool's error for a store that fails, with the store's own words. */
function unavailable(words: string): RatelimitError {
  return new RatelimitError('counter_unavailable', words)
}

async function dumpRedis(redis: RunningRedis, unit: LiveCounter['unit']): Promise<readonly LiveCounter[]> {
  const client = redis.client()
  const keys = await client.keys('*')
  const counters = keys.map(async (key) => ({
    key,
    unit,
    value: Number(await client.get(key)),
    ttl: await client.ttl(key),
  }))
  return Promise.all(counters)
}

/** Counts in one real memcached server; increments are awaited here, so that a case can look at them. */
export function memcacheWireStore(
  server: RunningMemcached,
  { now, jitterSeconds }: WireStoreOptions,
): WireCounterStore {
  const link = open<Answer>(server.port, readAnswers)
  const ttls = new Map<string, number>()
  let failure: string | null = null

  async function read(keyed: ReturnType<typeof keyHits>): Promise<ReadCounters> {
    const keys = keyed.flatMap(({ key }) => key ?? [])
    const nothing = { values: new Map(), flags: new Map(), unread: new Map() }
    if (failure !== null) return { ...nothing, unread: new Map(keys.map((key) => [key, `${failure}`])) }
    const [answer] = keys.length === 0 ? [] : await link.send(encodeGet(keys), 1)
    return answer?.kind === 'values' ? { ...answer, unread: new Map() } : nothing
  }

  async function increase(key: string, hit: CounterHit): Promise<void> {
    const jitter = Math.floor(0.5 * jitterSeconds)
    // The server's clock is the real one, so a moment at which a key ends must be, too.
    const { change, create } = planIncrease(key, hit, Math.floor(Date.now() / 1000), jitter)
    const [first] = await link.send(change, 1)
    if (first?.kind !== 'not-found' || create === null) return
    const [added] = await link.send(create, 1)
    // Another client added it in between: what is there now can be increased.
    if (added?.kind === 'not-stored') await link.send(change, 1)
    ttls.set(key, Number(/^add \S+ \d+ (\d+)/.exec(new TextDecoder().decode(create))?.[1]))
  }

  return {
    async hit(hits) {
      const keyed = keyHits(hits, now())
      const answer = judgeHits(keyed, await read(keyed), now())
      if (failure === null) for (const { key, hit } of keyed) if (key !== null) await increase(key, hit)
      return answer
    },
    async peek(hits) {
      const keyed = keyHits(
        hits.map((hit) => ({ ...hit, addend: 0 })),
        now(),
      )
      return judgeHits(keyed, await read(keyed), now())
    },
    fail(message) {
      failure = message
    },
    async dump() {
      const lines = (await server.ask('lru_crawler metadump all')).split('\r\n').flatMap((text) => text.split('\n'))
      const found = lines.flatMap((line) => /^key=(\S+) exp=(\d+)/.exec(line) ?? [])
      const counters: LiveCounter[] = []
      for (let at = 0; at < found.length; at += 3) {
        const [key, expiry] = [decodeURIComponent(found[at + 1] ?? ''), Number(found[at + 2])]
        const value = /\r\n(\d+)\s*\r\n/.exec(await server.ask(`get ${key}`))?.[1]
        counters.push({ key, unit: 'MINUTE', value: Number(value), ttl: measuredTtl(expiry, ttls.get(key) ?? 0) })
      }
      return counters
    },
    close: () => link.close(),
  }
}

/** The time to live that was set, once the server's own figure has confirmed it to the second or two it rounds by. */
function measuredTtl(expiry: number, set: number): number {
  const left = expiry - Date.now() / 1000
  const span = set > 2_592_000 ? set - Date.now() / 1000 : set
  if (Math.abs(left - span) > 3) throw new Error(`the server keeps a key for ${left} s instead of ${span} s`)
  return set
}

interface Link<R> {
  send(bytes: Uint8Array, count: number): Promise<readonly R[]>
  close(): void
}

/** A connection on which calls are answered in order. */
function open<R>(port: number, parse: (bytes: Uint8Array) => { replies: readonly R[]; rest: Uint8Array }): Link<R> {
  const socket: Socket = connect({ host: '127.0.0.1', port })
  const waiting: { count: number; got: R[]; resolve: (replies: readonly R[]) => void }[] = []
  let rest: Uint8Array = new Uint8Array(0)
  socket.on('data', (chunk: Buffer) => {
    const read = parse(new Uint8Array([...rest, ...chunk]))
    rest = read.rest
    for (const reply of read.replies) {
      const first = waiting[0]
      first?.got.push(reply)
      if (first !== undefined && first.got.length === first.count) {
        waiting.shift()
        first.resolve(first.got)
      }
    }
  })
  return {
    send: (bytes, count) =>
      new Promise((resolve) => {
        waiting.push({ count, got: [], resolve })
        socket.write(bytes)
      }),
    close: () => socket.destroy(),
  }
}
