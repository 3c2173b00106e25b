/** What the service remembers of its decisions, for the people who run it. */

import type { Fill, KeyCount } from '../contract/usage.ts'
import type { Code, RateLimitRequest } from '../types.ts'

/** How many decisions went which way. */
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

/** What a descriptor of a sampled request came to. */
export interface SampledOutcome {
  readonly rule: string | null
  readonly outcome: 'admitted' | 'refused' | 'shadow'
}

/** A request that represents several. */
export interface SampledRequest {
  /** Unix time in milliseconds. */
  readonly at: number
  /** How many requests it represents. */
  readonly weight: number
  readonly code: Code
  readonly request: RateLimitRequest
  readonly outcomes: readonly SampledOutcome[]
}

/** What one isolate reports: everything that it counted since its last report. */
export interface UsageReport {
  readonly counts: readonly UsageCount[]
  readonly used: readonly KeyCount[]
  readonly refused: readonly KeyCount[]
  readonly fills: readonly Fill[]
  readonly samples: readonly SampledRequest[]
}
