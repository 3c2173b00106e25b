/** The counters of shared memcached servers as an operator handles them: every command must be answered. */

import { parseCounter } from '../../src/ratelimit/memcache/counting.ts'
import {
  type Answer,
  encodeAdd,
  encodeDelete,
  encodeGets,
  encodeIncrement,
  encodeSwap,
} from '../../src/ratelimit/memcache/text.ts'
import {
  isRaised,
  memcacheRaise,
  type StoreWindow,
  secondsToLive,
  withoutRaise,
} from '../../src/ratelimit/store-block.ts'
import type { StoreCounters } from '../operated-counters.ts'

/** Sends one command to the server that holds a key; throws when it does not answer, or with an error of its own. */
export type Ask = (key: string, command: Uint8Array) => Promise<Answer>

/** A counter and the token that changes it only while it stays so. */
interface Found {
  readonly count: number
  readonly token: string
}

/** How often a counter that changes under the hand is read again. */
const attempts = 10

/**
 * Makes the operations of a deployment.
 *
 * @param jitter - draws the whole seconds added to a time to live.
 */
export function memcacheCounters(ask: Ask, jitter: () => number): StoreCounters {
  async function find(key: string): Promise<Found | null> {
    const answer = await ask(key, encodeGets(key))
    const text = answer.kind === 'values' ? answer.values.get(key) : undefined
    const token = answer.kind === 'values' ? answer.tokens.get(key) : undefined
    return text === undefined || token === undefined ? null : { count: parseCounter(text), token }
  }

  async function raiseOne(window: StoreWindow, now: number): Promise<void> {
    const { key } = window
    const found = await find(key)
    if (found !== null && isRaised(found.count, memcacheRaise)) return
    const changed = await ask(key, encodeIncrement(key, memcacheRaise))
    if (changed.kind === 'number') return
    const ttl = secondsToLive(window, now) + jitter()
    const added = await ask(key, encodeAdd(key, memcacheRaise, ttl, now))
    // Somebody else added it in between, and what is there now can be increased.
    if (added.kind === 'not-stored') await ask(key, encodeIncrement(key, memcacheRaise))
  }

  /** Writes the value anew: `decr` would leave spaces behind it, which the reference does not read. */
  async function lowerOne(window: StoreWindow, now: number): Promise<void> {
    const { key } = window
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await find(key)
      if (found === null || !isRaised(found.count, memcacheRaise)) return
      const ttl = secondsToLive(window, now) + jitter()
      const left = withoutRaise(found.count, memcacheRaise)
      const swapped = await ask(key, encodeSwap(key, left, found.token, ttl, now))
      if (swapped.kind !== 'exists') return
    }
    throw new Error(`memcached: the counter changed ${attempts} times while it was lowered`)
  }

  const forAll = async (windows: readonly StoreWindow[], act: (window: StoreWindow) => Promise<unknown>) => {
    await Promise.all(windows.map(act))
  }
  return {
    raise: memcacheRaise,
    read: (windows) => Promise.all(windows.map(async ({ key }) => (await find(key))?.count ?? 0)),
    raiseAll: (windows, now) => forAll(windows, (window) => raiseOne(window, now)),
    lowerAll: (windows, now) => forAll(windows, (window) => lowerOne(window, now)),
    remove: (windows) => forAll(windows, ({ key }) => ask(key, encodeDelete(key))),
  }
}
