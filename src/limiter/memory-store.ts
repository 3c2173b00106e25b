/** Counters in memory, of one process. */

import { type Algorithm, readAlgorithmKey } from '../ratelimit/algorithm/algorithm.ts'
import { countHit } from '../ratelimit/algorithm/count-hit.ts'
import { addHits, peekHits, refundHits, type Window } from '../ratelimit/counter.ts'
import { asLook, type CounterHit, type CounterStore, type Hits } from '../ratelimit/ports.ts'
import type { Unit } from '../ratelimit/types.ts'
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
 * @param nowMs - Unix time in milliseconds.
 */
export function createMemoryStore(nowMs: () => number, most: number = mostCounters): CounterStore {
  const counters = new Map<string, Kept>()

  const now = () => Math.floor(nowMs() / 1000)

  function apply(hit: CounterHit): Hits {
    const { key, unit, addend, isRefund } = hit
    const counter = readAlgorithmKey(key)
    if (counter !== null) return applyBy(counter.algorithm, hit)
    const name = `${unit} ${key}`
    const at = now()
    const window = counters.get(name)?.window
    const counted = isRefund === true ? refundHits(window, unit, addend, at) : addHits(window, unit, addend, at)
    if (counted === null) return { after: 0, secondsUntilReset: secondsUntilReset(unit, at) }
    // Looking makes no counter.
    if (addend > 0 || window !== undefined) keepWindow(name, unit, counted.window)
    return counted.hits
  }

  function applyBy(algorithm: Algorithm, { key, unit, addend, isRefund, limit = 0, step }: CounterHit): Hits {
    const name = `${unit} ${key}`
    const timed = { addend: isRefund === true ? -addend : addend, limit, nowMs: nowMs(), step }
    const { window, after, secondsUntilReset, fault } = countHit(algorithm, counters.get(name)?.window, timed)
    if (window !== null) keepWindow(name, unit, window)
    return fault === undefined ? { after, secondsUntilReset } : { after, secondsUntilReset, fault }
  }

  function keepWindow(name: string, unit: Unit, window: Window): void {
    keep(name, { window, end: window.start + unitSeconds[unit] })
  }

  function peek(hit: CounterHit): Hits {
    const { key, unit } = hit
    if (readAlgorithmKey(key) !== null) return apply(asLook(hit))
    return peekHits(counters.get(`${unit} ${key}`)?.window, unit, now())
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
    peek: async (hits) => hits.map(peek),
  }
}
