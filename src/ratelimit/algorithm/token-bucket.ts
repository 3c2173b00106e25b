/**
 * The token bucket as GCRA (the virtual scheduling of ITU-T I.371): one number, the time at which the bucket is full.
 *
 * Time is counted in parts of a hit that flow in within a millisecond, so that all of it is whole numbers: a
 * millisecond is `rate` parts and a hit is as many parts as the period has milliseconds. The number is kept from the
 * start of a period, so that it stays small, as the `hits` of a window.
 */

import type { Window } from '../counter.ts'
import type { Algorithm } from './algorithm.ts'
import type { CountedHit, TimedHit } from './count-hit.ts'

/** A bucket at a moment, in parts. */
interface Bucket {
  /** Start of the period: Unix time in seconds. */
  readonly start: number
  /** The moment, from the start. */
  readonly now: number
  /** Time at which it is full, from the start; never before the moment. */
  readonly full: number
  /** Parts of a hit, and of a whole bucket. */
  readonly hit: number
  readonly most: number
}

/**
 * Counts one hit. A refused hit takes nothing.
 *
 * Within any stretch of `t` seconds at most burst + rate x t / period hits pass. A clock that was set back finds the
 * bucket empty at worst.
 */
export function countTokens(
  algorithm: Extract<Algorithm, { kind: 'token_bucket' }>,
  window: Window | undefined,
  { addend, limit, nowMs }: TimedHit,
): CountedHit {
  const bucket = bucketAt(algorithm, window, limit, nowMs)
  const { start, now, full, hit, most } = bucket
  const ceiling = now + most
  const next = addend < 0 ? Math.max(now, full + addend * hit) : full + addend * hit
  const isAdmitted = next <= ceiling
  const state = isAdmitted && next !== full ? { start, hits: next } : null
  const used = Math.ceil((full - now) / hit)
  if (addend > 0 && !isAdmitted) {
    // A hit that is larger than the bucket waits for a full one, and never passes.
    const waitsFor = Math.min(addend * hit, most)
    const secondsUntilReset = secondsFor(full + waitsFor - ceiling, limit, algorithm)
    return { window: null, after: used + addend, secondsUntilReset, most: ceiling }
  }
  const lacks = addend === 0 && full + hit > ceiling ? full + hit - ceiling : next - now
  const secondsUntilReset = secondsFor(lacks, limit, algorithm)
  return { window: state, after: Math.ceil((next - now) / hit), secondsUntilReset, most: ceiling }
}

function bucketAt(
  { seconds, burst }: Extract<Algorithm, { kind: 'token_bucket' }>,
  window: Window | undefined,
  rate: number,
  nowMs: number,
): Bucket {
  const start = Math.floor(nowMs / 1000 / seconds) * seconds
  const hit = seconds * 1000
  const most = rate === 0 ? 0 : burst * hit
  const now = (nowMs - start * 1000) * rate
  const kept = window === undefined ? 0 : window.hits - (start - window.start) * 1000 * rate
  return { start, now, full: Math.min(Math.max(kept, now), now + most), hit, most }
}

/** Seconds in which so many parts flow in; a period, and no end, where nothing does. */
function secondsFor(parts: number, rate: number, { seconds }: { readonly seconds: number }): number {
  return rate === 0 ? seconds : Math.max(1, Math.ceil(parts / rate / 1000))
}
