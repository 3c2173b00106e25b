/** Leases of one holder, such as an isolate: hits are admitted from them, and more is asked for before they are empty. */

import type { Hits } from '../ports.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, units } from '../window.ts'
import { isSilent, longestSilenceMs, millisecondsFor, noteDemand, wantedHits } from './demand.ts'
import {
  type Answered,
  applyAnswer,
  closeUsedLeases,
  type HeldLease,
  hasRoomForLease,
  releaseLease,
} from './held-lease.ts'
import { type Draw, decodeReturned, encodeReturned, type WireDraw } from './lease.ts'
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
export function askAhead(held: HeldLeases, { key, unit, limit }: Surplus, asOfMs: number): WireDraw | null {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find({ key, unit })
  if (lease === undefined || lease.asking !== 'queued' || nowMs >= lease.endsAtMs) {
    if (lease?.asking === 'queued') lease.asking = 'none'
    return null
  }
  const hit = { key, unit, addend: 0, limit }
  return writeQuestion(hit, lease, computeWanted(held, lease, hit, nowMs), nowMs)
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

/** Finds the counters that are not hit any more, or of whose hits less than half is needed; all once no counter is hit. */
export function findSurplus(held: HeldLeases, asOfMs: number): readonly Surplus[] {
  const nowMs = noteTime(held, asOfMs)
  const found: Surplus[] = []
  held.table.each((lease, key, unit) => {
    if (lease.left === 0 || nowMs >= lease.endsAtMs) return
    if (isAbandoned(held, lease, nowMs) || isTooMuch(lease, nowMs)) found.push({ key, unit, limit: lease.limit })
  })
  return found
}

/** Writes the question that returns a lease, and asks for what is needed of it; null when nothing is left. */
export function giveBack(held: HeldLeases, { key, unit, limit }: Surplus, asOfMs: number): WireDraw | null {
  const nowMs = noteTime(held, asOfMs)
  const lease = held.table.find({ key, unit })
  if (lease === undefined || lease.left === 0) return null
  const isOver = isAbandoned(held, lease, nowMs)
  releaseLease(lease)
  const hit = { key, unit, addend: 0, limit }
  return writeQuestion(hit, lease, isOver ? 0 : computeWanted(held, lease, hit, nowMs), nowMs)
}

/** Counts the counters of which hits are held. */
export function countHeld({ table }: HeldLeases): number {
  let count = 0
  table.each(({ left }) => {
    if (left > 0) count += 1
  })
  return count
}

/** Returns the moment, which does not go back; after a clock that was set back no lease is used. */
function noteTime(held: HeldLeases, nowMs: number): number {
  if (nowMs < held.latestMs - jitterMs) {
    held.table.each(releaseLease)
    held.latestMs = nowMs
  }
  held.latestMs = Math.max(held.latestMs, nowMs)
  return held.latestMs
}

/** A holder that nothing hits any more may be evicted: it returns everything, while its last request still can. */
function isAbandoned({ hitMs }: HeldLeases, lease: HeldLease, nowMs: number): boolean {
  return nowMs - hitMs >= longestSilenceMs || isSilent(lease.demand, lease, nowMs)
}

/** Finds how many hits to ask for; 0 while a question is on its way. */
function computeWanted({ table }: HeldLeases, lease: HeldLease, { unit, limit }: LeasedHit, nowMs: number): number {
  if (lease.asking === 'sent' && nowMs - lease.askedMs < lostMs) return 0
  if (!hasRoomForLease(lease)) return 0
  const known = lease.endsAtMs - nowMs
  const restMs = known > 0 ? known : unitSeconds[unit] * 1000
  // What makes room for others is lost: a full table holds nothing of counters that are rarely hit.
  return wantedHits(lease.demand, limit, { restMs, mayBeSmall: !table.isFull() }, nowMs)
}

function writeQuestion(
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

/** Reads a question of a holder. */
export function readQuestion([key, unitIndex, addend, limit, wanted, , returned]: WireDraw) {
  return { name: { key, unit: units[unitIndex] ?? 'SECOND' } satisfies LeasedName, addend, limit, wanted, returned }
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

function isTooMuch(lease: HeldLease, nowMs: number): boolean {
  const rest = { restMs: lease.endsAtMs - nowMs, mayBeSmall: true }
  const needed = wantedHits(lease.demand, lease.limit, rest, nowMs)
  return lease.asking === 'none' && lease.left > 2 * Math.max(needed, 2)
}

function secondsTo(resetAtMs: number, nowMs: number, unit: Unit): number {
  return Math.min(unitSeconds[unit], Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)))
}
