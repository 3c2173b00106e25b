/** The counters of shared memcached servers as an operator handles them: every command must be answered. */

import { decodeMark, encodeMark } from '#ratelimit/memcache/counting.ts'
import { encodeAdd, encodeDelete, encodeIncrement, encodeSwap, type Item } from '#ratelimit/memcache/text.ts'
import {
  boundMemcacheRaise,
  hitsBesideBlock,
  looksRaised,
  memcacheRaise,
  type StoredCount,
  type StoreWindow,
  secondsToLive,
} from '#ratelimit/store-block.ts'
import type { BlockStep, StoreCounters } from '../back-end/raised-windows.ts'
import { type Ask, type FoundCounter, findCounter } from './found-counter.ts'

/** Reads of a counter that other clients change meanwhile, at most. */
const attempts = 50

/** Computes the new state of a counter; null when it is so already. */
type Change = (stored: StoredCount | null) => StoredCount | null

/** Makes the operations of a deployment. */
export function memcacheCounters(ask: Ask, jitter: () => number): StoreCounters {
  /** Reads and writes until nothing came in between, value and mark in one step. @returns false when hits always did. */
  async function change(window: StoreWindow, now: number, next: Change): Promise<boolean> {
    const { key } = window
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await findCounter(ask, key)
      const wanted = next(found === null ? null : storedCount(found))
      if (wanted === null) return true
      const item = toItem(wanted, secondsToLive(window, now) + jitter(), now)
      const command = found === null ? encodeAdd(key, item) : encodeSwap(key, item, found.token)
      if ((await ask(key, command)).kind === 'stored') return true
    }
    return false
  }

  /** @returns true when the counter has its mark; a counter that is hit all the time is raised without one. */
  async function raiseOne(window: StoreWindow, { now, takesUnmarked }: BlockStep): Promise<boolean> {
    const isDone = await change(window, now, (stored) => raised(stored, takesUnmarked))
    if (!isDone) await ask(window.key, encodeIncrement(window.key, memcacheRaise))
    return isDone
  }

  /** Writes the value anew: `decr` would leave spaces behind it, which the reference does not read. */
  async function lowerOne(window: StoreWindow, { now, takesUnmarked }: BlockStep): Promise<void> {
    const isDone = await change(window, now, (stored) => lowered(stored, takesUnmarked))
    if (!isDone) throw new Error(`memcached: the counter changed ${attempts} times while it was lowered`)
  }

  async function readOne({ key }: StoreWindow): Promise<StoredCount> {
    const found = await findCounter(ask, key)
    return found === null ? { count: 0, raisedBy: null } : storedCount(found)
  }

  return {
    raise: memcacheRaise,
    read: (windows) => Promise.all(windows.map(readOne)),
    raiseAll: async (windows, step) => {
      const isMarked = await Promise.all(windows.map((window) => raiseOne(window, step)))
      return !isMarked.includes(false)
    },
    lowerAll: async (windows, step) => {
      await Promise.all(windows.map((window) => lowerOne(window, step)))
    },
    remove: async (windows) => {
      await Promise.all(windows.map(({ key }) => ask(key, encodeDelete(key))))
    },
  }
}

function storedCount({ count, flags }: FoundCounter): StoredCount {
  return { count, raisedBy: decodeMark(flags) }
}

function toItem({ count, raisedBy }: StoredCount, ttl: number, now: number): Item {
  return { value: count, flags: raisedBy === null ? 0 : encodeMark(raisedBy), ttl, now }
}

/** A counter with its block; null when it has its block already. */
function raised(found: StoredCount | null, takesUnmarked: boolean): StoredCount | null {
  const { count, raisedBy } = found ?? { count: 0, raisedBy: null }
  if (raisedBy !== null) return null
  if (takesUnmarked && looksRaised(count, memcacheRaise)) return { count, raisedBy: memcacheRaise }
  const by = boundMemcacheRaise(count)
  return { count: count + by, raisedBy: by }
}

/** A counter without its block; null when it has none. */
function lowered(found: StoredCount | null, takesUnmarked: boolean): StoredCount | null {
  if (found === null) return null
  const isRaised = found.raisedBy !== null || (takesUnmarked && looksRaised(found.count, memcacheRaise))
  return isRaised ? { count: hitsBesideBlock(found, memcacheRaise), raisedBy: null } : null
}
