/** The counters of shared memcached servers as an operator handles them: every command must be answered. */

import { parseCounter } from '../../../src/ratelimit/memcache/counting.ts'
import { markOf, raisedByOf } from '../../../src/ratelimit/memcache/mark.ts'
import {
  type Answer,
  encodeAdd,
  encodeDelete,
  encodeGets,
  encodeIncrement,
  encodeSwap,
} from '../../../src/ratelimit/memcache/text.ts'
import {
  hitsBesideBlock,
  looksRaised,
  memcacheRaise,
  memcacheRaiseOf,
  type StoredCount,
  type StoreWindow,
  secondsToLive,
} from '../../../src/ratelimit/store-block.ts'
import type { BlockStep, StoreCounters } from '../operated-counters.ts'

/** Sends one command to the server that holds a key; throws when it does not answer, or with an error of its own. */
export type Ask = (key: string, command: Uint8Array) => Promise<Answer>

/** A counter and the token that changes it only while it stays so. */
interface Found extends StoredCount {
  readonly token: string
}

/** How often a counter that changes under the hand is read again. */
const attempts = 50

/**
 * Makes the operations of a deployment.
 *
 * @param jitter - draws the whole seconds added to a time to live.
 */
export function memcacheCounters(ask: Ask, jitter: () => number): StoreCounters {
  async function find(key: string): Promise<Found | null> {
    const answer = await ask(key, encodeGets(key))
    if (answer.kind !== 'values') return null
    const text = answer.values.get(key)
    const token = answer.tokens.get(key)
    if (text === undefined || token === undefined) return null
    return { count: parseCounter(text), raisedBy: raisedByOf(answer.flags.get(key)), token }
  }

  /** Writes what `next` makes of a counter, value and mark in one step. @returns false when hits were always faster. */
  async function change(
    window: StoreWindow,
    now: number,
    next: (found: StoredCount | null) => StoredCount | null,
  ): Promise<boolean> {
    const { key } = window
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await find(key)
      const wanted = next(found)
      if (wanted === null) return true
      const flags = wanted.raisedBy === null ? 0 : markOf(wanted.raisedBy)
      const item = { value: wanted.count, flags, ttl: secondsToLive(window, now) + jitter(), now }
      const answer = await ask(
        key,
        found === null ? encodeAdd(key, item) : encodeSwap(key, item, found.token),
      )
      if (answer.kind === 'stored') return true
    }
    return false
  }

  /** @returns true when the counter has its mark; a counter that is hit all the time is raised without one. */
  async function raiseOne(window: StoreWindow, { now, takesUnmarked }: BlockStep): Promise<boolean> {
    const isDone = await change(window, now, (found) => raised(found, takesUnmarked))
    if (!isDone) await ask(window.key, encodeIncrement(window.key, memcacheRaise))
    return isDone
  }

  /** Writes the value anew: `decr` would leave spaces behind it, which the reference does not read. */
  async function lowerOne(window: StoreWindow, { now, takesUnmarked }: BlockStep): Promise<void> {
    const isDone = await change(window, now, (found) => lowered(found, takesUnmarked))
    if (!isDone) throw new Error(`memcached: the counter changed ${attempts} times while it was lowered`)
  }

  return {
    raise: memcacheRaise,
    read: (windows) =>
      Promise.all(windows.map(async ({ key }) => (await find(key)) ?? { count: 0, raisedBy: null })),
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

/** A counter with its block; null when it has it already. */
function raised(found: StoredCount | null, takesUnmarked: boolean): StoredCount | null {
  const { count, raisedBy } = found ?? { count: 0, raisedBy: null }
  if (raisedBy !== null) return null
  if (takesUnmarked && looksRaised(count, memcacheRaise)) return { count, raisedBy: memcacheRaise }
  const by = memcacheRaiseOf(count)
  return { count: count + by, raisedBy: by }
}

/** A counter without its block; null when it has none. */
function lowered(found: StoredCount | null, takesUnmarked: boolean): StoredCount | null {
  if (found === null) return null
  const isRaised = found.raisedBy !== null || (takesUnmarked && looksRaised(found.count, memcacheRaise))
  return isRaised ? { count: hitsBesideBlock(found, memcacheRaise), raisedBy: null } : null
}
