/** Held lease: the hits that a holder has left of one counter, over all the leases that it has open there. */

import { type Demand, noDemand } from './demand.ts'
import type { Draw } from './lease.ts'

/** Open leases of one holder on one counter, taken together; all times are Unix milliseconds of the holder's clock. */
export interface HeldLease {
  /** The highest limit that an open lease was granted under; a request with a lower one may not use them. */
  limit: number
  /** Hits that may still be admitted. */
  left: number
  /** Hits that were handed on to other holders and have not come back; 0 but for a region. */
  out: number
  /** Hits when the latest lease came. */
  lot: number
  /** Hits left beside all leases by the last answer of the counter. */
  rest: number
  /** Of the window, by the counter's clock; tells windows apart. */
  windowStart: number
  /** From here on nothing may be admitted: never later than the window's end at the counter. */
  endsAtMs: number
  resetAtMs: number
  /** Pairs of a lease and its hits, the oldest first. */
  leases: readonly number[]
  /** Pairs of a lease and its unused hits, to be returned with the next question. */
  closing: readonly number[]
  /** State of the request for more: none, with the next message to its object, or sent at `askedMs`. */
  asking: 'not' | 'soon' | 'now'
  askedMs: number
  readonly demand: Demand
}

/** Clocks that differ in rate by up to so much keep a lease from outliving its window. */
const rateMargin = 0.01
/** Leases of one counter that a holder has open at once. */
const mostLeases = 8

/** Starts with nothing. */
export function emptyLease(nowMs: number): HeldLease {
  return {
    limit: 0,
    left: 0,
    out: 0,
    lot: 0,
    rest: 0,
    windowStart: 0,
    endsAtMs: 0,
    resetAtMs: 0,
    leases: [],
    closing: [],
    asking: 'not',
    askedMs: 0,
    demand: noDemand(nowMs),
  }
}

/** Gives up what is left: it goes back with the next question. */
export function releaseLease(lease: HeldLease): void {
  const closing = [...lease.closing]
  let left = lease.left
  // The oldest lease is used first, so what is left belongs to the newest.
  for (let at = lease.leases.length - 2; at >= 0; at -= 2) {
    const [id = 0, granted = 0] = lease.leases.slice(at, at + 2)
    const unused = Math.min(left, granted)
    left -= unused
    closing.push(id, unused)
  }
  lease.closing = closing
  lease.leases = []
  lease.left = 0
}

/** Closes the leases of which nothing is left and, while there is room for others, nothing can come back. */
export function closeUsedLeases(lease: HeldLease): void {
  let open = 0
  for (let at = 1; at < lease.leases.length; at += 2) open += lease.leases[at] ?? 0
  let used = 0
  for (; used < lease.leases.length; used += 2) {
    open -= lease.leases[used + 1] ?? 0
    const isRoomy = lease.leases.length - used < mostLeases * 2
    if (open < lease.left + (isRoomy ? lease.out : 0)) break
    lease.closing = [...lease.closing, lease.leases[used] ?? 0, 0]
  }
  lease.leases = lease.leases.slice(used)
}

/** Tells whether another lease may be asked for. */
export function hasRoomForLease({ leases }: HeldLease): boolean {
  return leases.length < mostLeases * 2
}

/** A question that was answered. */
export interface Answered {
  /** Of the call; names the lease. */
  readonly id: number
  readonly limit: number
  /** Times of the request and of its answer. The end is measured from the former, which the counter's grant follows. */
  readonly sentMs: number
  readonly nowMs: number
}

/** Takes an answer; a lease of another window, or one over by a clock set back by `setBackMs`, is never used. */
export function takeDraw(
  lease: HeldLease,
  draw: Draw,
  { id, limit, sentMs, nowMs }: Answered,
  setBackMs: number,
): void {
  const isOver = nowMs >= lease.endsAtMs
  if (draw.windowStart !== lease.windowStart) {
    if (draw.windowStart < lease.windowStart && !isOver) return
    Object.assign(lease, { windowStart: draw.windowStart, left: 0, out: 0, leases: [], closing: [], endsAtMs: 0 })
  }
  lease.rest = Math.max(0, limit - draw.after)
  const lastsMs = draw.lastsMs ?? draw.millisecondsUntilReset
  const endsAtMs = sentMs + lastsMs * (1 - rateMargin) - setBackMs
  lease.resetAtMs = sentMs + draw.millisecondsUntilReset
  lease.endsAtMs = Math.max(lease.endsAtMs, endsAtMs)
  if (draw.granted <= 0) return
  lease.limit = lease.left > 0 ? Math.max(lease.limit, limit) : limit
  lease.left += draw.granted
  lease.lot = lease.left
  lease.leases = [...lease.leases, id, draw.granted]
}
