/** Usage: the decisions that the service remembers for its operators. */

import type { JudgedDescriptor } from '../answer/respond.ts'
import type { Fill, KeyCount } from '../contract/usage.ts'
import type { Code, RateLimitRequest, RateLimitResponse } from '../types.ts'

/** Decisions by outcome. */
export interface Tally {
  readonly admitted: number
  readonly refused: number
  /** Admitted because of a shadow mode, though a limit was exceeded. */
  readonly shadow: number
}

/** The decisions of one rule in one second; those of whole requests where the rule is empty. */
export interface UsageCount extends Tally {
  /** Unix time in seconds. */
  readonly second: number
  readonly domain: string
  /** Path of the rule's statistics; empty for whole requests. */
  readonly rule: string
}

/** A request that represents several. */
export interface SampledRequest {
  /** Unix time in milliseconds. */
  readonly at: number
  /** Number of requests that it represents. */
  readonly weight: number
  readonly code: Code
  readonly request: RateLimitRequest
  readonly outcomes: readonly { readonly rule: string | null; readonly outcome: keyof Tally }[]
}

/** Report of one isolate: everything that it counted since its last one. */
export interface UsageReport {
  readonly counts: readonly UsageCount[]
  readonly used: readonly KeyCount[]
  readonly refused: readonly KeyCount[]
  readonly fills: readonly Fill[]
  readonly samples: readonly SampledRequest[]
}

/** One decision, as the service made it. */
export interface DecidedRequest {
  readonly request: RateLimitRequest
  readonly response: RateLimitResponse
  readonly decided: readonly JudgedDescriptor[]
  /** True when the rules have the request's domain. */
  readonly isKnownDomain: boolean
  /** True when the mode of the whole service turned a refusal into a pass. */
  readonly isShadowed: boolean
  readonly nowMs: number
}

/** Tells which way a request or one of its descriptors went, by its counter and by its answer. */
export function classifyDecision(isOver: boolean, isRefused: boolean): keyof Tally {
  if (isRefused) return 'refused'
  return isOver ? 'shadow' : 'admitted'
}
