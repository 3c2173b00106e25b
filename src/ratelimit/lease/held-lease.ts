/** Share of one holder in one counter: the open leases, and the hits left of them. */

import { type Demand, noDemand } from './demand.ts'
import type { Draw } from './lease.ts'

/** A holder's share of one counter; all times are Unix milliseconds of the holder's clock. */
export interface Share {
  /** The highest limit that an open lease was granted under; a request with a lower one may not use them. */
  limit: number
  /** Hits that may still be admitted. */
  left: number
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
export function emptyShare(nowMs: number): Share {
  return {
    limit: 0,
    left: 0,
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
export function releaseShare(share: Share): void {
  const closing = [...share.closing]
  let left = share.left
  // The oldest lease is used first, so what is left belongs to the newest.
  for (let at = share.leases.length - 2; at >= 0; at -= 2) {
    const [lease = 0, granted = 0] = share.leases.slice(at, at + 2)
    const unused = Math.min(left, granted)
    left -= unused
    closing.push(lease, unused)
  }
  share.closing = closing
  share.leases = []
  share.left = 0
}

/** Closes the leases of which nothing is left. */
export function closeUsedLeases(share: Share): void {
  let open = 0
  for (let at = 1; at < share.leases.length; at += 2) open += share.leases[at] ?? 0
  let used = 0
  for (; used < share.leases.length; used += 2) {
    open -= share.leases[used + 1] ?? 0
    if (open < share.left) break
    share.closing = [...share.closing, share.leases[used] ?? 0, 0]
  }
  share.leases = share.leases.slice(used)
}

/** Tells whether another lease may be asked for. */
export function hasRoomForLease({ leases }: Share): boolean {
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

/**
 * Takes an answer; a lease of another window than the share's, or that is over already, is never used.
 *
 * @param setBackMs - by how much the holder's clock may be set back, in milliseconds, before the lease is over.
 */
export function takeDraw(share: Share, draw: Draw, { id, limit, sentMs, nowMs }: Answered, setBackMs: number): void {
  const isOver = nowMs >= share.endsAtMs
  if (draw.windowStart !== share.windowStart) {
    if (draw.windowStart < share.windowStart && !isOver) return
    Object.assign(share, { windowStart: draw.windowStart, left: 0, leases: [], closing: [], endsAtMs: 0 })
  }
  share.rest = Math.max(0, limit - draw.after)
  const endsAtMs = sentMs + draw.millisecondsUntilReset * (1 - rateMargin) - setBackMs
  share.resetAtMs = sentMs + draw.millisecondsUntilReset
  share.endsAtMs = Math.max(share.endsAtMs, endsAtMs)
  if (draw.granted <= 0) return
  share.limit = share.left > 0 ? Math.max(share.limit, limit) : limit
  share.left += draw.granted
  share.lot = share.left
  share.leases = [...share.leases, id, draw.granted]
}
