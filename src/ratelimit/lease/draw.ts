/** One draw from one counter as arithmetic: what comes back, what is counted, and what is handed out. */

import { addHits, type KeptLease, type Window, withoutHits } from '../counter.ts'
import type { Windows } from '../window.ts'
import { type Draw, readQuestion, type WireDraw } from './lease.ts'
import type { LeaseBook } from './lease-book.ts'

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
  const { addend, limit, wanted, takesAll, returned } = readQuestion(wire)
  const { name, unit } = counter
  const now = Math.floor(drawing.nowMs / 1000)
  const before = addHits(counter.window, unit, 0, now)
  const { start, leases = [] } = before.window
  book.restore(name, start, leases, drawing.nowMs)
  const { unused, faults } = book.settle(name, start, returned)
  const settled = withoutHits(before.window, unused)
  const outstanding = book.outstanding(name, start)
  const { window: counted } = addHits(settled, unit, addend, now)
  const mayGrant = wanted > 0 && counted.hits <= limit && !counter.isBlocked
  const granted = mayGrant ? book.grant(name, start, { ...drawing, takesAll, wanted, rest: limit - counted.hits }) : 0
  const isKept = isHeldBack(counted.hits, limit, outstanding)
  const { window: drawn } = addHits(isKept ? settled : counted, unit, granted, now)
  const draw: Draw = {
    after: counted.hits + granted,
    windowStart: start,
    // The whole second that has begun is not over: the rest of it belongs to no lease.
    millisecondsUntilReset: Math.max(0, before.hits.secondsUntilReset * 1000 - (drawing.nowMs - now * 1000)),
    granted,
    outstanding: outstanding + granted,
    faults,
  }
  return { window: withLeases(drawn, book.kept(name, start), leases), draw }
}

/** Keeps leases with a window that had others before. */
function withLeases(window: Window, leases: readonly KeptLease[], before: readonly KeptLease[]): Window {
  return leases === before || leases.length + before.length === 0 ? window : { ...window, leases }
}
