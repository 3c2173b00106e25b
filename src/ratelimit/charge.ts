/** What each limited descriptor of a request asks of its counter. */

import { maxHits } from './counter.ts'
import type { CounterHit } from './ports.ts'
import type { Limit, Match } from './rule-book.ts'
import type { Descriptor, RateLimit, RateLimitRequest } from './types.ts'

/** A descriptor with a counter: what to add to it and what it may hold. */
export interface Charge extends CounterHit {
  /** The descriptor's place in the request. */
  readonly at: number
  readonly limit: Limit
  readonly rateLimit: RateLimit
  readonly isRefund: boolean
}

/** Lists the charges of a request in the order of its descriptors. */
export function chargesOf(matches: readonly Match[], request: RateLimitRequest): readonly Charge[] {
  const charges: Charge[] = []
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at]
    const limit = match?.limit
    if (match === undefined || limit == null || limit.rateLimit === null) continue
    const { rateLimit } = limit
    charges.push({
      at,
      limit,
      rateLimit,
      key: match.key,
      unit: rateLimit.unit,
      addend: addendOf(match.descriptor, request),
      isRefund: match.descriptor.isNegativeHits === true,
    })
  }
  return charges
}

/**
 * Finds how many hits a descriptor adds: its own addend, else the request's, where 0 or none means 1.
 *
 * @returns 0 to 2^53 - 1; a larger addend saturates, far beyond any limit.
 */
export function addendOf(descriptor: Descriptor, request: RateLimitRequest): number {
  const own = descriptor.hitsAddend
  if (own === undefined) return request.hitsAddend === 0 ? 1 : request.hitsAddend
  return own > BigInt(maxHits) ? maxHits : Number(own)
}
