/** Ceilings: what the disk holds of a counter, written ahead of the hits, so that most hits need no write. */

import { maxHits, type Window } from '../counter.ts'

/**
 * The row of one counter on disk, and the rate of its hits.
 *
 * While `hits` of the ceiling is at least the count, a crash finds a count that forgets no hit. The difference is what
 * a crash refuses too early.
 */
export interface Ceiling {
  /** Start of the window that the ceiling belongs to: Unix time in seconds. */
  readonly start: number
  /** The count on disk, 0 to 2^53 - 1. */
  readonly hits: number
  /** The count when it was raised: what came since then shows the demand. */
  readonly from: number
  /** Hits by which demand would set the next ceiling ahead of the count; the limit bounds it further. */
  readonly step: number
  /** Time at which it was last raised: Unix milliseconds of the object's clock; -Infinity for one that was read. */
  readonly raisedAtMs: number
  /** Hits of `from` that earlier crashes of the window may have added: they were ahead of the count then. */
  readonly lost: number
}

/** Measure of a count that rises with time too, such as that of a bucket. */
export interface Scale {
  /** The count of one hit. */
  readonly per: number
  /** Hits that the limit admits at once. */
  readonly capacity: number
}

/** The largest part of a limit that all crashes of a window cost together: one in so many hits. */
const mostLost = 100
/** Hits that they may cost of a small limit, while these are at most one in so many of it. */
const fewLost = { hits: 8, in: 20 }
/** Time that a ceiling should last, in milliseconds: four seconds at the rate of an hourly limit are 0.1 % of it. */
const lastingMs = 4_000
/** Most hits of a step for each hit since the last ceiling: two hits in one millisecond are not yet a demand. */
const mostGrowth = 64
/** A key with a hit in so many milliseconds on average has a step too: twice the hits since the last ceiling, up to a bound. */
const slow = { withinMs: 120_000, growth: 2, most: 16 }
/** Most steps of one ceiling, and the part (one in so many) of what crashes may still cost that several steps may be. */
const long = { steps: 15, part: 16 }
/** A ceiling that was last raised so long ago (milliseconds) says nothing of the next burst. */
const forgottenMs = 120_000

/** Tells whether the disk holds at least what the window counts. */
export function isCovered(ceiling: Ceiling | undefined, window: Window): boolean {
  return ceiling !== undefined && ceiling.start === window.start && window.hits <= ceiling.hits
}

/** Hits that a crash would find beyond those that were counted; 0 for a ceiling of another window. */
export function unusedHits(ceiling: Ceiling | undefined, window: Window): number {
  return ceiling?.start === window.start ? Math.max(0, ceiling.hits - window.hits) : 0
}

/** Hits that crashes of one window may cost together: 1 % of the limit, or up to 8 while they are at most 5 % of it. */
export function lossBudget(limit: number): number {
  return Math.max(Math.floor(limit / mostLost), Math.min(fewLost.hits, Math.floor(limit / fewLost.in)))
}

function budgetOf(limit: number, scale: Scale | undefined): number {
  return scale === undefined ? lossBudget(limit) : scale.per * lossBudget(scale.capacity)
}

/** Tells whether a crash would make the window's crashes cost more than their budget and more than one hit. */
export function isTooFarAhead(ceiling: Ceiling | undefined, window: Window, limit: number, scale?: Scale): boolean {
  return unusedHits(ceiling, window) + lostIn(window, ceiling) > Math.max(scale?.per ?? 1, budgetOf(limit, scale))
}

/**
 * Finds the ceiling to write for a count that the present one does not cover.
 *
 * The step is what four seconds need at the rate of the hits since the last ceiling, and for a key that is hit once in
 * two minutes or more often twice those hits, 16 at most, and without that bound in a scale, whose count rises between
 * hits. A new window begins with the step of the last one.
 *
 * @param before - the ceiling so far; undefined for a counter that is new.
 * @param window - the count, the new hit included.
 * @param limit - up to where the count may rise: of a window 0 to 2^32 - 1; null when unknown, which sets nothing ahead.
 * @param nowMs - Unix time in milliseconds of the object's clock.
 */
export function raiseCeiling(
  before: Ceiling | undefined,
  window: Window,
  {
    limit,
    nowMs,
    scale,
  }: { readonly limit: number | null; readonly nowMs: number; readonly scale?: Scale | undefined },
): Ceiling {
  const step = nextStep(before, window, nowMs, scale)
  const lost = lostIn(window, before)
  const hits = Math.min(maxHits, window.hits + hitsAhead(step, window.hits, { limit, lost, scale }))
  return { start: window.start, hits, from: window.hits, step, raisedAtMs: nowMs, lost }
}

/** The ceiling of a counter of which hits were given back, or whose limit is unknown: the count. The step stays. */
export function exactCeiling(before: Ceiling | undefined, window: Window, nowMs: number): Ceiling {
  const { start, hits } = window
  const { step = 0, raisedAtMs = nowMs } = before ?? {}
  return { start, hits, from: hits, step, raisedAtMs, lost: lostIn(window, before) }
}

/** The ceiling of a row from the disk: all its hits count, also the `spare` ones that may not have been made. */
export function readCeiling({ start, hits }: Window, spare: number): Ceiling {
  return { start, hits, from: hits, step: 0, raisedAtMs: Number.NEGATIVE_INFINITY, lost: spare }
}

/** The ceiling after a write that failed: it covers no hit. */
export function failedCeiling(ceiling: Ceiling): Ceiling {
  return { ...ceiling, hits: -1 }
}

/** Hits of the row that were not made when it was written: those ahead of the count, and what crashes had added. */
export function spareHits({ hits, from, lost }: Ceiling): number {
  return lost + hits - from
}

/**
 * Hits that one ceiling may be ahead of a count: a step or more, up to what is left of the budget for crashes,
 * and 0 where the rest of the limit is at most twice the budget; not so in a scale, because a busy bucket is always
 * nearly empty.
 *
 * @param lost - hits that crashes of the window have cost.
 */
export function hitsAhead(
  step: number,
  hits: number,
  { limit, lost, scale }: { readonly limit: number | null; readonly lost: number; readonly scale?: Scale | undefined },
): number {
  if (limit === null) return 0
  const [rest, budget] = [limit - hits, budgetOf(limit, scale)]
  if (scale === undefined && rest >= 0 && rest <= 2 * budget) return 0
  const left = Math.max(0, budget - lost)
  return Math.min(left, Math.max(step, Math.min(step * long.steps, Math.floor(left / long.part))))
}

function lostIn({ start }: Window, ceiling: Ceiling | undefined): number {
  return ceiling?.start === start ? ceiling.lost : 0
}

function nextStep(before: Ceiling | undefined, window: Window, nowMs: number, scale: Scale | undefined): number {
  if (before === undefined) return 0
  const { start, from, step, raisedAtMs } = before
  const lasted = nowMs - raisedAtMs
  // Hits since a pause, or of another window, show no rate.
  if (step > 0 && (before.hits === from || start !== window.start)) return lasted < forgottenMs ? step : 0
  const came = start === window.start ? window.hits - from : window.hits
  const busy = (came * lastingMs) / Math.max(1, lasted)
  const [hits, most] = scale === undefined ? [came, slow.most] : [came / scale.per, Number.POSITIVE_INFINITY]
  const rare = lasted <= hits * slow.withinMs ? Math.min(most, came * slow.growth) : 0
  return Math.min(maxHits, Math.floor(Math.min(Math.max(busy, rare), came * mostGrowth)))
}
