/** The answer of the protocol to one descriptor becomes a result. */

import { capacityOf, periodOf } from '../ratelimit/algorithm/algorithm.ts'
import { unlimitedByNothing, unreached } from '../ratelimit/decision/decide.ts'
import type { DescriptorStatus, RateLimitResponse } from '../ratelimit/types.ts'
import { failedLimit, noNumbers } from './failure.ts'
import type { LimitResult } from './types.ts'

/** Makes the result of a request from its answer and the time of the decision, Unix milliseconds. */
export function toLimitResult({ overallCode, statuses }: RateLimitResponse, nowMs: number): LimitResult {
  const success = overallCode === 'OK'
  const status = statuses[0] ?? unlimitedByNothing
  const { currentLimit, limitRemaining, secondsUntilReset } = status
  if (currentLimit === undefined) return withoutLimit(success, status)
  const seconds = secondsUntilReset ?? periodOf(currentLimit)
  return {
    success,
    limit: capacityOf(currentLimit),
    remaining: limitRemaining,
    period: periodOf(currentLimit),
    // Windows end at whole seconds.
    reset: (Math.floor(nowMs / 1000) + seconds) * 1000,
    retryAfter: success ? null : seconds,
    reason: success ? null : 'over_limit',
  }
}

/** A counter that was not reached has no numbers, and a list asks none. */
function withoutLimit(success: boolean, status: DescriptorStatus): LimitResult {
  if (status === unlimitedByNothing) return { success: true, ...noNumbers, reason: 'no_rule' }
  if (status !== unreached.open && status !== unreached.closed) {
    const { secondsUntilReset: retryAfter = null } = status
    return success
      ? { success, ...noNumbers, reason: 'unlimited' }
      : { success, ...noNumbers, retryAfter, reason: 'over_limit' }
  }
  return failedLimit('counter_unavailable', 'Cannot count: FAILURE_POLICY of the domain has decided', success)
}
