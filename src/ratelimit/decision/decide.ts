/** A limit and its counter become a status and the statistics that go with it. */

import { capacityOf } from '../algorithm/algorithm.ts'
import type { DescriptorHit } from '../descriptor-hit.ts'
import type { Hits, StatDelta } from '../ports.ts'
import type { SettlementFault } from '../reservation/reservations.ts'
import type { Limit } from '../rule-book.ts'
import type { DescriptorStatus, RateLimit } from '../types.ts'

/** The decision on one descriptor. */
export interface DescriptorDecision {
  readonly status: DescriptorStatus
  /** True when a counter is over its limit, also where a mode turns the status into OK. */
  readonly isOver: boolean
  /** Outcome of a settlement; `done` when any of the descriptor's limits settled. */
  readonly settlement?: Settlement
}

/** The decision by one limit of a descriptor. */
export interface Decision extends DescriptorDecision {
  /** Without `total_hits`, which is counted before the counter is asked; zero changes are left out. */
  readonly stats: readonly StatDelta[]
}

/** A limit of a descriptor, and its numbers. */
type CountedLimit = Pick<DescriptorHit, 'limit' | 'rateLimit'>

/** A reservation that was settled, or the reason why nothing was. */
export type Settlement = 'done' | SettlementFault

/** Status of a descriptor that nothing limits. */
export const unlimitedByNothing: DescriptorStatus = { code: 'OK', limitRemaining: 0 }

/** Status of a descriptor whose limit is "unlimited". */
export const unlimited: DescriptorStatus = { code: 'OK', limitRemaining: 4_294_967_295 }

/** Statuses by the failure policy: no current limit, because nothing is known of the counter. */
export const unreached = {
  open: { code: 'OK', limitRemaining: 0 },
  closed: { code: 'OVER_LIMIT', limitRemaining: 0 },
} as const satisfies Readonly<Record<string, DescriptorStatus>>

/** Finds the count above which hits are "near": floor(limit x ratio) in single precision, as the reference. */
export function nearThreshold(limit: number, ratio: number): number {
  return Math.floor(Math.fround(Math.fround(limit) * Math.fround(ratio)))
}

/**
 * Decides by one limit from its counter.
 *
 * A refused request keeps its whole addend counted; the part of it that was still below the limit goes to
 * `near_limit`, the rest to `over_limit`.
 *
 * @param hits - the counter after `addend` was added.
 * @param nearRatio - 0 to 1.
 */
export function decide({ limit, rateLimit }: CountedLimit, addend: number, hits: Hits, nearRatio: number): Decision {
  const allowed = capacityOf(rateLimit)
  const near = nearThreshold(allowed, nearRatio)
  const { after, secondsUntilReset } = hits
  // Less than nothing when the store was told to add nothing (STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT); the
  // reference's unsigned number is beyond every limit then.
  const before = after < addend ? Number.POSITIVE_INFINITY : after - addend
  if (after <= allowed) {
    const status: DescriptorStatus = {
      code: 'OK',
      currentLimit: rateLimit,
      limitRemaining: allowed - after,
      secondsUntilReset,
    }
    const nearHits = after <= near ? 0 : before >= near ? addend : after - near
    return { status, stats: withinStats(limit, addend, nearHits), isOver: false }
  }
  const isEntirelyOver = before >= allowed
  const overHits = isEntirelyOver ? addend : after - allowed
  const nearHits = isEntirelyOver ? 0 : allowed - Math.max(near, before)
  return {
    status: overStatus(limit, rateLimit, secondsUntilReset),
    stats: overStats(limit, overHits, nearHits),
    isOver: true,
  }
}

/** Joins the decision by one more limit of a descriptor to those before it. */
export function joinDecisions(joined: DescriptorDecision, next: DescriptorDecision): DescriptorDecision {
  const settlement = joined.settlement === 'done' ? 'done' : (next.settlement ?? joined.settlement)
  return {
    status: joinStatuses(joined.status, next.status),
    isOver: joined.isOver || next.isOver,
    ...(settlement !== undefined && { settlement }),
  }
}

/**
 * Joins the status of one more limit of a descriptor to those before it. The tightest is the descriptor's: one that is
 * refused, the longest wait of several; else the one with the least remaining, the first of equals.
 */
export function joinStatuses(joined: DescriptorStatus, next: DescriptorStatus): DescriptorStatus {
  const { limits = [joined] } = joined
  const tightest = isTighter(next, joined) ? next : joined
  return { ...tightest, limits: [...limits, next] }
}

function isTighter(one: DescriptorStatus, other: DescriptorStatus): boolean {
  if (one.code !== other.code) return one.code === 'OVER_LIMIT'
  if (one.limitRemaining !== other.limitRemaining) return one.limitRemaining < other.limitRemaining
  return one.limitRemaining === 0 && (one.secondsUntilReset ?? 0) > (other.secondsUntilReset ?? 0)
}

/** Decides a descriptor whose counter is remembered to be over; the counter is not asked. */
export function decideRemembered(
  { limit, rateLimit }: CountedLimit,
  addend: number,
  secondsUntilReset: number,
): Decision {
  const stats = overStats(limit, addend, 0)
  return {
    status: overStatus(limit, rateLimit, secondsUntilReset),
    stats: addend === 0 ? stats : [...stats, { name: limit.stats.overLimitWithLocalCache, delta: addend }],
    isOver: true,
  }
}

/** Decides a descriptor that gave hits back: always OK, with what is left now. */
export function decideRefund({ limit, rateLimit }: CountedLimit, addend: number, hits: Hits): Decision {
  return {
    status: {
      code: 'OK',
      currentLimit: rateLimit,
      limitRemaining: Math.max(0, capacityOf(rateLimit) - hits.after),
      secondsUntilReset: hits.secondsUntilReset,
    },
    stats: addend === 0 ? [] : [{ name: limit.stats.totalNegativeHits, delta: addend }],
    isOver: false,
  }
}

/** Decides a descriptor that settled a reservation: always OK, with what is left now. */
export function decideSettlement(counted: CountedLimit, cost: number, hits: Hits): Decision {
  const { status } = decideRefund(counted, 0, hits)
  if (hits.fault !== undefined) return { status, stats: [], isOver: false, settlement: hits.fault }
  const stats = cost === 0 ? [] : [{ name: counted.limit.stats.settledHits, delta: cost }]
  return { status, stats, isOver: false, settlement: 'done' }
}

/** A shadow rule answers OK with nothing left. */
function overStatus(limit: Limit, rateLimit: RateLimit, secondsUntilReset: number): DescriptorStatus {
  return { code: limit.isShadow ? 'OK' : 'OVER_LIMIT', currentLimit: rateLimit, limitRemaining: 0, secondsUntilReset }
}

function overStats(limit: Limit, overHits: number, nearHits: number): readonly StatDelta[] {
  const stats: StatDelta[] = []
  if (overHits > 0) stats.push({ name: limit.stats.overLimit, delta: overHits })
  if (nearHits > 0) stats.push({ name: limit.stats.nearLimit, delta: nearHits })
  if (limit.isShadow && overHits > 0) stats.push({ name: limit.stats.shadowMode, delta: overHits })
  return stats
}

function withinStats(limit: Limit, addend: number, nearHits: number): readonly StatDelta[] {
  const stats: StatDelta[] = []
  if (addend > 0) stats.push({ name: limit.stats.withinLimit, delta: addend })
  if (nearHits > 0) stats.push({ name: limit.stats.nearLimit, delta: nearHits })
  return stats
}
