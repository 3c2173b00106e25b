/** Held lease: the hits that a holder has left of one counter, over all the leases that it has open there. */

import { type Demand, noDemand } from './demand.ts'
import type { Draw, ReturnedLease } from './lease.ts'

/** A lease that is open at the counter, by the id of the call that asked for it. */
interface OpenLease {
  readonly id: number
  readonly granted: number
}

/** Open leases of one holder on one counter, taken together; all times are Unix milliseconds of the holder's clock. */
export interface HeldLease {
  /** The highest limit that an open lease was granted under; a request with a lower one may not use them. */
  limit: number
  /** Hits that may still be admitted. */
  left: number
  /** Hits lent to other holders and not returned yet; only a region lends. */
  lent: number
  /** `left` just after the latest lease came. */
  leftAtGrant: number
  /** Hits left beside all leases by the last answer of the counter. */
  leftAtCounter: number
  /** Unix time in seconds by the counter's clock; tells windows apart. */
  windowStart: number
  /** From here on nothing may be admitted: never later than the window's end at the counter. */
  endsAtMs: number
  resetAtMs: number
  /** The oldest first. */
  leases: readonly OpenLease[]
  /** To be returned with the next question. */
  closing: readonly ReturnedLease[]
  /** State of the request for more: none, queued for the next message to its object, or sent at `askedMs`. */
  asking: 'none' | 'queued' | 'sent'
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
    lent: 0,
    leftAtGrant: 0,
    leftAtCounter: 0,
    windowStart: 0,
    endsAtMs: 0,
    resetAtMs: 0,
    leases: [],
    closing: [],
    asking: 'none',
    askedMs: 0,
    demand: noDemand(nowMs),
  }
}

/** Gives up what is left: it goes back with the next question. */
export function releaseLease(lease: HeldLease): void {
  const closing = [...lease.closing]
  let { left } = lease
  // The oldest lease is used first, so what is left belongs to the newest.
  for (const { id, granted } of lease.leases.toReversed()) {
    const unused = Math.min(left, granted)
    left -= unused
    closing.push({ id, unused })
  }
  lease.closing = closing
  lease.leases = []
  lease.left = 0
}

/**
 * Closes used-up leases, the oldest first. Lent hits may come back, so leases that cover them stay open, unless
 * another lease would have no room.
 */
export function closeUsedLeases(lease: HeldLease): void {
  let grantedAfter = lease.leases.reduce((sum, { granted }) => sum + granted, 0)
  while (true) {
    const [oldest, ...newer] = lease.leases
    if (oldest === undefined) return
    grantedAfter -= oldest.granted
    if (grantedAfter < lease.left + (hasRoomForLease(lease) ? lease.lent : 0)) return
    lease.closing = [...lease.closing, { id: oldest.id, unused: 0 }]
    lease.leases = newer
  }
}

/** Tells whether another lease may be asked for. */
export function hasRoomForLease({ leases }: HeldLease): boolean {
  return leases.length < mostLeases
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
 * Applies an answer of the counter. An answer of an earlier window is ignored while the lease's own window is open.
 *
 * @param setBackMs - milliseconds by which the holder's clock may be set back; the lease ends that much earlier.
 */
export function applyAnswer(
  lease: HeldLease,
  draw: Draw,
  { id, limit, sentMs, nowMs }: Answered,
  setBackMs: number,
): void {
  if (draw.windowStart !== lease.windowStart) {
    if (draw.windowStart < lease.windowStart && nowMs < lease.endsAtMs) return
    Object.assign(lease, { windowStart: draw.windowStart, left: 0, lent: 0, leases: [], closing: [], endsAtMs: 0 })
  }
  const lastsMs = draw.lastsMs ?? draw.millisecondsUntilReset
  lease.leftAtCounter = Math.max(0, limit - draw.after)
  lease.resetAtMs = sentMs + draw.millisecondsUntilReset
  lease.endsAtMs = Math.max(lease.endsAtMs, sentMs + lastsMs * (1 - rateMargin) - setBackMs)
  if (draw.granted <= 0) return
  lease.limit = lease.left > 0 ? Math.max(lease.limit, limit) : limit
  lease.left += draw.granted
  lease.leftAtGrant = lease.left
  lease.leases = [...lease.leases, { id, granted: draw.granted }]
}
