/** Failures as results: the same form for every method and every way in. */

import type { DecideFailure, FailureCode, LimitResult } from './types.ts'

/** Characters of a message; callers choose parts of it. */
const longestMessage = 500

/** The numbers of a result without a limit. */
export const noNumbers = { limit: null, remaining: null, period: null, reset: null, retryAfter: null }

/** The result of a request that could not be decided. */
export function failedLimit(reason: FailureCode, message: string, success = false): LimitResult {
  return { success, ...noNumbers, reason, message: message.slice(0, longestMessage) }
}

/** The result of a whole message that could not be decided. */
export function failedDecide(code: FailureCode, message: string): DecideFailure {
  return { error: { code, message: message.slice(0, longestMessage) } }
}
