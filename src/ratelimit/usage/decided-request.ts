/** One decision as the service made it, and which way it went. */

import type { Match } from '../match.ts'
import type { RateLimitRequest, RateLimitResponse } from '../types.ts'
import type { Tally } from './types.ts'

/** One decision, as the service made it. */
export interface DecidedRequest {
  readonly request: RateLimitRequest
  readonly response: RateLimitResponse
  readonly matches: readonly Match[]
  /** True when the rules have the request's domain. */
  readonly isKnownDomain: boolean
  /** By the descriptor's place: whether its counter is over, also where a mode turned the status into OK. */
  readonly isOver: readonly (boolean | undefined)[]
  /** True when the mode of the whole service turned a refusal into a pass. */
  readonly isShadowed: boolean
  /** Unix time in milliseconds. */
  readonly nowMs: number
}

/**
 * Tells which way a request or one of its descriptors went.
 *
 * @param isOver - whether a counter is over.
 * @param isRefused - whether the answer is OVER_LIMIT.
 */
export function classifyDecision(isOver: boolean, isRefused: boolean): keyof Tally {
  if (isRefused) return 'refused'
  return isOver ? 'shadow' : 'admitted'
}
