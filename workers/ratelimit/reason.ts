/** The reason of a refused decision, in a header and in the log: the body has only the words of the contract. */

import { createLineBudget } from '#base/line-budget.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { encodeStatusMessage } from '#proto-json/index.ts'
import { loggerOf } from './adapters/logger.ts'
import { pathOf } from './path.ts'
import { plainError } from './problems.ts'

/** Name of the header with the reason of an answer, percent-encoded as `grpc-message` is. */
export const reasonHeader = 'x-ratelimit-reason'

/** Longest reason that is sent or logged, in UTF-16 code units; the rest is cut off. */
const longestReason = 500

/** Writes a reason as the value of a header. */
export function reasonValue(reason: string): string {
  return encodeStatusMessage(reason.slice(0, longestReason))
}

/**
 * Answers with an HTTP error in the form of Go, and the reason in a header.
 *
 * @param isReasonInBody - true to put the reason behind the line too, where the contract has the line only.
 */
export function refuse(status: number, line: string, reason: string, isReasonInBody = false): Response {
  const response = plainError(status, isReasonInBody ? `${line}: ${reason.slice(0, longestReason)}` : line)
  response.headers.set(reasonHeader, reasonValue(reason))
  return response
}

/** Lines a minute that each isolate writes of each kind: callers cannot fill the log. */
const budgets = {
  refusal: createLineBudget(20, 60_000),
  // Separate, so that callers without a token cannot use up the lines of known callers.
  stranger: createLineBudget(20, 60_000),
  failure: createLineBudget(20, 60_000),
  missingRules: createLineBudget(1, 60_000),
}

/** An error that a caller has caused. */
type RefusalError = Error & { readonly code: string }

/** Request that was refused. */
export interface Where {
  readonly path: string
  /** The name of its token; null where callers need none. */
  readonly caller: string | null
}

/**
 * Logs a request that was refused because of its caller, as a warning. The lines a minute are bounded; the next line
 * that is written says how many were left out.
 */
export function logRefusal(env: RatelimitEnv, error: RefusalError, where: Where): void {
  const leftOut = budgets[error.code === 'unauthenticated' ? 'stranger' : 'refusal'].take(Date.now())
  if (leftOut === null) return
  const { path, caller } = where
  const shown = { path, ...(caller !== null && { caller }), error: error.message.slice(0, longestReason) }
  loggerOf(env).warning('Request refused', leftOut === 0 ? shown : { ...shown, left_out: leftOut })
}

/** Logs that every decision is refused because there are no rules, once a minute. */
export function logMissingRules(env: RatelimitEnv, reason: string): void {
  if (budgets.missingRules.take(Date.now()) !== null) loggerOf(env).warning(`Cannot decide: ${reason}`)
}

/** Logs a failure of the deployment or its counter store, as an error; the lines a minute are bounded. */
export function logFailure(env: RatelimitEnv, message: string, error: unknown): void {
  const leftOut = budgets.failure.take(Date.now())
  if (leftOut === null) return
  loggerOf(env).error(leftOut === 0 ? message : `${message} (${leftOut} more were not logged)`, error)
}

/** Logs that a request failed for no reason that the contract knows, and answers 500. */
export function answerFailure(env: RatelimitEnv, { method, url }: Request, error: unknown): Response {
  logFailure(env, `Cannot answer ${method} ${pathOf(url).slice(0, 200)}`, error)
  return plainError(500, 'Internal Server Error')
}
