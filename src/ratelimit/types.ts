/** The words of the rate limit protocol (Envoy RLS v3) as plain values: what is asked and what is answered. */

import type { JsonObject } from '../base/json.ts'
import type { Algorithm } from './algorithm/algorithm.ts'
import type { ReservationStep } from './reservation/reservations.ts'

/** A unit of time that a limit counts in. Week, month and year are 7, 30 and 365 days, not calendar periods. */
export type Unit = 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'YEAR'

/** One key and value of a descriptor. An absent value arrives as the empty string. */
export interface Entry {
  readonly key: string
  readonly value: string
}

/** A limit that travels in the request and replaces the configured one. */
export interface LimitOverride {
  /** 0 to 2^32 - 1; 0 blocks every hit. */
  readonly requestsPerUnit: number
  /** Null when the request named no unit that exists; such a request is refused. */
  readonly unit: Unit | null
}

/** An ordered list of entries that names what is counted. */
export interface Descriptor {
  readonly entries: readonly Entry[]
  readonly limit?: LimitOverride
  /** Hits to add for this descriptor, 0 to 2^64 - 1; wins over the request's. 0 looks without counting. */
  readonly hitsAddend?: bigint
  /** True when the addend is given back instead of counted. */
  readonly isNegativeHits?: boolean
  /** The hits open a reservation, or are the true cost of one. */
  readonly step?: ReservationStep
}

/** One question: may these descriptors of this domain be hit? */
export interface RateLimitRequest {
  readonly domain: string
  readonly descriptors: readonly Descriptor[]
  /** Hits to add for every descriptor without its own addend, 0 to 2^32 - 1; 0 means 1. */
  readonly hitsAddend: number
}

/** Verdict about a descriptor, or the whole request. */
export type Code = 'OK' | 'OVER_LIMIT'

/** The numbers of a limit as they appear in an answer. */
export interface RateLimit {
  readonly requestsPerUnit: number
  readonly unit: Unit
  /** The limit's configured name, absent when it has none. */
  readonly name?: string
  /** Absent for windows of the unit, in which every hit counts. */
  readonly algorithm?: Algorithm
}

/** The decision on one descriptor. */
export interface DescriptorStatus {
  readonly code: Code
  /** Absent when no limit applied. */
  readonly currentLimit?: RateLimit
  /** Hits left in this window; 0 when over or unmatched, 4294967295 when unlimited. */
  readonly limitRemaining: number
  /** Whole seconds until hits may pass again, at least 1: see `Hits`; absent without a current limit. */
  readonly secondsUntilReset?: number
  /** The status of each limit of a descriptor that has several, of which this is the tightest. */
  readonly limits?: readonly DescriptorStatus[]
}

/** A header for the proxy to add, to the response or to the request that it lets pass. */
export interface Header {
  readonly key: string
  readonly value: string
}

/** The answer to one request; `statuses` has one item per descriptor, in the request's order. */
export interface RateLimitResponse {
  readonly overallCode: Code
  readonly statuses: readonly DescriptorStatus[]
  readonly responseHeadersToAdd: readonly Header[]
  /** For the upstream; absent while they are switched off or there is nothing to report. */
  readonly requestHeadersToAdd?: readonly Header[]
  /** Present only when dynamic metadata is switched on. */
  readonly dynamicMetadata?: JsonObject
}
