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
  /** Time at which it was last raised: Unix milliseconds of the object's clock. */
  readonly raisedAtMs: number
}

/** The largest part of a limit that a ceiling is ahead of the count: one in so many hits. */
const mostAhead = 100
/** Within the last one in so many hits of a limit the ceiling is the count, so a crash near the limit is exact. */
const exactWithin = 50
/** A count that is written again sooner (milliseconds) is worth a first step. */
const worthStepMs = 250
/** Time that a ceiling should last, in milliseconds: four seconds at the rate of an hourly limit are 0.1 % of it. */
const lastingMs = 4_000
/** Most hits of a step for each hit since the last ceiling: two hits in one millisecond are not yet a demand. */
const mostGrowth = 64
/** The start of no window. */
const noWindow = -1
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

/** Tells whether a crash would refuse more too early than 1 % of the limit and more than one hit. */
export function isTooFarAhead(ceiling: Ceiling | undefined, window: Window, limit: number): boolean {
  return unusedHits(ceiling, window) > Math.max(1, Math.floor(limit / mostAhead))
}

/**
 * Finds the ceiling to write for a count that the present one does not cover.
 *
 * The step is what four seconds need at the rate of the hits since the last ceiling; a burst begins with the step of
 * the last one. A key with fewer than four hits a second keeps step 0, which is a write for each hit.
 *
 * @param before - the ceiling so far; undefined for a counter that this process has not written.
 * @param window - the count, the new hit included.
 * @param limit - hits that a window admits, 0 to 2^32 - 1; null when unknown, which sets nothing ahead.
 * @param nowMs - Unix time in milliseconds of the object's clock.
 */
export function raiseCeiling(
  before: Ceiling | undefined,
  window: Window,
  limit: number | null,
  nowMs: number,
): Ceiling {
  const step = nextStep(before, window, nowMs)
  const hits = Math.min(maxHits, window.hits + hitsAhead(step, window.hits, limit))
  return { start: window.start, hits, from: window.hits, step, raisedAtMs: nowMs }
}

/**
 * The ceiling of a counter that has fallen idle, or of which hits were given back: the count.
 *
 * The step stays for the next burst, unless the ceiling served no hit but the one that raised it. The next hit finds
 * when the ceiling was last raised: a pause is not a demand.
 */
export function exactCeiling(before: Ceiling | undefined, window: Window, nowMs: number): Ceiling {
  const { start, hits } = window
  const isUsed = before !== undefined && (before.start !== start || before.from !== hits)
  const step = isUsed ? before.step : 0
  return { start, hits, from: hits, step, raisedAtMs: before?.raisedAtMs ?? nowMs }
}

/** Reduces a ceiling to its step, for an isolate that no longer knows the disk. It covers no window. */
export function restedCeiling({ step, raisedAtMs }: Ceiling): Ceiling {
  return { start: noWindow, hits: 0, from: 0, step, raisedAtMs }
}

/** Hits that one ceiling may be ahead of a count: at most 1 % of the limit, and 0 in the last 2 % before it. */
export function hitsAhead(step: number, hits: number, limit: number | null): number {
  if (limit === null) return 0
  const rest = limit - hits
  if (rest >= 0 && rest <= limit / exactWithin) return 0
  return Math.min(step, Math.floor(limit / mostAhead))
}

function nextStep(before: Ceiling | undefined, window: Window, nowMs: number): number {
  if (before === undefined) return 0
  const { start, hits, from, step, raisedAtMs } = before
  const lasted = nowMs - raisedAtMs
  // Hits since a pause, or of another window, show no rate.
  if (step > 0 && (hits === from || start !== window.start)) return lasted < forgottenMs ? step : 0
  if (step === 0 && lasted >= worthStepMs) return 0
  const came = start === window.start ? window.hits - from : window.hits
  const needed = (came * lastingMs) / Math.max(1, lasted)
  return Math.min(maxHits, Math.floor(Math.min(needed, came * mostGrowth)))
}
