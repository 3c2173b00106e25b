/** The whole story of a decision: check the request, match, count, decide, answer. */

import type { JsonObject } from '../base/json.ts'
import { dynamicMetadata } from './answer/metadata.ts'
import { respond } from './answer/respond.ts'
import { listShadowed, withShadowOutcome } from './answer/shadow-outcome.ts'
import { assertWithinBounds } from './bounds.ts'
import { applyCallerPolicy } from './caller-policy.ts'
import type { DecisionContext } from './decision/context.ts'
import { unlimited, unlimitedByNothing } from './decision/decide.ts'
import { decideAll } from './decision/decide-all.ts'
import { type DescriptorHit, listDescriptorHits } from './descriptor-hit.ts'
import { RatelimitError } from './errors.ts'
import { applyLists, decideListed } from './lists/lists.ts'
import { type Match, matchAll } from './match.ts'
import { isRefusable, type StatDelta } from './ports.ts'
import { assertHolders, isSettlement, listFailed, readSteps, settlementError } from './reservation/descriptor-step.ts'
import { domainNotFoundName, serviceStats, settlementStats } from './statistics/names.ts'
import type { DescriptorStatus, RateLimitRequest, RateLimitResponse } from './types.ts'
import { beginWork, type Work } from './work.ts'

/**
 * Decides whether the descriptors of a request may pass.
 *
 * All descriptors are matched before any is counted, because one rule may replace another; then every counter
 * is hit in one call to the store, also when another one is refused.
 *
 * Statistics are recorded also when it throws; what is wrong first, in the order below, decides.
 *
 * @throws RatelimitError as `applyCallerPolicy` does.
 * @throws RatelimitError as `matchRequest` does.
 * @throws RatelimitError as `assertHolders` does.
 * @throws RatelimitError counter_unavailable when the store fails and the domain's failure policy is `error`.
 * @throws RatelimitError reservation_not_found when a descriptor settles a reservation that is not known; like the next
 *   two after everything else in the request has counted.
 * @throws RatelimitError reservation_settled when it was settled before.
 * @throws RatelimitError reservation_ended when it has ended unsettled.
 */
export async function shouldRateLimit(asked: RateLimitRequest, context: DecisionContext): Promise<RateLimitResponse> {
  const { request, matches, counted, stats } = prepare(asked, context)
  const deciding = decideAll(request, counted, context, stats)
  const outcome = deciding instanceof Promise ? await deciding : deciding
  const decided = matches.map((match, at) => {
    const decision = outcome.decisions[at]
    const status = decision?.status ?? statusWithoutCounter(match, context.nowMs)
    return { match, status, isOver: decision?.isOver === true }
  })
  const { response, isShadowed } = respond(decided, context.settings)
  if (isShadowed) stats.push({ name: serviceStats.globalShadowMode, delta: 1 })
  const failed = listFailed(matches, outcome)
  for (const { fault } of failed) stats.push({ name: settlementStats[fault], delta: 1 })
  if (stats.length > 0) context.stats.record(stats)
  const isKnownDomain = context.rules?.domains.has(request.domain) === true
  if (!isSettlement(request))
    context.usage?.add({ request, response, decided, isKnownDomain, isShadowed, nowMs: context.nowMs })
  if (failed[0] !== undefined) throw settlementError(failed[0])
  const { RESPONSE_DYNAMIC_METADATA, SHADOW_OUTCOME_ENABLED } = context.settings
  const answer = RESPONSE_DYNAMIC_METADATA
    ? { ...response, dynamicMetadata: withDegradation(dynamicMetadata(request, decided), outcome.degraded) }
    : response
  return SHADOW_OUTCOME_ENABLED ? withShadowOutcome(answer, listShadowed(decided, isShadowed)) : answer
}

/** Advice for a service without rules. */
export const loadHint = 'load one with "sluice ratelimit push", or PUT /config/files'

/**
 * Checks a request and finds the limits of its descriptors, counting nothing.
 *
 * @throws RatelimitError empty_domain when the domain is empty; like the next two with the reference's message.
 * @throws RatelimitError no_descriptors when there is no descriptor.
 * @throws RatelimitError rules_not_loaded when no rules were ever loaded.
 * @throws RatelimitError as `assertWithinBounds` does.
 * @throws RatelimitError as `matchAll` does.
 */
export function matchRequest(
  request: RateLimitRequest,
  context: Pick<DecisionContext, 'rules' | 'settings'>,
  work: Work = beginWork(context.settings.REQUEST_MAX_COMPARISONS),
): readonly Match[] {
  if (request.domain === '') throw new RatelimitError('empty_domain', 'rate limit domain must not be empty')
  if (request.descriptors.length === 0) {
    throw new RatelimitError('no_descriptors', 'rate limit descriptor list must not be empty')
  }
  if (context.rules === null) {
    throw new RatelimitError('rules_not_loaded', 'no rate limit configuration loaded', { hint: loadHint })
  }
  assertWithinBounds(request, context.settings)
  return matchAll(context.rules, request, context.settings.CACHE_KEY_PREFIX, work)
}

/** Checks and matches a request, counting nothing; gives its statistics so far, which count one that is refused. */
function prepare(asked: RateLimitRequest, context: DecisionContext) {
  const { rules, settings, nowMs } = context
  try {
    const allowed = settings.callerPolicy === null ? null : applyCallerPolicy(asked, settings.callerPolicy)
    const request = readSteps(allowed?.request ?? asked, rules)
    const matched = matchRequest(request, context)
    const matches = rules?.lists === undefined ? matched : applyLists(matched, rules.lists, request, nowMs)
    const counted = listDescriptorHits(matches, request, settings.leases)
    if (rules?.domains.get(request.domain)?.reserves === true) assertHolders(counted)
    const stats = requestStats(request, context, counted)
    if (rules?.lists !== undefined) stats.push(...listStats(matches))
    if (allowed !== null) stats.push(...allowed.stats)
    return { request, matches, counted, stats }
  } catch (error) {
    const stats = [{ name: serviceStats.serviceError, delta: 1 }]
    const isNotAllowed = error instanceof RatelimitError && error.code === 'not_allowed'
    context.stats.record(isNotAllowed ? [...stats, { name: serviceStats.notAllowed, delta: 1 }] : stats)
    throw error
  }
}

/** Statistics that do not depend on any counter: unknown domains, and hits before they are counted. */
function requestStats(
  request: RateLimitRequest,
  context: DecisionContext,
  counted: readonly DescriptorHit[],
): StatDelta[] {
  if (context.rules?.domains.has(request.domain) === false) {
    return [{ name: domainNotFoundName(request.domain), delta: request.descriptors.length }]
  }
  const stats: StatDelta[] = []
  for (const { limit, hit } of counted) {
    if (hit.addend > 0 && isRefusable(hit)) stats.push({ name: limit.stats.totalHits, delta: hit.addend })
  }
  return stats
}

function listStats(matches: readonly Match[]): readonly StatDelta[] {
  return matches.flatMap(({ listing }) => {
    if (listing === undefined) return []
    return [{ name: listing.list === 'deny' ? serviceStats.denied : serviceStats.allowed, delta: 1 }]
  })
}

/** Status of a descriptor that nothing counts. */
export function statusWithoutCounter({ limit, listing }: Match, nowMs: number): DescriptorStatus {
  if (listing !== undefined) return decideListed(listing, nowMs)
  return limit !== null && limit.rateLimit === null ? unlimited : unlimitedByNothing
}

function withDegradation(metadata: JsonObject, degraded: 'open' | 'closed' | null): JsonObject {
  return degraded === null ? metadata : { ...metadata, degraded }
}
