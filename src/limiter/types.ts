/** Requests to the limiter and its results, over every way in: RPC, HTTP, memory. */

import type { RatelimitErrorCode } from '../ratelimit/errors.ts'
import type { Code, Entry, Unit } from '../ratelimit/types.ts'

/** One request: a key, or the entries of a descriptor. */
export interface LimitRequest {
  /** The domain of the rules; that of the binding's `props`, or `default`, when absent. */
  readonly domain?: string
  /** The value of one entry whose key is `key`; excludes `entries`. */
  readonly key?: string
  /** The entries of the descriptor, in order. */
  readonly entries?: readonly Entry[] | Readonly<Record<string, string>>
  /** Hits to count, or to give back, 0 to 2^53 - 1; 1 when absent. 0 looks. */
  readonly hits?: number
  /**
   * Id under which the hits are reserved, until `settle` says their true cost: any text of up to 128 characters that the
   * caller has for the call, such as the id of a request. The limit must take reservations (`unsettled`).
   */
  readonly reservation?: string
  /** Hits that a period admits, 0 to 2^32 - 1, in place of the limit of the rules; needs `period`. */
  readonly limit?: number
  /** Seconds: 1, 60, 3600, 86400, 604800, 2592000 or 31536000. */
  readonly period?: number
}

/** A look at a counter: nothing is counted, so that it has no hits. */
export type PeekRequest = Omit<LimitRequest, 'hits' | 'reservation'>

/** A settlement: `hits` are the true cost of the reservation. */
export type SettleRequest = LimitRequest & { readonly reservation: string }

/** Defaults of the requests over one binding: its `props`. */
export type LimiterDefaults = Pick<LimitRequest, 'domain' | 'limit' | 'period'>

/** The reason for a missing decision: codes of the service, and of the way to it. */
export type FailureCode = RatelimitErrorCode | 'unknown_domain' | 'internal' | 'timeout' | 'unreachable'

/**
 * The reason for a result: `over_limit` refuses, by a limit or a deny list; `no_rule` and `unlimited`, by a rule or an
 * allow list, pass and count nothing; the rest are failures. Null passes within a limit.
 */
export type LimitReason = 'over_limit' | 'no_rule' | 'unlimited' | FailureCode | null

/** Result of a request. It is plain data: RPC of the platform drops what an error carries. */
export interface LimitResult {
  readonly success: boolean
  /** Hits that a period admits; null where no limit applied. */
  readonly limit: number | null
  /** Hits left in this period. */
  readonly remaining: number | null
  /** Seconds of a period. */
  readonly period: number | null
  /** Unix time in milliseconds at which the period ends, or the block of a key. */
  readonly reset: number | null
  /** Whole seconds to wait, at least 1; null unless the limit refuses. */
  readonly retryAfter: number | null
  readonly reason: LimitReason
  /** The mistake and what would be right, at most 500 characters; only with a failure. */
  readonly message?: string
}

/** A whole message of the rate limit protocol (Envoy RLS v3) in proto3 JSON. */
export interface DecideRequest {
  readonly domain: string
  readonly descriptors: readonly {
    readonly entries: readonly { readonly key: string; readonly value?: string }[]
    readonly limit?: { readonly requestsPerUnit: number; readonly unit: Unit }
    readonly hitsAddend?: number | string
    readonly isNegativeHits?: boolean
  }[]
  readonly hitsAddend?: number
}

/** A failure to decide a whole message. */
export interface DecideFailure {
  readonly error: { readonly code: FailureCode; readonly message: string }
}

/** The answer to a whole message, as `/json` gives it, or a failure. */
export type DecideResult = DecideAnswer | DecideFailure

/** An answer of the protocol in proto3 JSON: a member with the value 0 is left out. */
export interface DecideAnswer {
  readonly overallCode: Code
  readonly statuses?: readonly {
    readonly code: Code
    readonly currentLimit?: { readonly requestsPerUnit?: number; readonly unit: Unit; readonly name?: string }
    readonly limitRemaining?: number
    /** Such as `37s`. */
    readonly durationUntilReset?: string
  }[]
  readonly responseHeadersToAdd?: readonly { readonly key: string; readonly value?: string }[]
  readonly requestHeadersToAdd?: readonly { readonly key: string; readonly value?: string }[]
  readonly error?: never
}

/** The methods of a limiter. None of them throws or rejects. */
export interface Limiter {
  limit(request: LimitRequest): Promise<LimitResult>
  /** Reads a counter and counts nothing; `success` is false once more was counted than the limit admits. */
  peek(request: PeekRequest): Promise<LimitResult>
  /** Gives hits back; the counter never falls below 0. */
  refund(request: Omit<LimitRequest, 'reservation'>): Promise<LimitResult>
  /** Counts the true cost of a reservation in place of its estimate; no limit refuses it. */
  settle(request: SettleRequest): Promise<LimitResult>
  /** Decides a whole message of the protocol. */
  decide(request: DecideRequest): Promise<DecideResult>
}

/** Name of a method of a limiter. */
export type LimiterMethod = keyof Limiter
