/** The windows that an object holds in memory: all that the disk does not have, and a bounded copy of what it has. */

import { isOver, isUnsaved, type StoredWindow } from '#ratelimit/durability/stored-window.ts'

/** The window of a counter, or null when the disk has none. */
export type Known = StoredWindow | null

interface ResidentBounds {
  /** Windows on disk that are kept in memory as well. */
  readonly most: number
  /** Up to so many windows none is evicted. */
  readonly unwatched: number
  /** Windows that are checked for eviction whenever one is kept; two at least, so that they leave faster than they come. */
  readonly step: number
}

/**
 * Eight shards on one machine hold a quarter of a million windows, in some 80 MiB, and a shard on the platform a tenth
 * of an object's memory; a window that must be read from disk again costs a fraction of the write that follows.
 */
const residentBounds: ResidentBounds = { most: 32_768, unwatched: 512, step: 4 }

/**
 * Milliseconds since its last hit for which a window below its ceiling is kept beyond `most`: evicted, it would lose the
 * hits that its ceiling holds ahead of the count.
 */
const busyMs = 10_000

/** The windows of an object in memory. */
export type ResidentWindows = ReturnType<typeof residentWindows>

/**
 * Makes an empty collection. Each `keep` checks a few windows for eviction; a window of a second is not evicted while it
 * is open, because it is on no disk.
 */
export function residentWindows({ most, unwatched, step }: ResidentBounds = residentBounds) {
  const windows = new Map<string, Known>()
  let walk = windows.entries()

  function canEvict(known: Known, now: number): boolean {
    if (known === null) return true
    // Unsaved hits stay even when the window looks over: the clock may have leapt ahead, and be set back.
    if (isUnsaved(known)) return false
    return isOver(known, now) || (windows.size > most && known.unit !== 'SECOND' && !isBusy(known, now))
  }

  function evictSome(now: number): void {
    for (let looked = 0; looked < step; looked++) {
      const { value, done } = walk.next()
      if (done === true) {
        walk = windows.entries()
        return
      }
      const [name, known] = value
      if (canEvict(known, now)) windows.delete(name)
    }
  }

  return {
    /** Undefined for a counter that must be looked up on disk. */
    find: (name: string): Known | undefined => windows.get(name),
    /** Keeps what is known of a counter; then looks at a few others, and drops those that are over or not needed. */
    keep(name: string, known: Known, now: number): void {
      if (windows.size > unwatched) evictSome(now)
      windows.set(name, known)
    },
    /** Keeps another state of a window that is held. */
    change: (name: string, stored: StoredWindow) => void windows.set(name, stored),
    forget: (name: string) => void windows.delete(name),
    /** Drops everything that is over. */
    forgetExpired(now: number): void {
      for (const [name, known] of windows) {
        if (known === null || (isOver(known, now) && !isUnsaved(known))) windows.delete(name)
      }
    },
    get size() {
      return windows.size
    },
  }
}

function isBusy({ state, hitAtMs }: StoredWindow, now: number): boolean {
  return state === 'ahead' && now * 1000 - hitAtMs < busyMs
}
