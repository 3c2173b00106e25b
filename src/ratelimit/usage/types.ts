/** Usage: the decisions that the service remembers for its operators. */

import type { Fill, KeyCount } from '../contract/usage.ts'
import type { Code, RateLimitRequest } from '../types.ts'

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

/** Outcome of a descriptor of a sampled request. */
export interface SampledOutcome {
  readonly rule: string | null
  readonly outcome: 'admitted' | 'refused' | 'shadow'
}

/** A request that represents several. */
export interface SampledRequest {
  /** Unix time in milliseconds. */
  readonly at: number
  /** Number of requests that it represents. */
  readonly weight: number
  readonly code: Code
  readonly request: RateLimitRequest
  readonly outcomes: readonly SampledOutcome[]
}

/** Report of one isolate: everything that it counted since its last one. */
export interface UsageReport {
  readonly counts: readonly UsageCount[]
  readonly used: readonly KeyCount[]
  readonly refused: readonly KeyCount[]
  readonly fills: readonly Fill[]
  readonly samples: readonly SampledRequest[]
}
