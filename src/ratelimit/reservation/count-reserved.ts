/** Hits on a window that takes reservations: reserve, settle, and what a time to live ends. */

import type { CountedHit, TimedHit } from '../algorithm/count-hit.ts'
import { addHits, openWindow, peekHits, type Window, withoutHits } from '../counter.ts'
import type { Span } from '../window.ts'
import {
  type KeptReservation,
  openReservation,
  passTime,
  type ReservationRule,
  secondsUntilEnd,
  settleReservation,
  sumOpen,
} from './reservations.ts'

/** Windows with reservations, and the count of a plain hit in them. */
interface ReservedWindows {
  readonly span: Span
  readonly rule: ReservationRule
  readonly countPlain: (window: Window | undefined, hit: TimedHit) => CountedHit
}

/** A counter while a hit is counted: its open window, and its reservations after the overdue ones have ended. */
type OpenCounter = ReturnType<typeof endOverdue>

/**
 * Ends overdue reservations, then counts one hit.
 *
 * Hits are given back to the window that they were taken from and to no other; what a settlement costs beyond its
 * estimate counts in the open window, beyond the limit too. A refused reservation counts nothing.
 */
export function countReserved(windows: ReservedWindows, kept: Window | undefined, hit: TimedHit): CountedHit {
  const open = endOverdue(windows, kept, Math.floor(hit.nowMs / 1000))
  const counted = applyStep(open, windows, hit)
  // A look writes nothing: the next hit ends the same reservations again.
  const isLook = hit.addend === 0 && hit.step === undefined
  const mustWrite = open.isChanged && !isLook
  const next = counted.window ?? (mustWrite ? withReservations(open.window, open.reservations) : null)
  const outstanding = sumOpen(next?.reservations ?? open.reservations)
  const answer = { ...counted, window: next, outstanding }
  return next === null || open.ended.length === 0 ? answer : { ...answer, ended: open.ended.length }
}

/** Ends overdue reservations, and gives their hits back if the rule refunds them. */
function endOverdue({ span, rule }: ReservedWindows, kept: Window | undefined, now: number) {
  const { reservations, ended, isChanged } = passTime(kept?.reservations ?? [], now, rule.timeToLive)
  let window = openWindow(kept, span, now)
  if (rule.unsettled === 'refunded') for (const [, hits, start] of ended) window = giveBack(window, start, hits)
  return { window, reservations, ended, isChanged, isUnused: kept === undefined }
}

function applyStep(open: OpenCounter, windows: ReservedWindows, hit: TimedHit): CountedHit {
  if (hit.step?.action === 'reserve') return reserve(open, windows, hit)
  if (hit.step?.action === 'settle') return settle(open, windows, hit)
  const counted = windows.countPlain(open.isUnused ? undefined : open.window, hit)
  return counted.window === null ? counted : { ...counted, window: withReservations(counted.window, open.reservations) }
}

function withReservations(window: Window, reservations: readonly KeptReservation[]): Window {
  return { ...window, reservations: reservations.length === 0 ? undefined : reservations }
}

function reserve(
  { window, reservations }: OpenCounter,
  { span, rule }: ReservedWindows,
  { addend, limit, nowMs, step }: TimedHit,
): CountedHit {
  const now = Math.floor(nowMs / 1000)
  const before = peekHits(window, span, now)
  const until = now + rule.timeToLive
  const opened = openReservation(reservations, { id: step?.id ?? '', hits: addend, start: window.start, until })
  if (opened === null) {
    // No room for another reservation: answered as over the limit, however few hits are counted.
    const after = Math.max(before.after, limit) + Math.max(1, addend)
    return { window: null, after, secondsUntilReset: secondsUntilEnd(reservations, now) ?? 1, most: limit }
  }
  const after = before.after + addend
  if (after > limit) return { window: null, after, secondsUntilReset: before.secondsUntilReset, most: limit }
  const counted = addHits(window, span, addend, now)
  return { window: withReservations(counted.window, opened), ...counted.hits, most: limit }
}

function settle(
  { window, reservations }: OpenCounter,
  { span }: ReservedWindows,
  { addend: cost, limit, nowMs, step }: TimedHit,
): CountedHit {
  const now = Math.floor(nowMs / 1000)
  const settlement = settleReservation(reservations, step?.id ?? '')
  if ('fault' in settlement) {
    return { window: null, ...peekHits(window, span, now), most: limit, fault: settlement.fault }
  }
  const [, hits, start] = settlement.settled
  const next = cost < hits ? giveBack(window, start, hits - cost) : addHits(window, span, cost - hits, now).window
  return { window: withReservations(next, settlement.reservations), ...peekHits(next, span, now), most: limit }
}

/** Gives hits back to the window that begins at `start`; none where that is neither open nor was shown before. */
function giveBack(window: Window, start: number, hits: number): Window {
  if (window.start === start) return withoutHits(window, hits)
  // `more` is relative to the open window: the bound keeps the count of the other one at 0 or above.
  const shown = window.shown?.map((other) =>
    other.start === start ? { start, more: Math.max(other.more - hits, -window.hits) } : other,
  )
  return shown === undefined ? window : { ...window, shown }
}
