/**
 * The token bucket as GCRA (the virtual scheduling of ITU-T I.371): one number, the time at which the bucket is full.
 *
 * Time is counted in parts of a hit, so that all of it is whole numbers: a millisecond is `rate` parts and a hit is as
 * many parts as the period has milliseconds. The number is kept from the start of some periods, so that it stays small,
 * as the `hits` of a window.
 */

import type { Window } from '../counter.ts'
import { keptSeconds } from '../window.ts'
import { type Algorithm, secondsToFill, unitThatLasts } from './algorithm.ts'
import type { CountedHit, TimedHit } from './count-hit.ts'

/** The algorithm of a bucket. */
type TokenBucket = Extract<Algorithm, { kind: 'token_bucket' }>

/** A bucket at a moment, in parts. */
interface Bucket {
  /** From where parts are counted: Unix time in seconds. */
  readonly start: number
  /** The moment, from the start. */
  readonly now: number
  /** Time at which it is full, from the start; never before the moment. */
  readonly full: number
  /** Parts of a hit, of a millisecond, and of a whole bucket. */
  readonly hit: number
  readonly flow: number
  readonly most: number
}

/**
 * Counts one hit. A refused hit takes nothing.
 *
 * Within any stretch of `t` seconds at most burst + rate x t / period hits pass. A clock that was set back finds the
 * bucket empty at worst.
 */
export function countTokens(
  algorithm: TokenBucket,
  window: Window | undefined,
  { addend, limit, nowMs }: TimedHit,
): CountedHit {
  const bucket = bucketAt(algorithm, window, limit, nowMs)
  const { start, now, full, hit, flow, most } = bucket
  const scale = { per: hit, capacity: algorithm.burst }
  const ceiling = now + most
  const next = addend < 0 ? Math.max(now, full + addend * hit) : full + addend * hit
  const isAdmitted = next <= ceiling
  const state = isAdmitted && next !== full ? { start, hits: next } : null
  const used = Math.ceil((full - now) / hit)
  if (addend > 0 && !isAdmitted) {
    // A hit that is larger than the bucket waits for a full one, and never passes.
    const waitsFor = Math.min(addend * hit, most)
    const secondsUntilReset = secondsFor(full + waitsFor - ceiling, flow, algorithm)
    return { window: null, after: used + addend, secondsUntilReset, most: ceiling, scale }
  }
  const lacks = addend === 0 && full + hit > ceiling ? full + hit - ceiling : next - now
  const secondsUntilReset = secondsFor(lacks, flow, algorithm)
  return { window: state, after: Math.ceil((next - now) / hit), secondsUntilReset, most: ceiling, scale }
}

/** Seconds from whose start the parts of a shorter period are counted: each new start is a write. */
const usualStart = 60

/**
 * Measures a bucket: parts of a hit and of a millisecond, and the seconds from whose start they are counted. Parts are
 * so large that the number of a bucket is below 2^52: where more than 70,000 hits flow in within a period, it may
 * therefore fill slower, by less than one part in 30,000, and never faster.
 *
 * @param rate - hits that flow in within the algorithm's seconds.
 */
export function measureBucket({ seconds, burst }: TokenBucket, rate: number) {
  const fill = secondsToFill({ seconds, burst }, rate)
  const room = Math.min(usualStart, keptSeconds(unitThatLasts(seconds + fill)) - fill)
  const period = seconds * Math.max(1, Math.floor(room / seconds))
  let [hit, flow] = [seconds * 1000, rate]
  while (flow * period * 1000 + burst * hit > 2 ** 52) {
    hit = Math.ceil(hit / 2)
    flow = Math.floor(flow / 2)
  }
  return { hit, flow, period }
}

function bucketAt(algorithm: TokenBucket, window: Window | undefined, rate: number, nowMs: number): Bucket {
  const { hit, flow, period } = measureBucket(algorithm, rate)
  const start = Math.floor(nowMs / 1000 / period) * period
  const most = rate === 0 ? 0 : algorithm.burst * hit
  const now = (nowMs - start * 1000) * flow
  const kept = window === undefined ? 0 : window.hits - (start - window.start) * 1000 * flow
  return { start, now, full: Math.min(Math.max(kept, now), now + most), hit, flow, most }
}

/** Seconds in which so many parts flow in; a period, and no end, where nothing does. */
function secondsFor(parts: number, flow: number, { seconds }: { readonly seconds: number }): number {
  return flow === 0 ? seconds : Math.max(1, Math.ceil(parts / flow / 1000))
}
