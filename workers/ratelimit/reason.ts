/** The reason of a refused decision in the log: the body of its answer has only the words of the contract. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type RefusalError, type Where, writeFailure, writeRefusal } from '#ratelimit/decision/log.ts'
import { loggerOf } from './adapters/logger.ts'
import { pathOf } from './path.ts'
import { plainError } from './plain-answer.ts'

/** Logs a request that was refused because of its caller, as `writeRefusal` does. */
export function logRefusal(env: RatelimitEnv, error: RefusalError, where: Where): void {
  writeRefusal(loggerOf(env), error, where, Date.now())
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
