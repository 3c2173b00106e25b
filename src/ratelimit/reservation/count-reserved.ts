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

/** A counter while a hit is counted. */
interface Open {
  readonly window: Window
  readonly reservations: readonly KeptReservation[]
}

/**
 * Counts one hit, after everything that is overdue has ended.
 *
 * Hits are given back to the window that they were taken from and to no other; what a settlement costs beyond its
 * estimate counts in the open window, beyond the limit too. A refused reservation counts nothing.
 */
export function countReserved(windows: ReservedWindows, kept: Window | undefined, hit: TimedHit): CountedHit {
  const { span, rule, countPlain } = windows
  const now = Math.floor(hit.nowMs / 1000)
  const { reservations, ended } = passTime(kept?.reservations ?? [], now, rule.timeToLive)
  let window = openWindow(kept, span, now)
  if (rule.unsettled === 'refunded') for (const [, hits, start] of ended) window = giveBack(window, start, hits)
  const open = { window, reservations }
  const counted =
    hit.step === undefined
      ? withReservations(countPlain(kept === undefined ? kept : window, hit), open)
      : hit.step.action === 'reserve'
        ? reserve(open, windows, hit)
        : settle(open, windows, hit)
  const isLook = hit.addend === 0 && hit.step === undefined
  const isEnded = !isLook && kept !== undefined && reservations !== (kept.reservations ?? reservations)
  const next = counted.window ?? (isEnded ? keepList(open) : null)
  const outstanding = sumOpen(next?.reservations ?? reservations)
  const answer = { ...counted, window: next, outstanding }
  return next === null || ended.length === 0 ? answer : { ...answer, ended: ended.length }
}

function withReservations(counted: CountedHit, { reservations }: Open): CountedHit {
  return counted.window === null ? counted : { ...counted, window: keepList({ window: counted.window, reservations }) }
}

function keepList({ window, reservations }: Open): Window {
  return { ...window, reservations: reservations.length === 0 ? undefined : reservations }
}

function reserve(
  { window, reservations }: Open,
  { span, rule }: ReservedWindows,
  { addend, limit, nowMs, step }: TimedHit,
): CountedHit {
  const now = Math.floor(nowMs / 1000)
  const before = peekHits(window, span, now)
  const until = now + rule.timeToLive
  const opened = openReservation(reservations, { id: step?.id ?? '', hits: addend, start: window.start, until })
  if (opened === null) {
    const after = Math.max(before.after, limit) + Math.max(1, addend)
    return { window: null, after, secondsUntilReset: secondsUntilEnd(reservations, now) ?? 1, most: limit }
  }
  const after = before.after + addend
  if (after > limit) return { window: null, after, secondsUntilReset: before.secondsUntilReset, most: limit }
  const counted = addHits(window, span, addend, now)
  return { window: keepList({ window: counted.window, reservations: opened }), ...counted.hits, most: limit }
}

function settle(
  { window, reservations }: Open,
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
  return {
    window: keepList({ window: next, reservations: settlement.reservations }),
    ...peekHits(next, span, now),
    most: limit,
  }
}

/** Gives hits back to the window that begins at `start`: the open one, one that the clock showed before, or none. */
function giveBack(window: Window, start: number, hits: number): Window {
  if (window.start === start) return withoutHits(window, hits)
  const shown = window.shown?.map((other) =>
    other.start === start ? { start, more: Math.max(other.more - hits, -window.hits) } : other,
  )
  return shown === undefined ? window : { ...window, shown }
}
