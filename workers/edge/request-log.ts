/** A line in the log for each request that was refused or failed: what was asked, and why not. Never a secret. */

import { isRecord } from '#base/json.ts'
import { createLineBudget } from '#base/line-budget.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import { requestFields } from './request-context.ts'

/** The most of a path or a reason that is logged, in UTF-16 code units. */
const longest = 300

/** Lines a minute of each kind in each isolate; what strangers cause must not fill the log. */
const budgets = {
  refusal: createLineBudget(20, 60_000),
  // Apart, so that strangers cannot keep what known callers do out of the log.
  stranger: createLineBudget(20, 60_000),
  failure: createLineBudget(20, 60_000),
}

const causes = new WeakMap<Response, unknown>()

/** Remembers what was thrown for the line about an answer that was made of it. */
export function withCause(response: Response, cause: unknown): Response {
  causes.set(response, cause)
  return response
}

/**
 * Logs an answer of 400 or more: a warning where the caller was refused, an error where the service failed. The query
 * is left out, because people put tokens into it.
 *
 * @param response - not read yet; a copy of its body is read for the reason.
 */
export async function logAnswer(env: object, request: Request, response: Response): Promise<void> {
  const { status } = response
  if (status < 400) return
  const isFailure = status >= 500
  const budget = isFailure ? budgets.failure : status === 401 ? budgets.stranger : budgets.refusal
  const leftOut = budget.take(Date.now())
  if (leftOut === null) return
  const cause = causes.get(response)
  const reason = await readReason(response)
  const fields = {
    method: request.method.slice(0, 16),
    path: new URL(request.url).pathname.slice(0, longest),
    status,
    ...(reason !== undefined && { reason: reason.slice(0, longest) }),
    ...(leftOut > 0 && { left_out: leftOut }),
  }
  const logger = loggerOfEnvironment(env, requestFields)
  if (isFailure) logger.error('Request failed', cause, fields)
  else logger.warning('Request refused', fields)
}

async function readReason(response: Response): Promise<string | undefined> {
  const type = response.headers.get('content-type') ?? ''
  if (!/json/.test(type) || response.body === null) return undefined
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (!isRecord(body)) return undefined
  // The error of JSON-RPC is an object.
  const reason = body.detail ?? (isRecord(body.error) ? body.error.message : body.error)
  return typeof reason === 'string' ? reason : undefined
}
