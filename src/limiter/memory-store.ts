/** Counters in memory, of one process. */

import { type AppliedHit, applyAll, applyHit, type CounterWindows } from '../ratelimit/algorithm/apply-hit.ts'
import type { Window } from '../ratelimit/counter.ts'
import { asLook, type CounterHit, type CounterStore, type Hits } from '../ratelimit/ports.ts'
import { keptSeconds } from '../ratelimit/window.ts'

/** Counters that are kept: beyond them those whose window has ended go, then the oldest. */
const mostCounters = 100_000

/** Makes an empty store, by a clock of Unix milliseconds. */
export function createMemoryStore(nowMs: () => number, most: number = mostCounters): CounterStore {
  // The end of a window in Unix seconds.
  const counters = new Map<string, { readonly window: Window; readonly end: number }>()

  const windows: CounterWindows = {
    find: (name) => counters.get(name)?.window,
    keep(name, { unit, window }) {
      if (counters.size >= most && !counters.has(name)) makeRoom()
      counters.set(name, { window, end: window.start + keptSeconds(unit) })
    },
  }

  function apply(windows: CounterWindows, hit: CounterHit): AppliedHit {
    const { key, unit, isRefund, limit, step } = hit
    const addend = isRefund === true ? -hit.addend : hit.addend
    return applyHit(windows, { key, unit, name: `${unit} ${key}`, addend, limit: limit ?? null, step }, nowMs())
  }

  function makeRoom(): void {
    const at = nowMs() / 1000
    for (const [name, { end }] of counters) if (end <= at) counters.delete(name)
    for (const name of counters.keys()) {
      if (counters.size < most) return
      counters.delete(name)
    }
  }

  return {
    hit: async (hits) => applyAll(hits, windows, apply).map(toHits),
    peek: async (hits) => hits.map((hit) => toHits(apply(windows, asLook(hit)))),
    isOneCall: () => true,
  }
}

function toHits({ capacity: _, ended: __, ...hits }: AppliedHit): Hits {
  return hits
}
