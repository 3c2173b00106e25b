/** One hit on one counter of an algorithm: from its state to the answer and the next state. */

import { addHits, maxHits, peekHits, refundHits, type Window } from '../counter.ts'
import type { Scale } from '../durability/ceiling.ts'
import type { Hits } from '../ports.ts'
import { countConcurrent } from '../reservation/count-concurrent.ts'
import { countReserved } from '../reservation/count-reserved.ts'
import type { ReservationStep, SettlementFault } from '../reservation/reservations.ts'
import { type Span, spanOf } from '../window.ts'
import { type Algorithm, countsEachHit, holdOf, type WindowAlgorithm } from './algorithm.ts'
import { calendarSpan } from './calendar.ts'
import { countSliding } from './sliding.ts'
import { countTokens } from './token-bucket.ts'

/** A hit, and when it comes. */
export interface TimedHit {
  /** Hits to count; negative to give back, 0 to look. */
  readonly addend: number
  /** Requests per unit. */
  readonly limit: number
  /** Unix time in milliseconds, read by the counter's owner. */
  readonly nowMs: number
  /** Absent for a plain hit. */
  readonly step?: ReservationStep | undefined
}

/** The answer to a hit, and what to keep. */
export interface CountedHit {
  /** The next state; null where nothing has changed, also for a counter that stays missing. */
  readonly window: Window | null
  /** The part of the capacity that is used with the hit in it; above the capacity the hit is refused. */
  readonly after: number
  /** Whole seconds, at least 1: for a refused hit until it would pass, otherwise as the algorithm says. */
  readonly secondsUntilReset: number
  /** By the measure of the state's hits: up to where it may rise. */
  readonly most: number
  /** That measure; absent where it is hits. */
  readonly scale?: Scale
  /** Hits of open reservations; absent where a counter keeps none. */
  readonly outstanding?: number
  /** Reservations that have ended unsettled since the hit before; absent for none. */
  readonly ended?: number
  /** The reason for which a settlement changed nothing. */
  readonly fault?: SettlementFault
}

/** Counts one hit. The state is a window for every algorithm, so that one way of writing ahead serves them all. */
export function countHit(algorithm: Algorithm, window: Window | undefined, hit: TimedHit): CountedHit {
  const counted = countBy(algorithm, window, hit)
  return counted.after > maxHits ? { ...counted, after: maxHits } : counted
}

function countBy(algorithm: Algorithm, window: Window | undefined, hit: TimedHit): CountedHit {
  switch (algorithm.kind) {
    case 'fixed':
    case 'calendar':
      return countWindow(algorithm, window, hit)
    case 'concurrency':
      return countConcurrent(algorithm, window, hit)
    case 'sliding':
      return countSliding(algorithm, window, hit)
    case 'token_bucket':
      return countTokens(algorithm, window, hit)
  }
}

/** Finds the windows of an algorithm that `countsEachHit`; undefined for others. */
export function leasedWindows(algorithm: Algorithm | undefined): Span | undefined {
  return algorithm !== undefined && countsEachHit(algorithm) ? windowsOf(algorithm) : undefined
}

function windowsOf(algorithm: WindowAlgorithm): Span {
  return algorithm.kind === 'fixed' ? spanOf(algorithm.seconds) : calendarSpan(algorithm.period, algorithm.zone)
}

function countWindow(algorithm: WindowAlgorithm, window: Window | undefined, hit: TimedHit): CountedHit {
  const span = windowsOf(algorithm)
  const countPlain = (kept: Window | undefined, plain: TimedHit) => countInWindow(algorithm.charge, span, kept, plain)
  // Nothing ends or is given back: most hits of a limit that counts all or nothing.
  const isPlain = hit.step === undefined && hit.addend >= 0 && window?.reservations === undefined
  const rule = isPlain ? undefined : holdOf(algorithm)
  return rule === undefined ? countPlain(window, hit) : countReserved({ span, rule, countPlain }, window, hit)
}

function countInWindow(
  charge: Algorithm['charge'],
  span: Span,
  window: Window | undefined,
  { addend, limit, nowMs }: TimedHit,
): CountedHit {
  const now = Math.floor(nowMs / 1000)
  const counted = addend > 0 ? addHits(window, span, addend, now) : refundHits(window, span, -addend, now)
  if (counted === null || addend === 0) return unchanged(peekHits(window, span, now), limit)
  if (charge !== 'all' && addend > 0 && counted.hits.after > limit) return unchanged(counted.hits, limit)
  return { window: counted.window, ...counted.hits, most: limit }
}

function unchanged(hits: Hits, most: number): CountedHit {
  return { window: null, ...hits, most }
}
