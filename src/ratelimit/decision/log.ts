/** Log lines about requests that were refused or failed, bounded so that callers cannot fill the log. */

import { createLineBudget } from '../../base/line-budget.ts'
import type { Logger } from '../../base/logger.ts'

/** Longest reason that is sent or logged, in UTF-16 code units; the rest is cut off. */
export const longestReason = 500

/** Lines a minute that each process writes of each kind. */
const budgets = {
  refusal: createLineBudget(20, 60_000),
  // Separate, so that callers without a token cannot use up the lines of known callers.
  stranger: createLineBudget(20, 60_000),
  failure: createLineBudget(20, 60_000),
}

/** An error that a caller has caused. */
export type RefusalError = Error & { readonly code: string }

/** Request that was refused. */
export interface Where {
  readonly path: string
  /** The name of its token; null where callers need none. */
  readonly caller: string | null
}

/** Logs a request that was refused because of its caller; a line says how many were left out before it. */
export function writeRefusal(logger: Logger, error: RefusalError, { path, caller }: Where, nowMs: number): void {
  const leftOut = budgets[error.code === 'unauthenticated' ? 'stranger' : 'refusal'].take(nowMs)
  if (leftOut === null) return
  const shown = { path, ...(caller !== null && { caller }), error: error.message.slice(0, longestReason) }
  logger.warning('Request refused', leftOut === 0 ? shown : { ...shown, left_out: leftOut })
}

/** Logs a failure of the deployment or its counter store, as an error. */
export function writeFailure(logger: Logger, message: string, error: unknown, nowMs: number): void {
  const leftOut = budgets.failure.take(nowMs)
  if (leftOut === null) return
  logger.error(leftOut === 0 ? message : `${message} (${leftOut} more were not logged)`, error)
}
