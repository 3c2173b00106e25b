/** Why an answer of the decision path is as it is: beside the contract's own words, in a header and in the log. */

import type { RatelimitEnv } from '../../durable-objects/ratelimit/env.ts'
import { encodeStatusMessage } from '../../proto-json/index.ts'
import { createLineBudget } from '../../src/base/line-budget.ts'
import { loggerOf } from './adapters/logger.ts'
import { plainError } from './problems.ts'

/** Carries the reason of an answer, percent-encoded as `grpc-message` is. */
export const reasonHeader = 'x-ratelimit-reason'

/** The most of a reason that is sent or logged, in UTF-16 code units. */
const longestReason = 500

/** Writes a reason as the value of a header. */
export function reasonValue(reason: string): string {
  return encodeStatusMessage(reason.slice(0, longestReason))
}

/** Answers with an HTTP error in the form of Go, and the reason beside it. */
export function refuse(status: number, line: string, reason: string): Response {
  const response = plainError(status, line)
  response.headers.set(reasonHeader, reasonValue(reason))
  return response
}

/** Lines a minute of each kind in each isolate; what strangers cause must not fill the log. */
const budgets = {
  refusal: createLineBudget(20, 60_000),
  // Apart, so that strangers cannot keep what known callers do out of the log.
  stranger: createLineBudget(20, 60_000),
  failure: createLineBudget(20, 60_000),
  missingRules: createLineBudget(1, 60_000),
}

/** An error of a caller's making. */
type RefusalError = Error & { readonly code: string }

/** Which request was refused. */
export interface Where {
  readonly path: string
  /** The name of its token; null where callers need none. */
  readonly caller: string | null
}

/**
 * Logs a request that was refused for what its caller did: a warning, so many a minute at most. The next line that is
 * written says how many were left out.
 */
export function logRefusal(env: RatelimitEnv, error: RefusalError, where: Where): void {
  const leftOut = budgets[error.code === 'unauthenticated' ? 'stranger' : 'refusal'].take(Date.now())
  if (leftOut === null) return
  const { path, caller } = where
  const shown = { path, ...(caller !== null && { caller }), error: error.message.slice(0, longestReason) }
  loggerOf(env).warning('Request refused', leftOut === 0 ? shown : { ...shown, left_out: leftOut })
}

/** Logs that every decision is refused for want of rules, once a minute. */
export function logMissingRules(env: RatelimitEnv, reason: string): void {
  if (budgets.missingRules.take(Date.now()) !== null) loggerOf(env).warning(`Cannot decide: ${reason}`)
}

/** Logs what the deployment or its counter store failed in: an error, so many a minute at most. */
export function logFailure(env: RatelimitEnv, message: string, error: unknown): void {
  const leftOut = budgets.failure.take(Date.now())
  if (leftOut === null) return
  loggerOf(env).error(leftOut === 0 ? message : `${message} (${leftOut} more were not logged)`, error)
}
