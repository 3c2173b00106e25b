/** The hits that the descriptors of a request add to their counters. */

import { memo } from '../base/memo.ts'
import { countsEachHit, lifeOf, reserveOf, unitThatLasts } from './algorithm/algorithm.ts'
import { algorithmKey } from './algorithm/algorithm-key.ts'
import { maxHits } from './counter.ts'
import { isLeased, type LeasePolicy } from './lease/lease-policy.ts'
import type { Match } from './match.ts'
import { asLook, type CounterHit } from './ports.ts'
import type { Limit } from './rule-book.ts'
import type { Descriptor, RateLimit, RateLimitRequest } from './types.ts'

/** A descriptor with a counter: what to add to it and what it may hold. */
export interface DescriptorHit {
  /** The descriptor's place in the request. */
  readonly at: number
  readonly limit: Limit
  readonly rateLimit: RateLimit
  /** The only part that goes to the store. */
  readonly hit: CounterHit
}

/** Lists the descriptors of a request that have a counter, in order; `leases` says which may be leased. */
export function listDescriptorHits(
  matches: readonly Match[],
  request: RateLimitRequest,
  leases: LeasePolicy | null = null,
): readonly DescriptorHit[] {
  const counted: DescriptorHit[] = []
  let isDenied = false
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at]
    const limit = match?.limit
    if (match === undefined || limit == null || limit.rateLimit === null) {
      // A list takes the limit from a descriptor.
      if (match?.listing?.list === 'deny') isDenied = true
      continue
    }
    const asked = { at, match, request, leases }
    counted.push(listHit(limit, limit.rateLimit, asked))
    for (const further of limit.further ?? noFurther) {
      if (further.rateLimit !== null) counted.push(listHit(further, further.rateLimit, asked))
    }
  }
  return isDenied ? counted.map((one) => (isTogether(one) ? { ...one, hit: asLook(one.hit) } : one)) : counted
}

const noFurther: readonly Limit[] = []

interface AskedMatch {
  readonly at: number
  readonly match: Match
  readonly request: RateLimitRequest
  readonly leases: LeasePolicy | null
}

function listHit(limit: Limit, rateLimit: RateLimit, { at, match, request, leases }: AskedMatch): DescriptorHit {
  const hit = toHit(match, rateLimit, request)
  const mayLease = leases !== null && countsEachHit(rateLimit.algorithm) && hit.addend > 0 && hit.isRefund !== true
  const isOfLease = mayLease && isLeased(leases, request.domain, limit.statKey)
  return { at, limit, rateLimit, hit: isOfLease ? { ...hit, isLeased: true } : hit }
}

function toHit({ key, descriptor }: Match, rateLimit: RateLimit, request: RateLimitRequest): CounterHit {
  const { requestsPerUnit: limit, algorithm } = rateLimit
  const isSettlement = descriptor.step?.action === 'settle'
  // A limit that takes no reservations does not count their cost, and a holder has none.
  const isRefund = descriptor.isNegativeHits === true || isSettlement
  const isReserved = algorithm !== undefined && reserveOf(algorithm) !== undefined
  const isFree = isSettlement && (!isReserved || algorithm.kind === 'concurrency')
  const addend = isFree ? 0 : readAddend(descriptor, request)
  const { suffix, unit } = algorithm === undefined ? { suffix: '', unit: rateLimit.unit } : placeOf(rateLimit)
  const counter = key + suffix
  if (descriptor.step !== undefined && isReserved) return { key: counter, unit, addend, limit, step: descriptor.step }
  return isRefund ? { key: counter, unit, addend, limit, isRefund } : { key: counter, unit, addend, limit }
}

/** Makes a look at the counter of a limit that has an algorithm. */
export function algorithmHit(key: string, rateLimit: RateLimit): CounterHit {
  const { suffix, unit } = placeOf(rateLimit)
  return { key: key + suffix, unit, limit: rateLimit.requestsPerUnit, addend: 0 }
}

/** The end of the key of a limit's counters, and the unit for whose length they are kept. */
const placeOf = memo((rateLimit: RateLimit) => {
  const { algorithm } = rateLimit
  const suffix = algorithm === undefined ? '' : algorithmKey({ key: '', algorithm })
  return { suffix, unit: unitThatLasts(lifeOf(rateLimit)) }
})

/** Finds a descriptor's hits: its own addend, else the request's, 0 or none as 1; saturates at 2^53 - 1. */
export function readAddend(descriptor: Descriptor, request: RateLimitRequest): number {
  const own = descriptor.hitsAddend
  if (own === undefined) return request.hitsAddend === 0 ? 1 : request.hitsAddend
  return own > BigInt(maxHits) ? maxHits : Number(own)
}

/** Tells whether a limit that is over refuses the request: not in a shadow or quota mode, nor where all are lenient. */
export function refusesRequest({ limit }: DescriptorHit, isLenient: boolean): boolean {
  return !(isLenient || limit.isShadow || limit.isQuota)
}

/** Tells whether a hit counts only where its whole request is admitted (`charge: all_or_nothing`). */
export function isTogether({ rateLimit, hit }: DescriptorHit): boolean {
  return rateLimit.algorithm?.charge === 'all_or_nothing' && hit.addend > 0 && hit.isRefund !== true
}
