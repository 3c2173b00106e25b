/** The list of the newest decisions of a feed, each with a number that stays while others come in front of it. */

import type { SampledRequest } from '#ratelimit/contract/usage.ts'

/** A decision as the feed sends it. */
export interface Decision {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly weight: number
  readonly code: 'OK' | 'OVER_LIMIT'
  readonly request: SampledRequest
  readonly outcomes: readonly { readonly rule: string | null; readonly outcome: string }[]
}

/** A decision in the list; its serial never changes. */
export interface ListedDecision extends Decision {
  readonly serial: number
}

/** Decisions that are shown; more is a matter for the log. */
const maxShown = 12

/** Puts a decision in front of the others. */
export function withNewest(listed: readonly ListedDecision[], decision: Decision): readonly ListedDecision[] {
  const serial = (listed[0]?.serial ?? 0) + 1
  return [{ ...decision, serial }, ...listed].slice(0, maxShown)
}
