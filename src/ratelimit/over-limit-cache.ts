/** Counters known to be over their limit until their window turns, so that they need not be asked again. */

import type { Unit } from './types.ts'
import { longestStepBack, unitSeconds } from './window.ts'

/** A counter that is over its limit. */
export interface OverLimitEntry {
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

interface CacheEntry extends OverLimitEntry {
  readonly bytes: number
  readonly askedAtMs: number
  accessedAtMs: number
}

/** Bytes an entry takes beside its key: map slot, object and numbers, rounded up. */
const entryOverheadBytes = 96

/** Milliseconds. An entry made further ahead than this is of before the clock was set back; its end cannot be trusted. */
const longestStepBackMs = longestStepBack * 1000

/**
 * Makes a cache of at most `maxBytes`, counting two bytes for each character of a key and 96 for each entry.
 *
 * When full, the entry that was remembered first makes room. An entry ends at the window's end by this clock, or
 * `secondsUntilReset` after the question, whichever is earlier. The owner rounds up to whole seconds, so a slow clock
 * here prolongs an entry by less than one second.
 */
export function createOverLimitCache(maxBytes: number) {
  const entries = new Map<string, CacheEntry>()
  let bytes = 0
  let currentRules: object | null = null
  /** Events since the cache was made. */
  const counts = { evacuateCount: 0, expiredCount: 0, hitCount: 0, missCount: 0, overwriteCount: 0 }

  function drop(name: string, entry: CacheEntry): void {
    entries.delete(name)
    bytes -= entry.bytes
  }

  function makeRoom(needed: number): void {
    for (const [name, entry] of entries) {
      if (bytes + needed <= maxBytes) return
      drop(name, entry)
      counts.evacuateCount += 1
    }
  }

  return {
    /** Finds a counter that is over in its open window. The limit is not compared: see `useRules`. */
    find(key: string, unit: Unit, nowMs: number): OverLimitEntry | null {
      const name = entryName(key, unit)
      const entry = entries.get(name)
      if (entry !== undefined && !hasEnded(entry, nowMs)) {
        entry.accessedAtMs = nowMs
        counts.hitCount += 1
        return entry
      }
      if (entry !== undefined) {
        drop(name, entry)
        counts.expiredCount += 1
      }
      counts.missCount += 1
      return null
    },

    /** Remembers a counter that is over; `secondsUntilReset` is of its owner's answer, from `askedAtMs` on. */
    remember(key: string, unit: Unit, secondsUntilReset: number, askedAtMs: number): void {
      const name = entryName(key, unit)
      const known = entries.get(name)
      if (known !== undefined) {
        drop(name, known)
        counts.overwriteCount += 1
      }
      const entry = makeEntry(name, unit, secondsUntilReset, askedAtMs)
      if (entry.bytes > maxBytes) return
      makeRoom(entry.bytes)
      entries.set(name, entry)
      bytes += entry.bytes
    },

    /** Drops a counter, because hits were given back to it or it was reset. */
    forget(key: string, unit: Unit): void {
      const name = entryName(key, unit)
      const entry = entries.get(name)
      if (entry !== undefined) drop(name, entry)
    },

    /** Sets the rules in force. New rules empty the cache, because they may have raised limits. */
    useRules(rules: object | null): void {
      if (rules === currentRules) return
      currentRules = rules
      entries.clear()
      bytes = 0
    },

    /** Tells whether these are the rules in force. A decision by older rules must not be cached. */
    isCurrent: (rules: object | null) => rules === currentRules,

    gauges(): OverLimitGauges {
      const accesses = [...entries.values()].reduce((sum, { accessedAtMs }) => sum + accessedAtMs, 0)
      return {
        ...counts,
        entryCount: entries.size,
        averageAccessTime: entries.size === 0 ? 0 : Math.floor(accesses / entries.size / 1000),
        lookupCount: counts.hitCount + counts.missCount,
      }
    },
  }
}

/** Tells whether the window of an entry has turned, or its end cannot be trusted. */
function hasEnded({ endsAtMs, askedAtMs }: CacheEntry, nowMs: number): boolean {
  return endsAtMs <= nowMs || askedAtMs > nowMs + longestStepBackMs
}

function makeEntry(name: string, unit: Unit, secondsUntilReset: number, askedAtMs: number): CacheEntry {
  const endsAtMs = findEnd(unit, secondsUntilReset, askedAtMs)
  const resetAtMs = Math.max(endsAtMs, (Math.floor(askedAtMs / 1000) + secondsUntilReset) * 1000)
  return { endsAtMs, resetAtMs, bytes: name.length * 2 + entryOverheadBytes, askedAtMs, accessedAtMs: askedAtMs }
}

/** Finds the end of an entry, Unix milliseconds: see `createOverLimitCache`. */
function findEnd(unit: Unit, secondsUntilReset: number, askedAtMs: number): number {
  const lengthMs = unitSeconds[unit] * 1000
  const windowEndMs = (Math.floor(askedAtMs / lengthMs) + 1) * lengthMs
  return Math.min(windowEndMs, askedAtMs + secondsUntilReset * 1000)
}

function entryName(key: string, unit: Unit): string {
  return `${unit} ${key}`
}
