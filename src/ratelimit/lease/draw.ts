/** One draw from one counter as arithmetic: what comes back, what is counted, and what is handed out. */

import { addHits, type Window, withoutHits } from '../counter.ts'
import type { Windows } from '../window.ts'
import type { Draw, WireDraw } from './lease.ts'
import { type LeaseBook, leaseSize } from './lease-book.ts'

/** A counter while it is drawn from. */
interface DrawnCounter {
  /** The name under which the book knows it. */
  readonly name: string
  /** The windows of a unit, or of an algorithm that can be leased. */
  readonly unit: Windows
  /** Undefined for a counter that was never hit. */
  readonly window: Window | undefined
  /** True while an operator refuses every hit: hits count, and no lease is granted. */
  readonly isBlocked: boolean
}

/** Holder and time of a draw. */
export interface Drawing {
  /** Of the call; names the lease. */
  readonly id: number
  readonly holder: number
  /** Unix time in milliseconds, read by the counter's owner. */
  readonly nowMs: number
}

/**
 * Tells whether hits do not fit only because of open leases. Such a refusal is not counted: what comes back of the
 * leases could not be admitted otherwise.
 *
 * @param after - the counter with the hits in it.
 */
export function isHeldBack(after: number, limit: number, outstanding: number): boolean {
  return outstanding > 0 && after > limit && after - outstanding <= limit
}

/**
 * Draws from a counter: closes returned leases, counts the addend, and grants a lease, which counts as used at once.
 *
 * Counted hits and open leases together never pass the limit through a lease; a hit that is refused is counted as in
 * the reference, unless it `isHeldBack`. Gives the window to keep, and the answer.
 */
export function drawFrom(book: LeaseBook, counter: DrawnCounter, wire: WireDraw, drawing: Drawing) {
  const [, , addend, limit, wanted, all, returned] = wire
  const { name, unit } = counter
  const now = Math.floor(drawing.nowMs / 1000)
  const before = addHits(counter.window, unit, 0, now)
  const { start, leases = [] } = before.window
  book.restore(name, start, leases, drawing.nowMs)
  const { unused, faults } = book.settle(name, start, returned)
  const settled = withoutHits(before.window, unused)
  const isOut = book.outstanding(name, start)
  const { window: after } = addHits(settled, unit, addend, now)
  const counted = after.hits
  const isKept = isHeldBack(counted, limit, isOut)
  const mayGrant = wanted > 0 && counted <= limit && !counter.isBlocked
  const request = { holder: drawing.holder, takesAll: all === 1 }
  const divisor = mayGrant ? book.divisor(name, start, request, drawing.nowMs) : 0
  const granted = leaseSize(limit - counted, wanted, divisor)
  // Isolates are many and their leases short; only what is assigned to Envoys is worth its place on disk.
  const open = request.takesAll ? book.openKept : book.open
  open(name, start, drawing.id, granted)
  const { window: drawn } = addHits(isKept ? settled : after, unit, granted, now)
  const kept = book.kept(name, start)
  const window = kept === leases || kept.length + leases.length === 0 ? drawn : { ...drawn, leases: kept }
  const seconds = before.hits.secondsUntilReset
  const draw: Draw = {
    after: counted + granted,
    windowStart: start,
    // The whole second that has begun is not over: the rest of it belongs to no lease.
    millisecondsUntilReset: Math.max(0, seconds * 1000 - (drawing.nowMs - now * 1000)),
    granted,
    outstanding: isOut + granted,
    faults,
  }
  return { window, draw }
}
