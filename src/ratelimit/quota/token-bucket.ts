/** Token buckets as a stock Envoy enforces them, and the most that can pass one in a span of time. */

/**
 * Seconds between fills, the same for every bucket. A stock Envoy reads whole seconds only, fills continuously, and
 * takes two buckets that differ only in the seconds for the same one.
 */
export const fillSeconds = 1_000

/** The most that a field of the protocol holds, and so the most tokens of a bucket or a fill. */
const mostTokens = 4_294_967_295
/** Seconds of its rate that a bucket holds at most: a burst that is small against a window. */
const burstSeconds = 0.5

/** A bucket: it starts full and is filled at an even rate. */
export interface TokenBucket {
  /** Tokens that it holds at most, 1 to 2^32 - 1. */
  readonly maxTokens: number
  /** Tokens that it gets in `fillSeconds`, 1 to 2^32 - 1. */
  readonly tokensPerFill: number
}

/** Hits that a bucket lets pass in a second once it is empty. */
export function rateOf({ tokensPerFill }: TokenBucket): number {
  return tokensPerFill / fillSeconds
}

/** The most hits that can pass a bucket in so many seconds with any beginning; 0 for no time. */
export function passable(bucket: TokenBucket, seconds: number): number {
  return seconds <= 0 ? 0 : bucket.maxTokens + rateOf(bucket) * seconds
}

/** Makes the bucket that lets at most so many hits pass in a span; null when that is less than one hit. */
export function bucketFor(hits: number, seconds: number): TokenBucket | null {
  const least = seconds / fillSeconds
  if (!(hits >= 1 + least)) return null
  const burst = Math.floor((hits / (seconds + burstSeconds)) * burstSeconds)
  const maxTokens = Math.min(mostTokens, Math.max(1, burst))
  const perFill = Math.floor(((hits - maxTokens) / seconds) * fillSeconds)
  return { maxTokens, tokensPerFill: Math.min(mostTokens, Math.max(1, perFill)) }
}
