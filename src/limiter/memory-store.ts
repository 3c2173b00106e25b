/** Counters in memory, of one process. */

import { addHits, peekHits, refundHits, type Window } from '../ratelimit/counter.ts'
import type { CounterHit, CounterStore, Hits } from '../ratelimit/ports.ts'
import { secondsUntilReset, unitSeconds } from '../ratelimit/window.ts'

/** Counters that are kept: beyond them those whose window has ended go, then the oldest. */
const mostCounters = 100_000

interface Kept {
  readonly window: Window
  /** Unix seconds. */
  readonly end: number
}

/**
 * Makes an empty store.
 *
 * @param now - Unix time in whole seconds.
 */
export function createMemoryStore(now: () => number, most: number = mostCounters): CounterStore {
  const counters = new Map<string, Kept>()

  function apply({ key, unit, addend, isRefund }: CounterHit): Hits {
    const name = `${unit} ${key}`
    const at = now()
    const window = counters.get(name)?.window
    const counted = isRefund === true ? refundHits(window, unit, addend, at) : addHits(window, unit, addend, at)
    if (counted === null) return { after: 0, secondsUntilReset: secondsUntilReset(unit, at) }
    // Looking makes no counter.
    if (addend > 0 || window !== undefined)
      keep(name, { window: counted.window, end: counted.window.start + unitSeconds[unit] })
    return counted.hits
  }

  function keep(name: string, kept: Kept): void {
    if (counters.size >= most && !counters.has(name)) makeRoom()
    counters.set(name, kept)
  }

  function makeRoom(): void {
    const at = now()
    for (const [name, { end }] of counters) if (end <= at) counters.delete(name)
    for (const name of counters.keys()) {
      if (counters.size < most) return
      counters.delete(name)
    }
  }

  return {
    hit: async (hits) => hits.map(apply),
    peek: async (hits) => hits.map(({ key, unit }) => peekHits(counters.get(`${unit} ${key}`)?.window, unit, now())),
  }
}
