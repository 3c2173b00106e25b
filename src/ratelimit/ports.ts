/** Ports of a decision: a store that counts, and a sink of statistics. */

import { RatelimitError } from './errors.ts'
import type { ReservationStep, SettlementFault } from './reservation/reservations.ts'
import type { Unit } from './types.ts'
import type { DecidedRequest } from './usage/types.ts'

/** One hit on one counter, as part of one request. */
export interface CounterHit {
  /** The counter's key without its window, for example `shop_tenant_t1_`. */
  readonly key: string
  readonly unit: Unit
  /** Hits to add, 0 to 2^53 - 1. 0 looks without counting. */
  readonly addend: number
  /** True to give `addend` back; the counter never falls below 0 and a missing counter stays missing. */
  readonly isRefund?: boolean
  /** Hits that the window admits, 0 to 2^32 - 1; a store may use it to decide what it writes ahead. */
  readonly limit?: number
  /** The hits open a reservation, or are the true cost of one; of an algorithm that has reservations only. */
  readonly step?: ReservationStep
  /** The hit is of a request whose hits one call counts, some of them all or nothing; see `CounterStore.isOneCall`. */
  readonly joint?: JointHit
  /** True when the hit may be admitted from a lease of the counter; needs a limit. */
  readonly isLeased?: boolean
}

/** A hit among those of a request that counts all or nothing in one call. */
export interface JointHit {
  /** Hits of the request that come behind this one. */
  readonly rest: number
  /** True where the counter, once it is over, keeps the hits that count together from counting. */
  readonly mayRefuse: boolean
  /** True for a hit that counts with the others or not at all; others count in any case. */
  readonly isTogether: boolean
}

/** Writes a joint hit as a whole number, for a message. */
export function writeJoint({ rest, mayRefuse, isTogether }: JointHit): number {
  return rest * 4 + (mayRefuse ? 2 : 0) + (isTogether ? 1 : 0)
}

/** Reads what `writeJoint` writes. */
export function readJoint(number: number): JointHit {
  return { rest: Math.floor(number / 4), mayRefuse: (number & 2) !== 0, isTogether: (number & 1) !== 0 }
}

/** Tells whether a limit may refuse a hit: hits given back, and the cost of a reservation, it takes in any case. */
export function isRefusable({ isRefund, step }: CounterHit): boolean {
  return isRefund !== true && step?.action !== 'settle'
}

/** Makes a hit that changes nothing of one. */
export function asLook({ step: _, joint: __, ...hit }: CounterHit): CounterHit {
  return { ...hit, addend: 0, isRefund: false }
}

/** A counter after a hit. */
export interface Hits {
  /** The counter's value with the hit included; saturates at 2^53 - 1. */
  readonly after: number
  /**
   * Whole seconds to the end of the window that was counted in, 1 to the unit's length. Of a blocked key to the end of
   * the block, and to the later of both where the counter is over its limit as well.
   */
  readonly secondsUntilReset: number
  /** The failure of a read whose counter the store takes for unused, unless a failure policy decides. */
  readonly unread?: string
  /** True when hits may come back before the window turns, so that a refusal is not to be remembered. */
  readonly isProvisional?: boolean
  /** The reason for which a settlement changed nothing. */
  readonly fault?: SettlementFault
}

/**
 * Counts hits in fixed windows aligned to the Unix epoch.
 *
 * Every hit of a request is applied, also when another one is refused; the same key twice in one request is counted
 * in order, the second seeing the first.
 */
export interface CounterStore {
  /**
   * Applies all hits of one request.
   *
   * @returns one item per hit, in the same order.
   * @throws RatelimitError counter_unavailable when any hit could not be counted.
   */
  hit(hits: readonly CounterHit[]): Promise<readonly Hits[]>

  /**
   * Reads counters without creating or prolonging them; `addend` is ignored.
   *
   * @throws RatelimitError counter_unavailable when any counter could not be read.
   */
  peek(hits: readonly CounterHit[]): Promise<readonly Hits[]>

  /** Tells whether one call takes all of these hits at once, so that they may be joint; absent where none does. */
  isOneCall?(hits: readonly CounterHit[]): boolean
}

/**
 * Fails closed when a store returned fewer counters than it was asked for.
 *
 * @throws RatelimitError counter_unavailable when the numbers differ.
 */
export function assertOneEach<T>(answers: readonly T[], asked: readonly unknown[]): readonly T[] {
  if (answers.length === asked.length) return answers
  throw new RatelimitError(
    'counter_unavailable',
    `Cannot count: the store answered ${answers.length} counters, expected ${asked.length}`,
  )
}

/** One statistic and what to add to it. */
export interface StatDelta {
  /** Full dotted name, for example `ratelimit.service.rate_limit.shop.tenant.total_hits`. */
  readonly name: string
  readonly delta: number
}

/** Takes statistics after a decision; never throws and never delays an answer. */
export interface StatSink {
  record(deltas: readonly StatDelta[]): void
}

/** Takes decisions after they were made; never throws and never delays an answer. */
export interface UsageSink {
  add(decided: DecidedRequest): void
}
