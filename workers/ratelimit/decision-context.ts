/** The context of a decision: rules of one revision, the counters, and places for its statistics and its usage. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { DecisionContext } from '#ratelimit/decision/context.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { runInPlace, type WithinRequest } from '../edge/request-context.ts'
import { openLeasedBackEnd } from './adapters/back-end.ts'
import { type Isolate, openIsolate } from './adapters/isolate.ts'
import { currentRules, freshRules } from './adapters/rule-book-cache.ts'
import { statSink } from './adapters/stat-sink.ts'
import { usageSink } from './adapters/usage-sink.ts'

/**
 * Gathers what one decision needs.
 *
 * @param within - runs code in the log context of the request; left out where the caller runs in it already.
 * @returns a promise only where the rules must be asked for.
 * @throws RatelimitError invalid_settings when the settings have a mistake.
 */
export function decisionContext(
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest = runInPlace,
): Promise<DecisionContext> | DecisionContext {
  const isolate = openIsolate(env)
  const carrier = { ctx, within }
  const fresh = freshRules(isolate.settings)
  if (fresh !== undefined) return contextWith(fresh.rules, isolate, env, carrier)
  const asked = within(() => currentRules(env, ctx, isolate.settings))
  return asked.then(({ rules }) => contextWith(rules, isolate, env, carrier))
}

function contextWith(
  rules: RuleBook | null,
  isolate: Isolate,
  env: RatelimitEnv,
  { ctx, within }: { readonly ctx: ExecutionContext; readonly within: WithinRequest },
): DecisionContext {
  const { settings, overLimitCache } = isolate
  const { USAGE_ENABLED, USAGE_RECORD_REQUESTS } = settings
  const stats = statSink(env, ctx, isolate.settings, within)
  return {
    rules,
    settings,
    overLimitCache,
    counters: openLeasedBackEnd(env, isolate, ctx, stats),
    stats,
    usage: USAGE_ENABLED ? usageSink(env, ctx, USAGE_RECORD_REQUESTS, within) : undefined,
    drawId: () => crypto.randomUUID(),
    nowMs: Date.now(),
  }
}
