/** Caller of a decision, where CALLER_TOKENS asks for a token. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type CallerTokens, unauthenticated } from '#ratelimit/caller-tokens.ts'
import { serviceStats } from '#ratelimit/statistics/names.ts'
import { bearerName } from '../edge/bearer.ts'
import { openIsolate } from './adapters/isolate.ts'
import { statSink } from './adapters/stat-sink.ts'

/**
 * Finds a caller's name; null where callers need no token.
 *
 * @throws RatelimitError unauthenticated, which is counted; invalid_settings.
 */
export function identifyCaller(request: Request, env: RatelimitEnv, ctx: ExecutionContext): string | null {
  const isolate = openIsolate(env)
  const tokens: CallerTokens = isolate.settings.CALLER_TOKENS
  if (tokens.size === 0) return null
  const name = bearerName(request, tokens)
  if (name !== null) return name
  statSink(env, ctx, isolate.settings).record([{ name: serviceStats.unauthenticated, delta: 1 }])
  throw unauthenticated(request.headers.has('authorization'))
}
