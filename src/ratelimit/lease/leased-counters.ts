/** Counters with leases or holders: a bounded number of them, without those that nothing was asked about lately. */

import type { KeptLease } from '../counter.ts'

/** The open leases of one counter in one window, and its holders. */
export interface LeasedCounter {
  /** Unix time in seconds. */
  windowStart: number
  /** Hits in open leases. */
  outstanding: number
  /** Hits granted, by the id of the lease. */
  readonly leases: Map<number, number>
  /** The leases that are to outlive a restart. */
  kept: readonly KeptLease[]
  /** Time at which each holder asked last, the latest at the end. */
  readonly holders: Map<number, number>
  touchedMs: number
}

/** Milliseconds after which a holder that has not asked again is not counted. */
export const holderMs = 10_000
/** Counters that are looked at whenever one is added. */
const walkStep = 4
/** A year, the longest window: leases that began before it are void. */
const longestWindowMs = 31_536_000_000

/** The leases of a counter without any that are to outlive a restart. */
export const noLeases: readonly KeptLease[] = []

/** Makes an empty table of at most `most` counters. Times are Unix milliseconds of the object's clock. */
export function createLeasedCounters(most: number) {
  const counters = new Map<string, LeasedCounter>()
  let walk = counters.entries()

  /** Forgets counters without requests; open leases of a longer window stay. */
  function forgetNext(nowMs: number): void {
    for (let looked = 0; looked < walkStep; looked++) {
      const { value, done } = walk.next()
      if (done === true) {
        walk = counters.entries()
        return
      }
      const [name, { leases, touchedMs, windowStart }] = value
      const isOld = nowMs - touchedMs > holderMs
      if (isOld && (leases.size === 0 || nowMs - windowStart * 1000 > longestWindowMs)) counters.delete(name)
    }
  }

  return {
    find: (name: string): LeasedCounter | undefined => counters.get(name),

    /** Turns a counter to a window, in which leases of another one are void; undefined where it is not known. */
    turnTo(name: string, windowStart: number): LeasedCounter | undefined {
      const counter = counters.get(name)
      if (counter === undefined || counter.windowStart === windowStart) return counter
      counter.windowStart = windowStart
      counter.outstanding = 0
      counter.leases.clear()
      counter.kept = noLeases
      return counter
    },

    /** Adds a counter that is not known; undefined when there is no room. */
    add(name: string, windowStart: number, nowMs: number): LeasedCounter | undefined {
      forgetNext(nowMs)
      if (counters.size >= most) return undefined
      const counter: LeasedCounter = {
        windowStart,
        outstanding: 0,
        leases: new Map(),
        kept: noLeases,
        holders: new Map(),
        touchedMs: nowMs,
      }
      counters.set(name, counter)
      return counter
    },
  }
}
