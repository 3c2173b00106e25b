/** Counters known to be over their limit until their window turns, so that they need not be asked again. */

import type { Unit } from './types.ts'
import { longestStepBack, unitSeconds } from './window.ts'

/** A counter that is over its limit. */
export interface Remembered {
  /** Unix time in milliseconds at which the window turns. */
  readonly endsAtMs: number
  /** Unix time in milliseconds from which hits may pass again; later than the window's end for a blocked key. */
  readonly resetAtMs: number
}

/** Figures of a cache, named as the `ratelimit.localcache.*` gauges are. */
export interface OverLimitGauges {
  readonly evacuateCount: number
  readonly expiredCount: number
  readonly entryCount: number
  /** Unix time in seconds, averaged over the entries present; 0 when there are none. */
  readonly averageAccessTime: number
  readonly hitCount: number
  readonly missCount: number
  readonly lookupCount: number
  readonly overwriteCount: number
}

/** A memory of counters that are over, bounded in bytes. */
export type OverLimitCache = ReturnType<typeof createOverLimitCache>

interface CacheEntry extends Remembered {
  readonly bytes: number
  readonly askedAtMs: number
  accessedAtMs: number
}

/** Bytes an entry takes beside its key: map slot, object and numbers, rounded up. */
const entryOverheadBytes = 96

/** Milliseconds; an entry from farther ahead was made under a clock that leapt and came back: when it ends is not known. */
const longestStepBackMs = longestStepBack * 1000

/**
 * Makes a cache of at most `maxBytes`, counting two bytes for each character of a key and 96 for each entry.
 *
 * When full, the entry that was remembered first makes room. An entry is never used once its window has
 * turned: windows end at multiples of the unit, and an entry also never outlives `secondsUntilReset` counted
 * from the moment of asking, so that a slow clock here cannot prolong it by more than the fraction of a second
 * that the owner's whole seconds leave open.
 */
export function createOverLimitCache(maxBytes: number) {
  const entries = new Map<string, CacheEntry>()
  let bytes = 0
  let followed: object | null = null
  const counts = { evacuated: 0, expired: 0, hits: 0, misses: 0, overwrites: 0 }

  function drop(name: string, entry: CacheEntry): void {
    entries.delete(name)
    bytes -= entry.bytes
  }

  function makeRoom(needed: number): void {
    for (const [name, entry] of entries) {
      if (bytes + needed <= maxBytes) return
      drop(name, entry)
      counts.evacuated += 1
    }
  }

  return {
    /** Finds a counter that was over in a window that is open, also under another limit: the store is not read again. */
    find(key: string, unit: Unit, nowMs: number): Remembered | null {
      const name = entryName(key, unit)
      const entry = entries.get(name)
      if (entry !== undefined && (entry.endsAtMs <= nowMs || entry.askedAtMs > nowMs + longestStepBackMs)) {
        drop(name, entry)
        counts.expired += 1
      } else if (entry !== undefined) {
        entry.accessedAtMs = nowMs
        counts.hits += 1
        return entry
      }
      counts.misses += 1
      return null
    },

    /** Remembers a counter that came back over; seconds count from the moment of asking, as its owner said. */
    remember(key: string, unit: Unit, secondsUntilReset: number, askedAtMs: number): void {
      const name = entryName(key, unit)
      const size = name.length * 2 + entryOverheadBytes
      const known = entries.get(name)
      if (known !== undefined) {
        drop(name, known)
        counts.overwrites += 1
      }
      if (size > maxBytes) return
      makeRoom(size)
      const endsAtMs = windowEnd(unit, secondsUntilReset, askedAtMs)
      const resetAtMs = Math.max(endsAtMs, (Math.floor(askedAtMs / 1000) + secondsUntilReset) * 1000)
      entries.set(name, { endsAtMs, resetAtMs, bytes: size, askedAtMs, accessedAtMs: askedAtMs })
      bytes += size
    },

    /** Drops a counter, because hits were given back to it or it was reset. */
    forget(key: string, unit: Unit): void {
      const name = entryName(key, unit)
      const entry = entries.get(name)
      if (entry !== undefined) drop(name, entry)
    },

    /** Names the rules that limits come from; other rules than the last forget everything: they may have raised limits. */
    follow(rules: object | null): void {
      if (rules === followed) return
      followed = rules
      entries.clear()
      bytes = 0
    },

    /** Tells whether these are the rules that were followed last: what other rules decided is not to be remembered. */
    isFollowing: (rules: object | null) => rules === followed,

    gauges(): OverLimitGauges {
      const accesses = [...entries.values()].reduce((sum, entry) => sum + entry.accessedAtMs, 0)
      return {
        evacuateCount: counts.evacuated,
        expiredCount: counts.expired,
        entryCount: entries.size,
        averageAccessTime: entries.size === 0 ? 0 : Math.floor(accesses / entries.size / 1000),
        hitCount: counts.hits,
        missCount: counts.misses,
        lookupCount: counts.hits + counts.misses,
        overwriteCount: counts.overwrites,
      }
    },
  }
}

/** The earlier of the window's end by this clock, and the owner's seconds from the moment of asking. */
function windowEnd(unit: Unit, secondsUntilReset: number, askedAtMs: number): number {
  const lengthMs = unitSeconds[unit] * 1000
  const byClock = (Math.floor(askedAtMs / lengthMs) + 1) * lengthMs
  return Math.min(byClock, askedAtMs + secondsUntilReset * 1000)
}

function entryName(key: string, unit: Unit): string {
  return `${unit} ${key}`
}
