/** The counter's side of leases: which are open on each counter, who holds them, and how large the next may be. */

import type { KeptLease } from '../counter.ts'
import { decodeReturned, type ReturnedLease } from './lease.ts'
import { createLeasedCounters, holderMs, type LeasedCounter, noLeases } from './leased-counters.ts'

/** Some 20 MiB when everything is full, which takes more holders than one object can answer. */
const leaseBounds = { counters: 20_000, leases: 512, holders: 128 }

/** Returned hits to take off the counter, and the number of wrong returns. */
const nothingSettled = { unused: 0, faults: 0 }

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

/** Request for a lease of a counter whose rest is known. */
interface SizedRequest extends LeaseRequest {
  /** Of the call; names the lease. */
  readonly id: number
  readonly wanted: number
  /** Hits that are left of the limit. */
  readonly rest: number
  readonly nowMs: number
}

/**
 * Makes an empty book. A restart of the object loses it and no hit: what is in open leases is part of the count, and
 * a return to an empty book changes nothing. Leases that are to outlive it are kept with the window. All times are Unix
 * milliseconds of the object's clock.
 *
 * @param bounds - on counters with leases or holders, on open leases of one, and on holders of one that are counted.
 */
export function createLeaseBook(bounds = leaseBounds) {
  const counters = createLeasedCounters(bounds.counters)

  /**
   * Finds by how much the rest of a limit is to be divided for one lease: 1 for a holder that takes all, else twice the
   * holders seen lately, this one included; 0 when no lease can be kept in mind, so that none must be granted.
   */
  function divisor(name: string, windowStart: number, { holder, takesAll }: LeaseRequest, nowMs: number): number {
    const counter = counters.turnTo(name, windowStart) ?? counters.add(name, windowStart, nowMs)
    if (counter === undefined || counter.leases.size >= bounds.leases) return 0
    counter.touchedMs = nowMs
    noteHolder(counter.holders, holder, nowMs, bounds.holders)
    return takesAll ? 1 : 2 * counter.holders.size
  }

  /** Keeps a lease in mind, unless its window has turned since; the divisor must have been asked for. */
  function open(name: string, windowStart: number, id: number, granted: number): LeasedCounter | undefined {
    const counter = counters.find(name)
    if (counter === undefined || counter.windowStart !== windowStart || granted <= 0) return undefined
    addLease(counter, id, granted)
    return counter
  }

  return {
    divisor,
    open,

    /** Closes leases; each gives back what was not used of it, and nothing when more is claimed than it had. */
    settle(name: string, windowStart: number, returned: readonly number[]): typeof nothingSettled {
      if (returned.length === 0) return nothingSettled
      const counter = counters.turnTo(name, windowStart)
      let [unused, faults] = [0, 0]
      for (const lease of decodeReturned(returned)) {
        if (counter !== undefined && closeLease(counter, lease)) unused += lease.unused
        else faults += 1
      }
      return { unused, faults }
    },

    /** Hits in open leases of a window; 0 for a window that has turned. */
    outstanding: (name: string, windowStart: number) => counters.turnTo(name, windowStart)?.outstanding ?? 0,

    /**
     * Opens a lease of a part of the rest, and returns its hits. A lease of up to all of it outlives a restart: isolates
     * are many and their leases short, and only what is assigned to Envoys is worth its place on disk.
     */
    grant(name: string, windowStart: number, request: SizedRequest): number {
      const { id, wanted, rest, takesAll, nowMs } = request
      const granted = leaseSize(rest, wanted, divisor(name, windowStart, request, nowMs))
      const counter = open(name, windowStart, id, granted)
      if (counter !== undefined && takesAll) counter.kept = [...counter.kept, [id, granted]]
      return granted
    },

    /** The open leases of a window that are to outlive a restart; the same list as long as they are the same. */
    kept: (name: string, windowStart: number) => counters.turnTo(name, windowStart)?.kept ?? noLeases,

    /** Opens the leases that a window was kept with, if nothing is known of the counter. */
    restore(name: string, windowStart: number, leases: readonly KeptLease[], nowMs: number): void {
      if (leases.length === 0 || counters.find(name) !== undefined) return
      const counter = counters.add(name, windowStart, nowMs)
      if (counter === undefined) return
      for (const [id, granted] of leases) addLease(counter, id, granted)
      counter.kept = leases
    },
  }
}

/** The open leases of an object's counters. */
export type LeaseBook = ReturnType<typeof createLeaseBook>

function addLease(counter: LeasedCounter, id: number, granted: number): void {
  counter.leases.set(id, (counter.leases.get(id) ?? 0) + granted)
  counter.outstanding += granted
}

/**
 * Closes a lease, and tells whether what is claimed of it comes back: of a holder that claims more than it had, nothing
 * says how much it used, so all of it counts as used.
 */
function closeLease(counter: LeasedCounter, { id, unused }: ReturnedLease): boolean {
  const granted = counter.leases.get(id)
  if (granted === undefined) return false
  counter.leases.delete(id)
  if (counter.kept.some(([kept]) => kept === id)) counter.kept = counter.kept.filter(([kept]) => kept !== id)
  counter.outstanding -= granted
  return Number.isInteger(unused) && unused >= 0 && unused <= granted
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
