/** The counter's side of leases: which are open on each counter, who holds them, and how large the next may be. */

import type { KeptLease } from '../counter.ts'
import { decodeReturned } from './lease.ts'

/** Some 20 MiB when everything is full, which takes more holders than one object can answer. */
const leaseBounds = { counters: 20_000, leases: 512, holders: 128 }

/** A holder that has not asked for so long is not counted. */
const holderMs = 10_000
/** Counters that are looked at whenever one is added. */
const walkStep = 4
/** A year, the longest window: leases that began before it are void. */
const longestWindowMs = 31_536_000_000

const noLeases: readonly KeptLease[] = []
/** Returned hits to take off the counter, and the number of wrong returns. */
const nothingSettled = { unused: 0, faults: 0 }

interface LeasedCounter {
  windowStart: number
  outstanding: number
  /** Hits granted, by lease. */
  readonly leases: Map<number, number>
  /** Those that are to outlive a restart. */
  kept: readonly KeptLease[]
  /** Time at which each holder asked last, the latest at the end. */
  readonly holders: Map<number, number>
  touchedMs: number
}

/** Hits that one lease may have: the rest divided, but no more than wanted. */
export function leaseSize(rest: number, wanted: number, divisor: number): number {
  return rest <= 0 || divisor <= 0 ? 0 : Math.max(0, Math.min(wanted, Math.floor(rest / divisor)))
}

/** Request of a holder for a lease. */
interface LeaseRequest {
  /** Number of the isolate or object that asks. */
  readonly holder: number
  /** True for up to all that is left. */
  readonly takesAll: boolean
}

/**
 * Makes an empty book. A restart of the object loses it and no hit: what is in open leases is part of the count, and
 * a return to an empty book changes nothing. Leases that are to outlive it are kept with the window. All times are Unix
 * milliseconds of the object's clock.
 *
 * @param bounds - on counters with leases or holders, on open leases of one, and on holders of one that are counted.
 */
export function createLeaseBook(bounds = leaseBounds) {
  const counters = new Map<string, LeasedCounter>()
  let walk = counters.entries()

  /** The counter in the window; what is known of another window is void. */
  function find(name: string, windowStart: number): LeasedCounter | undefined {
    const counter = counters.get(name)
    if (counter === undefined || counter.windowStart === windowStart) return counter
    counter.windowStart = windowStart
    counter.outstanding = 0
    counter.leases.clear()
    counter.kept = noLeases
    return counter
  }

  function add(name: string, windowStart: number, nowMs: number): LeasedCounter | undefined {
    walkOn(nowMs)
    if (counters.size >= bounds.counters) return undefined
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
  }

  /** Opens a lease and returns its counter; undefined when the window has turned, or nothing was granted. */
  function openIn(name: string, windowStart: number, id: number, granted: number): LeasedCounter | undefined {
    const counter = counters.get(name)
    if (counter === undefined || counter.windowStart !== windowStart || granted <= 0) return undefined
    addLease(counter, id, granted)
    return counter
  }

  /** Forgets counters without requests; open leases of a longer window stay. */
  function walkOn(nowMs: number): void {
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
    /** Closes leases; each gives back what was not used of it, and nothing when more is claimed than it had. */
    settle(name: string, windowStart: number, returned: readonly number[]) {
      if (returned.length === 0) return nothingSettled
      const counter = find(name, windowStart)
      let [unused, faults] = [0, 0]
      for (const { id: lease, unused: claimed } of decodeReturned(returned)) {
        const granted = counter?.leases.get(lease)
        const isRight = granted !== undefined && Number.isInteger(claimed) && claimed >= 0 && claimed <= granted
        if (!isRight) faults += 1
        if (counter === undefined || granted === undefined) continue
        counter.leases.delete(lease)
        if (counter.kept.some(([id]) => id === lease)) counter.kept = counter.kept.filter(([id]) => id !== lease)
        counter.outstanding -= granted
        // Of a holder that claims more than it had, nothing says how much it used: all of it counts as used.
        if (isRight) unused += claimed
      }
      return { unused, faults }
    },

    /** Hits in open leases of a window; 0 for a window that has turned. */
    outstanding: (name: string, windowStart: number) => find(name, windowStart)?.outstanding ?? 0,

    /**
     * By how much the rest of a limit is to be divided for one lease: 1 for a holder that takes all, else twice the
     * holders seen lately, this one included; 0 when no lease can be kept in mind, so that none must be granted.
     */
    divisor(name: string, windowStart: number, { holder, takesAll }: LeaseRequest, nowMs: number) {
      const counter = find(name, windowStart) ?? add(name, windowStart, nowMs)
      if (counter === undefined || counter.leases.size >= bounds.leases) return 0
      counter.touchedMs = nowMs
      noteHolder(counter.holders, holder, nowMs, bounds.holders)
      return takesAll ? 1 : 2 * counter.holders.size
    },

    /** Keeps a lease in mind, unless its window has turned since; the divisor must have been asked for. */
    open: (name: string, windowStart: number, id: number, granted: number): void =>
      void openIn(name, windowStart, id, granted),

    /** Opens a lease that is to outlive a restart: its holder can prove afterwards what it did not use. */
    openKept(name: string, windowStart: number, id: number, granted: number): void {
      const counter = openIn(name, windowStart, id, granted)
      if (counter !== undefined) counter.kept = [...counter.kept, [id, granted]]
    },

    /** The open leases of a window that are to outlive a restart; the same list as long as they are the same. */
    kept: (name: string, windowStart: number) => find(name, windowStart)?.kept ?? noLeases,

    /** Opens the leases that a window was kept with, if nothing is known of the counter. */
    restore(name: string, windowStart: number, leases: readonly KeptLease[], nowMs: number): void {
      if (leases.length === 0 || counters.has(name)) return
      const counter = add(name, windowStart, nowMs)
      if (counter === undefined) return
      for (const [id, granted] of leases) addLease(counter, id, granted)
      counter.kept = leases
    },

    /** Forgets the counters of a name, as after a reset. */
    forget: (name: string): void => void counters.delete(name),
  }
}

/** The open leases of an object's counters. */
export type LeaseBook = ReturnType<typeof createLeaseBook>

function addLease(counter: LeasedCounter, id: number, granted: number): void {
  counter.leases.set(id, (counter.leases.get(id) ?? 0) + granted)
  counter.outstanding += granted
}

/** Puts a holder at the end, and drops those that have not asked lately or are too many. */
function noteHolder(holders: Map<number, number>, holder: number, nowMs: number, most: number): void {
  holders.delete(holder)
  holders.set(holder, nowMs)
  for (const [other, askedMs] of holders) {
    if (nowMs - askedMs <= holderMs && holders.size <= most) return
    holders.delete(other)
  }
}
