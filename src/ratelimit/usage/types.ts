/** What the service remembers of its decisions, for the people who run it. */

import type { Code, Entry, RateLimitRequest, Unit } from '../types.ts'

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

/** What a key of a sketch means. */
export interface KeyLabel {
  readonly domain: string
  readonly rule: string
  readonly entries: readonly Entry[]
}

/** How many hits a key had, and which. */
export interface KeyCount {
  /** The counter's key, without its window. */
  readonly key: string
  readonly label: KeyLabel
  readonly count: number
  readonly error: number
}

/** The fullest counter of a rule. */
export interface Fill {
  readonly domain: string
  readonly rule: string
  readonly key: string
  readonly limit: number
  readonly unit: Unit
  /** Hits left. */
  readonly remaining: number
  /** When its window ends, Unix time in seconds. */
  readonly endsAt: number
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
