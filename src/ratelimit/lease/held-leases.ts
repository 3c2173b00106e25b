/** Leases of one holder, such as an isolate: hits are admitted from them, and more is asked for before they are empty. */

import type { Hits } from '../ports.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, units } from '../window.ts'
import { millisecondsFor, noteDemand, wantedHits } from './demand.ts'
import {
  type Answered,
  applyAnswer,
  closeUsedLeases,
  type HeldLease,
  hasRoomForLease,
  releaseLease,
} from './held-lease.ts'
import { type Draw, decodeReturned, encodeReturned, readQuestion, type WireDraw } from './lease.ts'
import { createLeaseTable, type LeasedName, type LeaseTable } from './lease-table.ts'

/** Hits that may be admitted from a lease. */
export interface LeasedHit extends LeasedName {
  /** At least 1. */
  readonly addend: number
  /** Requests per unit. */
  readonly limit: number
}

/** Hits that were admitted from a lease. */
export interface Admitted extends Hits {
  /** Milliseconds within which more should be asked for; null when there is enough, or a question is on its way. */
  readonly askWithinMs: number | null
}

/** A counter of which more is held than its holder uses. */
export interface Surplus extends LeasedName {
  readonly limit: number
}

/** The leases of one holder. Times are Unix milliseconds of its clock, which may differ from every other. */
export interface HeldLeases {
  readonly table: LeaseTable
  /** The latest time that its clock has shown. */
  latestMs: number
  /** Time of the last hit of any counter. */
  hitMs: number
}

/** A question without an answer for so long is taken for lost. */
const lostMs = 10_000
/** The longest wait before more is asked for, so that one message carries many questions. */
const longestWaitMs = 250
/** The part of what is left that may be used before the question is sent. */
const waitPart = 0.25
/** The most by which clocks of overlapping requests differ: one set back by less is not noticed. */
const jitterMs = 1_000

/** Starts without any lease; of `most` counters at most. */
export function createHeldLeases(most: number): HeldLeases {
  return { table: createLeaseTable(most), latestMs: 0, hitMs: 0 }
}

/** Admits hits from the lease of their counter; null when the counter must be asked. */
export function admitHits(held: HeldLeases, hit: LeasedHit, asOfMs: number): Admitted | null {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find(hit)
  if (lease === undefined || lease.left < hit.addend) return null
  if (hit.limit < lease.limit || nowMs >= lease.endsAtMs) return null
  noteDemand(lease.demand, hit.addend, nowMs)
  held.hitMs = nowMs
  lease.left -= hit.addend
  return {
    after: Math.max(hit.addend, lease.limit - lease.leftAtCounter - lease.left) + hit.limit - lease.limit,
    secondsUntilReset: secondsTo(lease.resetAtMs, nowMs, hit.unit),
    askWithinMs: isLow(lease) ? waitFor(lease) : null,
  }
}

/** Hits that are left of the lease of a counter; 0 without one. */
export function countLeft(held: HeldLeases, name: LeasedName, asOfMs: number): number {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find(name)
  return lease === undefined || nowMs >= lease.endsAtMs ? 0 : lease.left
}

/** Hits that are left of the lease of a counter in the window that began at `windowStart`. */
export function countLeftOf(held: HeldLeases, name: LeasedName, windowStart: number, asOfMs: number): number {
  return held.table.find(name)?.windowStart === windowStart ? countLeft(held, name, asOfMs) : 0
}

/** Tells whether a question for a lease of a counter has no answer yet. */
export function isAsked({ table }: HeldLeases, name: LeasedName): boolean {
  return table.find(name)?.asking === 'sent'
}

/** Writes the question that counts what no lease admits, with the rest of a lease, and asks for another one. */
export function askForHits(held: HeldLeases, hit: LeasedHit, asOfMs: number): WireDraw {
  const nowMs = noteTime(held, asOfMs)
  const { addend, limit, unit } = hit
  const lease = held.table.findOrAdd(hit, nowMs)
  if (lease === undefined) return [hit.key, units.indexOf(unit), addend, limit, 0, 0, []]
  noteDemand(lease.demand, addend, nowMs)
  held.hitMs = nowMs
  // Hits that are handed on can only come back to a lease that is open.
  if (lease.left > 0 && lease.lent === 0) releaseLease(lease)
  if (nowMs >= lease.resetAtMs) lease.closing = []
  return writeQuestion(hit, lease, computeWanted(held, lease, hit, nowMs), nowMs)
}

/** Writes the question for more ahead of time; null when it is not due any more. */
export function askAhead(held: HeldLeases, wish: Surplus, asOfMs: number): WireDraw | null {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find(wish)
  if (lease?.asking !== 'queued') return null
  if (nowMs < lease.endsAtMs) {
    return writeQuestion({ ...wish, addend: 0 }, lease, computeWanted(held, lease, wish, nowMs), nowMs)
  }
  lease.asking = 'none'
  return null
}

/** Takes the answer to a question. */
export function takeAnswer(held: HeldLeases, question: WireDraw, draw: Draw, answered: Answered): void {
  const { name, wanted } = readQuestion(question)
  const lease = held.table.find(name)
  if (lease === undefined) return
  if (wanted > 0) lease.asking = 'none'
  // A window of a second has no room for such a margin.
  const setBackMs = name.unit === 'SECOND' ? 0 : jitterMs
  applyAnswer(lease, draw, { ...answered, nowMs: noteTime(held, answered.nowMs) }, setBackMs)
  held.table.refresh(name)
}

/** Notes that the answer to a question will not come: its lease is lost, what it returned is returned again. */
export function loseAnswer(held: HeldLeases, question: WireDraw): void {
  const { name, wanted, returned } = readQuestion(question)
  const lease = held.table.find(name)
  if (lease === undefined) return
  if (wanted > 0) lease.asking = 'none'
  lease.closing = [...lease.closing, ...decodeReturned(returned)]
}

/** Returns the moment, which does not go back; after a clock that was set back no lease is used. */
export function noteTime(held: HeldLeases, nowMs: number): number {
  if (nowMs < held.latestMs - jitterMs) {
    held.table.each(releaseLease)
    held.latestMs = nowMs
  }
  held.latestMs = Math.max(held.latestMs, nowMs)
  return held.latestMs
}

/** Finds how many hits to ask for; 0 while a question is on its way. */
export function computeWanted(
  { table }: HeldLeases,
  lease: HeldLease,
  { unit, limit }: Surplus,
  nowMs: number,
): number {
  if (lease.asking === 'sent' && nowMs - lease.askedMs < lostMs) return 0
  if (!hasRoomForLease(lease)) return 0
  const known = lease.endsAtMs - nowMs
  const restMs = known > 0 ? known : unitSeconds[unit] * 1000
  // What makes room for others is lost: a full table holds nothing of counters that are rarely hit.
  return wantedHits(lease.demand, limit, { restMs, mayBeSmall: !table.isFull() }, nowMs)
}

/** Writes a question: it closes what is used or released of a lease, and asks for another one of `wanted` hits. */
export function writeQuestion(
  { key, unit, addend, limit }: LeasedHit,
  lease: HeldLease,
  wanted: number,
  nowMs: number,
): WireDraw {
  closeUsedLeases(lease)
  const returned = encodeReturned(lease.closing)
  lease.closing = []
  if (wanted > 0) Object.assign(lease, { asking: 'sent', askedMs: nowMs })
  else if (lease.asking === 'queued') lease.asking = 'none'
  return [key, units.indexOf(unit), addend, limit, wanted, 0, returned]
}

/** Half of a lease is used and no question is on its way. */
function isLow({ left, leftAtGrant, asking }: HeldLease): boolean {
  return asking === 'none' && left * 2 <= leftAtGrant
}

/** Marks that a question is to be sent, and tells within how long. */
function waitFor(lease: HeldLease): number {
  lease.asking = 'queued'
  return Math.min(longestWaitMs, waitPart * millisecondsFor(lease.left, lease.demand))
}

function secondsTo(resetAtMs: number, nowMs: number, unit: Unit): number {
  return Math.min(unitSeconds[unit], Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)))
}
