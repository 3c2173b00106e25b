/** A CounterStore in memory with a settable clock, in the manner of Redis or of memcached. */

import { addHits, peekHits, refundHits, type Window } from '#ratelimit/counter.ts'
import { stampedKey } from '#ratelimit/counter-key.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { CounterHit, CounterStore, Hits } from '#ratelimit/ports.ts'
import { secondsUntilReset, unitSeconds } from '#ratelimit/window.ts'

/** Behaviour of the store where the two back ends of the reference differ. */
export type Flavour = 'redis' | 'memcached'

/** Options of a store; times are Unix seconds. */
export interface MemoryCounterStoreOptions {
  readonly now: () => number
  readonly flavour?: Flavour
  /** Seconds added to every time to live, drawn by `random` from 0 to this, exclusive. */
  readonly jitterSeconds?: number
  /** 0 to 1, exclusive. */
  readonly random?: () => number
}

/** A live counter as the reference's stores would show it. */
export interface LiveCounter {
  readonly key: string
  readonly unit: CounterHit['unit']
  readonly value: number
  /** Seconds, as last set. */
  readonly ttl: number
}

/** The store, with what a test needs beside the port. */
export interface MemoryCounterStore extends CounterStore {
  /** Every counter that has not expired, under its stamped key. */
  dump(): readonly LiveCounter[]
  /** From now on every operation fails with this message; null works again. */
  fail(message: string | null): void
  /** Operations asked of the store so far. */
  readonly calls: { hit: number; peek: number }
}

interface Kept extends LiveCounter {
  readonly window: Window
  readonly setAt: number
}

/** Keys longer than this many bytes are refused by memcached. */
const longestMemcachedKey = 250

/**
 * Makes an empty store.
 *
 * Redis: hits of one request are counted in order, the time to live is set anew at every hit, a failure is an
 * error. Memcached: all hits of a request are judged on the values before it, the time to live stays as first
 * set, and a failure counts as a counter at 0.
 */
export function createMemoryCounterStore(options: MemoryCounterStoreOptions): MemoryCounterStore {
  const { now, flavour = 'redis', jitterSeconds = 0, random = () => 0 } = options
  const counters = new Map<string, Kept>()
  const calls = { hit: 0, peek: 0 }
  let failure: string | null = null

  function find(key: string): Kept | undefined {
    const kept = counters.get(key)
    return kept !== undefined && kept.setAt + kept.ttl > now() ? kept : undefined
  }

  function apply({ key, unit, addend, isRefund }: CounterHit): Hits {
    const stamped = stampedKey(key, unit, now())
    const kept = find(stamped)
    const counted = isRefund
      ? refundHits(kept?.window, unit, addend, now())
      : addHits(kept?.window, unit, addend, now())
    if (counted === null) return { after: 0, secondsUntilReset: secondsUntilReset(unit, now()) }
    const isKept = flavour === 'memcached' && kept !== undefined
    const ttl = isKept ? kept.ttl : unitSeconds[unit] + Math.floor(random() * jitterSeconds)
    const setAt = isKept ? kept.setAt : now()
    const value = counted.window.hits
    counters.set(stamped, { key: stamped, unit, value, ttl, setAt, window: counted.window })
    return counted.hits
  }

  function look({ key, unit }: CounterHit): Hits {
    return peekHits(find(stampedKey(key, unit, now()))?.window, unit, now())
  }

  function judgeOnOldValues(hits: readonly CounterHit[]): readonly Hits[] {
    const before = hits.map((hit) => (isBroken(hit) ? { ...look(hit), after: 0 } : look(hit)))
    for (const hit of hits) if (!isBroken(hit)) apply(hit)
    return before.map(({ after, secondsUntilReset: seconds }, index) => {
      const hit = hits[index]
      const addend = hit === undefined ? 0 : hit.isRefund ? -Math.min(after, hit.addend) : hit.addend
      return { after: after + addend, secondsUntilReset: seconds }
    })
  }

  function isBroken(hit: CounterHit): boolean {
    return failure !== null || stampedKey(hit.key, hit.unit, now()).length > longestMemcachedKey
  }

  function assertWorking(): void {
    if (failure !== null && flavour === 'redis') throw new RatelimitError('counter_unavailable', failure)
  }

  return {
    calls,
    async hit(hits) {
      calls.hit += 1
      assertWorking()
      return flavour === 'memcached' ? judgeOnOldValues(hits) : hits.map(apply)
    },
    async peek(hits) {
      calls.peek += 1
      assertWorking()
      return hits.map(look)
    },
    dump: () =>
      [...counters.values()]
        .filter((kept) => find(kept.key) !== undefined)
        .map(({ key, unit, value, ttl }) => ({ key, unit, value, ttl })),
    fail(message) {
      failure = message
    },
  }
}
