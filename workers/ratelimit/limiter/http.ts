/** The limiter for other programs over HTTP: its paths, and the status of each result. */

import { isRecord } from '#base/json.ts'
import { failedDecide, failedLimit } from '#limiter/failure.ts'
import type { DecideResult, LimiterMethod, LimitResult } from '#limiter/types.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { readText } from '../../edge/body.ts'
import { runInPlace } from '../../edge/request-context.ts'
import { openIsolate } from '../adapters/isolate.ts'
import { identifyCaller } from '../caller.ts'
import { unreadable } from '../json-answer.ts'
import { plainError } from '../plain-answer.ts'
import { problemStatus } from '../problems.ts'
import { answerLimiterCall, logProblem } from './call.ts'

const prefix = '/limiter/'
const methods: readonly string[] = ['limit', 'peek', 'refund', 'settle', 'decide'] satisfies readonly LimiterMethod[]

/** Paths of the limiter over HTTP. */
export const limiterPaths: readonly string[] = methods.map((method) => `${prefix}${method}`)

/** Begins the path at which a reservation is settled; its id follows. */
const reservationPrefix = '/ratelimit/v1/reservations/'

/** Tells whether a path is a method of the limiter. */
export function isLimiterPath(path: string): boolean {
  return (path.startsWith(prefix) && limiterPaths.includes(path)) || path.startsWith(reservationPrefix)
}

/** Names the route of such a path, without the id. */
export function limiterRoute(path: string): string {
  return path.startsWith(reservationPrefix) ? `${reservationPrefix}:id` : path
}

/**
 * Answers a call over HTTP, with the token that CALLER_TOKENS asks for. The body is the argument as JSON, the answer
 * the result as JSON: with 200, with 429 when a limit refuses, or with the status of its code. At the path of a
 * reservation the method is `settle`, and the path has the id.
 */
export async function answerLimiter(
  request: Request,
  path: string,
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  if (request.method !== 'POST') return plainError(405, 'Method Not Allowed: expected POST', { allow: 'POST' })
  // Otherwise the path is one of `limiterPaths`.
  const method = path.startsWith(reservationPrefix) ? 'settle' : (path.slice(prefix.length) as LimiterMethod)
  const result = await decideCall(request, { path, method }, env, ctx)
  return Response.json(result, { status: toStatus(result), headers: { 'cache-control': 'no-store' } })
}

async function decideCall(
  request: Request,
  { path, method }: { readonly path: string; readonly method: LimiterMethod },
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<LimitResult | DecideResult> {
  let caller: string | null = null
  try {
    caller = identifyCaller(request, env, ctx)
    const read = await readArgument(request, openIsolate(env).settings.REQUEST_MAX_BODY_BYTES)
    const asked = path.startsWith(reservationPrefix) && isRecord(read) ? { ...read, reservation: readId(path) } : read
    return await answerLimiterCall({ method, asked, where: { path, caller } }, env, ctx, runInPlace)
  } catch (error) {
    if (!(error instanceof RatelimitError)) throw error
    logProblem(env, error, { path, caller })
    const { code, message } = error
    return method === 'decide' ? failedDecide(code, message) : failedLimit(code, message)
  }
}

function readId(path: string): string {
  try {
    return decodeURIComponent(path.slice(reservationPrefix.length))
  } catch {
    throw new RatelimitError('malformed_request', 'Cannot read the path: the id is not percent-encoded UTF-8')
  }
}

async function readArgument(request: Request, maxBytes: number): Promise<unknown> {
  const body = await readText(request, maxBytes)
  if ('fault' in body) throw unreadable(body.fault, maxBytes)
  try {
    return JSON.parse(body.text)
  } catch (cause) {
    const message = 'Cannot read the body: it is not JSON, expected {"key":"TEXT"}'
    throw new RatelimitError('malformed_request', message, { cause })
  }
}

function toStatus(result: LimitResult | DecideResult): number {
  if ('overallCode' in result) return result.overallCode === 'OK' ? 200 : 429
  const reason = 'error' in result ? result.error.code : result.reason
  if ('success' in result && result.success) return 200
  return statuses[reason ?? '']?.http ?? 429
}

const statuses: Readonly<Record<string, { readonly http: number }>> = {
  ...problemStatus,
  unknown_domain: { http: 404 },
  internal: { http: 500 },
}
