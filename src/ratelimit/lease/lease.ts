/** The counter's side of leases: which are open on each counter, who holds them, and how large the next may be. */

import type { KeptLease } from '../counter.ts'

/**
 * One question about one counter, as it travels.
 *
 * In order: the returned leases are closed, `addend` is counted as `hit` would, then a lease of at most `wanted` hits
 * is granted. Callers and objects of different releases talk to each other, so the shape never changes: another shape
 * gets another method.
 */
export type WireDraw = readonly [
  key: string,
  /** Index in `units`. */
  unit: number,
  /** Hits to count now, 0 for none. */
  addend: number,
  /** Requests per unit. */
  limit: number,
  /** Hits wanted as a lease, 0 for none. */
  wanted: number,
  /** 1 for up to all that is left, 0 for a part that leaves something to other holders. */
  all: 0 | 1,
  /** Pairs of a lease and the hits of it that were not used; each closes its lease. */
  returned: readonly number[],
]

/** The answer to one question. */
export interface Draw {
  /** The counter with every open lease in it; above the limit the addend is refused. */
  readonly after: number
  /** Unix time in seconds when the window began, by the object's clock: two draws of one window have the same. */
  readonly windowStart: number
  /** Milliseconds from the grant to the end of the window, by the object's clock. */
  readonly millisecondsUntilReset: number
  /** Hits of the lease that the call opened here, named by the call's id; 0 when it opened none. */
  readonly granted: number
  /** Hits in open leases, this one included. */
  readonly outstanding: number
  /** Returned leases that were not open, or had fewer hits: nothing comes back of them. */
  readonly faults: number
  /** Milliseconds for which the lease may be used, where it is of a lease and so ends before the window. */
  readonly lastsMs?: number
}

/** Numbers that an answer has for each question. */
const drawWidth = 6

/** Writes answers as they travel: the fields of `Draw` in their order. */
export function encodeDraws(draws: readonly Draw[]): readonly number[] {
  return draws.flatMap((draw) => [
    draw.after,
    draw.windowStart,
    draw.millisecondsUntilReset,
    draw.granted,
    draw.outstanding,
    draw.faults,
  ])
}

/** Reads what `encodeDraws` wrote; a missing number is 0. */
export function decodeDraws(answer: readonly number[]): readonly Draw[] {
  const draws: Draw[] = []
  for (let from = 0; from < answer.length; from += drawWidth) {
    const [after = 0, windowStart = 0, millisecondsUntilReset = 0, granted = 0, outstanding = 0, faults = 0] =
      answer.slice(from, from + drawWidth)
    draws.push({ after, windowStart, millisecondsUntilReset, granted, outstanding, faults })
  }
  return draws
}

/** Request of a holder for a lease. */
interface LeaseRequest {
  /** Number of the isolate or object that asks. */
  readonly holder: number
  readonly wanted: number
  /** True for up to all that is left. */
  readonly takesAll: boolean
}

/** Returned hits to take off the counter, and the number of wrong returns. */
export interface Settled {
  readonly unused: number
  readonly faults: number
}

/** The open leases of an object's counters. All times are Unix milliseconds of the object's clock. */
export interface LeaseBook {
  /** Closes leases; each gives back what was not used of it, and nothing when more is claimed than it had. */
  settle(name: string, windowStart: number, returned: readonly number[]): Settled
  /** Hits in open leases of a window; 0 for a window that has turned. */
  outstanding(name: string, windowStart: number): number
  /**
   * By how much the rest of a limit is to be divided for one lease: 1 for a holder that takes all, else twice the
   * holders seen lately, this one included; 0 when no lease can be kept in mind, so that none must be granted.
   */
  divisor(name: string, windowStart: number, request: LeaseRequest, nowMs: number): number
  /**
   * Keeps a lease in mind, unless its window has turned since; the divisor must have been asked for.
   *
   * @param isKept - true for one that is to outlive a restart: its holder can prove afterwards what it did not use.
   */
  open(name: string, windowStart: number, id: number, granted: number, isKept?: boolean): void
  /** The open leases of a window that are to outlive a restart; the same list as long as they are the same. */
  kept(name: string, windowStart: number): readonly KeptLease[]
  /** Opens the leases that a window was kept with, if nothing is known of the counter. */
  restore(name: string, windowStart: number, leases: readonly KeptLease[], nowMs: number): void
  /** Forgets the counters of a name, as after a reset. */
  forget(name: string): void
}

/** Bounds on the memory of an object. */
interface LeaseBounds {
  /** Counters with leases or holders. */
  readonly counters: number
  /** Open leases of one counter. */
  readonly leases: number
  /** Holders of one counter that have an account each. */
  readonly holders: number
}

/** Some 20 MiB when everything is full, which takes more holders than one object can answer. */
const leaseBounds: LeaseBounds = { counters: 20_000, leases: 512, holders: 128 }

/** A holder that has not asked for so long is not counted. */
const holderMs = 10_000
/** Counters that are looked at whenever one is added. */
const walkStep = 4

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

/**
 * Makes an empty book. A restart of the object loses it and no hit: what is in open leases is part of the count, and
 * a return to an empty book changes nothing. Leases that are to outlive it are kept with the window.
 */
export function createLeaseBook(bounds: LeaseBounds = leaseBounds): LeaseBook {
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
    settle(name, windowStart, returned) {
      if (returned.length === 0) return nothingSettled
      const counter = find(name, windowStart)
      let [unused, faults] = [0, 0]
      for (let at = 0; at < returned.length; at += 2) {
        const [lease = 0, claimed = 0] = returned.slice(at, at + 2)
        const granted = counter?.leases.get(lease)
        const isRight = granted !== undefined && Number.isInteger(claimed) && claimed >= 0 && claimed <= granted
        if (!isRight) faults += 1
        if (counter === undefined || granted === undefined) continue
        counter.leases.delete(lease)
        if (counter.kept.some(([id]) => id === lease)) {
          counter.kept = counter.kept.filter(([id]) => id !== lease)
        }
        counter.outstanding -= granted
        // Of a holder that claims more than it had, nothing says how much it used: all of it counts as used.
        if (isRight) unused += claimed
      }
      return { unused, faults }
    },

    outstanding: (name, windowStart) => find(name, windowStart)?.outstanding ?? 0,

    divisor(name, windowStart, { holder, takesAll }, nowMs) {
      const counter = find(name, windowStart) ?? add(name, windowStart, nowMs)
      if (counter === undefined || counter.leases.size >= bounds.leases) return 0
      counter.touchedMs = nowMs
      noteHolder(counter.holders, holder, nowMs, bounds.holders)
      return takesAll ? 1 : 2 * counter.holders.size
    },

    open(name, windowStart, id, granted, isKept = false) {
      const counter = counters.get(name)
      if (counter === undefined || counter.windowStart !== windowStart || granted <= 0) return
      counter.leases.set(id, (counter.leases.get(id) ?? 0) + granted)
      counter.outstanding += granted
      if (isKept) counter.kept = [...counter.kept, [id, granted]]
    },

    kept: (name, windowStart) => find(name, windowStart)?.kept ?? noLeases,

    restore(name, windowStart, leases, nowMs) {
      if (leases.length === 0 || counters.has(name)) return
      const counter = add(name, windowStart, nowMs)
      if (counter === undefined) return
      for (const [id, granted] of leases) {
        counter.leases.set(id, (counter.leases.get(id) ?? 0) + granted)
        counter.outstanding += granted
      }
      counter.kept = leases
    },

    forget: (name) => void counters.delete(name),
  }
}

const noLeases: readonly KeptLease[] = []
const nothingSettled: Settled = { unused: 0, faults: 0 }

/** A year, the longest window: leases that began before it are void. */
const longestWindowMs = 31_536_000_000

/** Puts a holder at the end, and drops those that have not asked lately or are too many. */
function noteHolder(holders: Map<number, number>, holder: number, nowMs: number, most: number): void {
  holders.delete(holder)
  holders.set(holder, nowMs)
  for (const [other, askedMs] of holders) {
    if (nowMs - askedMs <= holderMs && holders.size <= most) return
    holders.delete(other)
  }
}
