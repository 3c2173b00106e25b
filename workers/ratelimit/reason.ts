/** The reason of a refused decision, in a header and in the log: the body has only the words of the contract. */

import { createLineBudget } from '#base/line-budget.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type RefusalError, type Where, writeFailure, writeRefusal } from '#ratelimit/decision/log.ts'
import { loggerOf } from './adapters/logger.ts'
import { refusal } from './json-answer.ts'
import { pathOf } from './path.ts'
import { plainError } from './problems.ts'

/** Answers with an HTTP error in the form of Go, and the reason in a header. */
export function refuse(status: number, line: string, reason: string): Response {
  const { headers, body } = refusal(status, line, reason)
  return new Response(body, { status, headers })
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
