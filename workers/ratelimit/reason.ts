/** The reason of a refused decision, in a header and in the log: the body has only the words of the contract. */

import { createLineBudget } from '#base/line-budget.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { encodeStatusMessage } from '#proto-json/index.ts'
import { longestReason, type RefusalError, type Where, writeFailure, writeRefusal } from '#ratelimit/decision/log.ts'
import { loggerOf } from './adapters/logger.ts'
import { pathOf } from './path.ts'
import { plainError } from './problems.ts'

/** Name of the header with the reason of an answer, percent-encoded as `grpc-message` is. */
export const reasonHeader = 'x-ratelimit-reason'

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

/** One line a minute says that there are no rules. */
const missingRules = createLineBudget(1, 60_000)

/** Logs a request that was refused because of its caller, as `writeRefusal` does. */
export function logRefusal(env: RatelimitEnv, error: RefusalError, where: Where): void {
  writeRefusal(loggerOf(env), error, where, Date.now())
}

/** Logs that every decision is refused because there are no rules, once a minute. */
export function logMissingRules(env: RatelimitEnv, reason: string): void {
  if (missingRules.take(Date.now()) !== null) loggerOf(env).warning(`Cannot decide: ${reason}`)
}

/** Logs a failure of the deployment or its counter store, as `writeFailure` does. */
export function logFailure(env: RatelimitEnv, message: string, error: unknown): void {
  writeFailure(loggerOf(env), message, error, Date.now())
}

/** Logs that a request failed for no reason that the contract knows, and answers 500. */
export function answerFailure(env: RatelimitEnv, { method, url }: Request, error: unknown): Response {
  logFailure(env, `Cannot answer ${method} ${pathOf(url).slice(0, 200)}`, error)
  return plainError(500, 'Internal Server Error')
}
