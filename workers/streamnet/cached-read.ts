/** Answers that are still good, given again before anything is parsed: what a kept read costs is what this costs. */

import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { type KeptAnswer, knownIsolate } from './adapters/gateway-isolate.ts'

/**
 * Finds an answer for exactly this request.
 *
 * The key holds the Authorization header as it was sent: only a request that was allowed with it has put an answer
 * there, and what one token may read another may not.
 *
 * @returns undefined when there is none; the request then takes the usual way.
 */
export function answerFresh(request: Request, env: StreamnetEnv): Response | undefined {
  if (request.method !== 'GET') return undefined
  const kept = knownIsolate(env)?.answers.get(cachedReadKey(request), Date.now())
  return kept && answerKept(request, kept, 'hit')
}

/** What an answer is kept under. */
export function cachedReadKey(request: Request): string {
  return `${request.headers.get('authorization')}\n${request.url}`
}

/** A kept answer as a response, or 304 when the caller has it already. */
export function answerKept(
  request: Request,
  { body, etag, caching }: KeptAnswer,
  cache: 'hit' | 'edge' | 'miss' | 'revalidated',
): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    vary: 'authorization',
    etag,
    'cache-control': caching,
    'x-cache': cache,
  }
  const asked = request.headers.get('if-none-match')
  return asked !== null && matches(asked, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers })
}

/** Tells whether one of the tags of an If-None-Match header is this one. */
export function matches(asked: string, etag: string): boolean {
  return asked.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}
