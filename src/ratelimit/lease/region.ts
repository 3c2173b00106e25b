/** Leases of leases: an object of a region admits hits of what it holds of a counter, and hands the rest on. */

import { longestSilenceMs, noteDemand } from './demand.ts'
import type { Drawing } from './draw.ts'
import type { HeldLease } from './held-lease.ts'
import { type Admitted, admitHits, askForHits, type HeldLeases } from './held-leases.ts'
import { type Draw, readQuestion, type WireDraw } from './lease.ts'
import type { LeaseBook } from './lease-book.ts'
import type { LeasedName } from './lease-table.ts'

/** The state of a region: what it holds of the counters, and what holders of the region have of that. */
export interface RegionLeases {
  readonly held: HeldLeases
  readonly book: LeaseBook
}

/** A question that was begun: its hits are admitted, or the counter is to be asked. */
interface BegunDraw {
  readonly wire: WireDraw
  /** Null when the counter must be asked. */
  readonly admitted: Admitted | null
  /** For the counter; null when its hits are admitted. */
  readonly question: WireDraw | null
  /** Returned leases that were not open here. */
  readonly faults: number
}

/** Holders that fell silent have returned what they held by then; those that died return nothing. */
const longestReturnMs = longestSilenceMs + 1_500

/**
 * Begins a question of a holder in the region: takes back what it returns, and admits its hits from what is held.
 *
 * What is handed out is taken off what is held, and only what comes back of it is put on again. So the region and its
 * holders together never have more than the counter has counted as used, at any depth.
 */
export function beginDraw({ held, book }: RegionLeases, wire: WireDraw, nowMs: number): BegunDraw {
  const { name, addend, limit, wanted, returned } = readQuestion(wire)
  const lease = held.table.findOrAdd(name, nowMs)
  const counter = bookName(wire)
  const { unused, faults } = book.settle(counter, lease?.windowStart ?? 0, returned)
  if (lease !== undefined) {
    lease.left += unused
    lease.lent = book.outstanding(counter, lease.windowStart)
  }
  if (addend + wanted === 0) return { wire, admitted: estimate(lease, limit), question: null, faults }
  if (lease !== undefined) noteDemand(lease.demand, wanted, nowMs)
  const hit = { ...name, addend, limit }
  const admitted = admitHits(held, hit, nowMs)
  return { wire, admitted, question: admitted === null ? askForHits(held, hit, nowMs) : null, faults }
}

/**
 * Answers a question that was begun, and grants a lease of what is held: of a part of it, as the counter does.
 *
 * @param home - the counter's answer to the question; null when its hits were admitted.
 * @returns the answer, and the milliseconds within which more should be asked of the counter.
 */
export function answerDraw(
  { held, book }: RegionLeases,
  begun: BegunDraw,
  home: Draw | null,
  drawing: Drawing,
): { readonly draw: Draw; readonly askWithinMs: number | null } {
  const { nowMs } = drawing
  const { name, limit, wanted } = readQuestion(begun.wire)
  const lease = held.table.find(name)
  const counted = countDraw(begun, home, lease)
  const { after, windowStart, outstanding } = counted
  const askWithinMs = begun.admitted?.askWithinMs ?? null
  if (lease?.windowStart !== windowStart) return { draw: counted, askWithinMs }
  const counter = bookName(begun.wire)
  const mayGrant = wanted > 0 && after <= limit && limit >= lease.limit && nowMs < lease.endsAtMs
  const request = { ...drawing, takesAll: false, wanted, rest: lease.left }
  const granted = mayGrant ? book.grant(counter, windowStart, request) : 0
  lease.left -= granted
  lease.lent = book.outstanding(counter, windowStart)
  const draw = {
    ...counted,
    after: after + granted,
    millisecondsUntilReset: Math.max(0, lease.resetAtMs - nowMs),
    lastsMs: Math.max(0, lease.endsAtMs - nowMs),
    granted,
    outstanding: outstanding + lease.lent,
  }
  // Hits of none tell whether more is to be asked for.
  const look = granted > 0 ? admitHits(held, { ...name, addend: 0, limit }, nowMs) : null
  return { draw, askWithinMs: askWithinMs ?? look?.askWithinMs ?? null }
}

/** The answer without a lease: by the counter where it was asked, else by what the region holds of it. */
function countDraw({ admitted, faults }: BegunDraw, home: Draw | null, lease: HeldLease | undefined): Draw {
  if (home !== null) {
    const { after, windowStart, millisecondsUntilReset, granted, outstanding } = home
    return { after: after - granted, windowStart, millisecondsUntilReset, granted: 0, outstanding, faults }
  }
  const windowStart = lease?.windowStart ?? 0
  return { after: admitted?.after ?? 0, windowStart, millisecondsUntilReset: 0, granted: 0, outstanding: 0, faults }
}

/**
 * Tells whether holders of the region have hits of a counter that may still come back: what the region holds of it goes
 * back afterwards, because the counter takes a lease back only once.
 */
export function isHandedOn({ held }: Pick<RegionLeases, 'held'>, { key, unit }: LeasedName, nowMs: number): boolean {
  const lease = held.table.find({ key, unit })
  return lease !== undefined && lease.lent > 0 && nowMs - lease.demand.seenMs <= longestReturnMs
}

/** The counter by the last answer, without a hit. */
function estimate(lease: HeldLease | undefined, limit: number): Admitted {
  const after = lease === undefined ? 0 : Math.max(0, limit - lease.leftAtCounter - lease.left)
  return { after, secondsUntilReset: 0, askWithinMs: null }
}

function bookName([key, unit]: WireDraw): string {
  return `${unit} ${key}`
}
