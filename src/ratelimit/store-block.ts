/** Blocking a key in a store that others share: its counters are raised so far that every instance refuses. */

import { stampedKey } from './counter-key.ts'
import type { Unit } from './types.ts'
import { unitSeconds, windowStart } from './window.ts'

/** Hits that a block adds to a counter in Redis: above every limit, which has 32 bits, with any count before it. */
export const redisRaise = 2 ** 40

/** The most that a block adds in memcached, which the reference reads as signed 32 bits: below 2^31 with hits. */
export const memcacheRaise = 2 ** 30

/** Hits that a raised counter in memcached can take at the least before the reference can no longer read it. */
const memcacheRoom = 2 ** 24

/**
 * Computes the hits that a block adds to a counter in memcached whose value is `count`: 2^30, or less to stay within
 * the numbers that the reference reads. It then refuses every limit up to 2^31 - 2^24; instances of this service see
 * the mark of the counter and refuse at every limit.
 */
export function boundMemcacheRaise(count: number): number {
  return Math.max(0, Math.min(memcacheRaise, 2 ** 31 - memcacheRoom - count))
}

/** The state of a counter in a store. */
export interface StoredCount {
  readonly count: number
  /** Hits that a block has added, by the mark beside the counter; null without a mark. */
  readonly raisedBy: number | null
}

/** Tells whether an unmarked counter may be raised: by half of the step, as hits may have been given back. */
export function looksRaised(count: number, raise: number): boolean {
  return count >= raise / 2
}

/**
 * Tells whether a block raised a counter that looked raised a moment ago and has this state now: its mark is there, or
 * the block ended in between and the counter was lowered.
 */
export function wasRaised({ count, raisedBy }: StoredCount, raise: number): boolean {
  return raisedBy !== null || !looksRaised(count, raise)
}

/** Computes the hits of a counter beside its block; of an unmarked one that looks raised less `unmarkedRaise`. */
export function hitsBesideBlock({ count, raisedBy }: StoredCount, unmarkedRaise: number): number {
  if (raisedBy !== null) return Math.max(0, count - raisedBy)
  return unmarkedRaise > 0 && looksRaised(count, unmarkedRaise) ? Math.max(0, count - unmarkedRaise) : count
}

/** One window of one counter, as a store knows it. */
export interface StoreWindow {
  /** The key with the window's start. */
  readonly key: string
  readonly unit: Unit
  /** Unix time in seconds. */
  readonly start: number
}

/**
 * Leaves one window for each counter. A key has no unit, as in the reference: at 00:20 the windows of the hour and of
 * the day begin at the same moment and are one counter, on a Thursday that of the week too.
 *
 * @param own - The unit that the counter is known to have; of any others the longest is left.
 */
export function distinctWindows(windows: readonly StoreWindow[], own: Unit | null = null): readonly StoreWindow[] {
  const byKey = new Map<string, StoreWindow>()
  for (const window of windows) {
    const other = byKey.get(window.key)
    const isLonger = other !== undefined && unitSeconds[window.unit] > unitSeconds[other.unit]
    const isBetter = other?.unit !== own && (window.unit === own || isLonger)
    if (other === undefined || isBetter) byKey.set(window.key, window)
  }
  return [...byKey.values()]
}

/** The windows of a key that are open now, one for each counter; `own` as for `distinctWindows`. */
export function openWindows(
  key: string,
  units: readonly Unit[],
  now: number,
  own: Unit | null = null,
): readonly StoreWindow[] {
  const windows = units.map((unit) => ({ key: stampedKey(key, unit, now), unit, start: windowStart(unit, now) }))
  return distinctWindows(windows, own)
}

/** Seconds that windows are raised ahead at the least: time for the renewal to come, and to come late. */
const leastAheadSeconds = 120

/**
 * Lists the windows in which a block is in force now and later: those that are open or begin before
 * `until`, as far ahead as twice the shortest unit or two minutes. A block that lasts longer is renewed.
 *
 * @param now - Unix time in whole seconds.
 * @param until - Unix time in seconds; `Infinity` lists every window that a block can have raised.
 */
export function raisedWindows(key: string, units: readonly Unit[], now: number, until: number): readonly StoreWindow[] {
  const end = Math.min(until, now + aheadSeconds(units))
  const windows: StoreWindow[] = []
  for (const unit of units) {
    for (let start = windowStart(unit, now); start < end; start += unitSeconds[unit]) {
      windows.push({ key: stampedKey(key, unit, start), unit, start })
    }
  }
  return distinctWindows(windows)
}

/** Computes the next look at a block: at its end, or while half of what was raised ahead is left. */
export function renewalDue(units: readonly Unit[], now: number, until: number): number {
  return Math.min(until, now + Math.floor(aheadSeconds(units) / 2))
}

function aheadSeconds(units: readonly Unit[]): number {
  const shortest = Math.min(...units.map((unit) => unitSeconds[unit]))
  return Math.max(leastAheadSeconds, 2 * shortest)
}

/** Seconds that a window's key must live: to the window's end, and 1 at the least. */
export function secondsToLive({ unit, start }: StoreWindow, now: number): number {
  return Math.max(1, start + unitSeconds[unit] - now)
}
