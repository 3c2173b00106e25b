/** The whole story of a decision: check the request, match, count, decide, answer. */

import type { JsonObject } from '../base/json.ts'
import { assertWithinBounds } from './bounds.ts'
import { type CallerPolicy, type HeldRequest, holdToPolicy } from './caller-policy.ts'
import {
  type Decision,
  decide,
  decideRefund,
  decideRemembered,
  unlimited,
  unlimitedByNothing,
} from './decide.ts'
import { type DescriptorHit, listDescriptorHits } from './descriptor-hit.ts'
import { RatelimitError } from './errors.ts'
import { failurePolicyOf } from './failure-policy.ts'
import { dynamicMetadata } from './metadata.ts'
import type { OverLimitCache } from './over-limit-cache.ts'
import type { CounterHit, CounterStore, Hits, StatDelta, StatSink, UsageSink } from './ports.ts'
import { respond } from './respond.ts'
import { type Match, matchAll, type RuleBook } from './rule-book.ts'
import type { Settings } from './settings.ts'
import { domainNotFoundName, serviceStats } from './statistics/names.ts'
import type { DescriptorStatus, RateLimitRequest, RateLimitResponse } from './types.ts'

/** What a decision reads besides the request. */
export interface DecisionContext {
  /** The rules of one revision, the same for the whole request; null when none was ever loaded. */
  readonly rules: RuleBook | null
  readonly settings: Settings
  readonly counters: CounterStore
  /** Null when switched off (`LOCAL_CACHE_SIZE_IN_BYTES=0`). */
  readonly overLimitCache: OverLimitCache | null
  readonly stats: StatSink
  /** Called with every decision; absent where decisions are not recorded. */
  readonly usage?: UsageSink
  /** Unix time in milliseconds, read when the request arrived. */
  readonly nowMs: number
}

/**
 * Decides whether the descriptors of a request may pass.
 *
 * All descriptors are matched before any is counted, because one rule may replace another; then every counter
 * is hit in one call to the store, also when another one is refused.
 *
 * @throws RatelimitError with code `not_allowed` for what the settings take from no caller, `empty_domain`,
 * `no_descriptors` or `rules_not_loaded` (checked in this order, the last three with the reference's messages),
 * `request_too_large`, `invalid_override`, or `counter_unavailable` when the store fails and the domain's failure
 * policy is `error`. Statistics are recorded in every case.
 */
export async function shouldRateLimit(
  asked: RateLimitRequest,
  context: DecisionContext,
): Promise<RateLimitResponse> {
  const { callerPolicy } = context.settings
  const held = callerPolicy === null ? null : holdOrCount(asked, callerPolicy, context)
  const request = held?.request ?? asked
  const matches = matchOrCount(request, context)
  const counted = listDescriptorHits(matches, request, context.settings.leases)
  const stats = requestStats(request, context, counted)
  if (held !== null) stats.push(...held.stats)
  const decisions = await decideAll(request, counted, context, stats)
  const decided = matches.map((match, at) => ({
    match,
    status: decisions.statuses[at] ?? statusWithoutCounter(match),
  }))
  const { response, isShadowed } = respond(decided, context.settings)
  if (isShadowed) stats.push({ name: serviceStats.globalShadowMode, delta: 1 })
  if (stats.length > 0) context.stats.record(stats)
  const { isOver } = decisions
  const isKnownDomain = context.rules?.domains.has(request.domain) === true
  context.usage?.add({ request, response, matches, isKnownDomain, isOver, isShadowed, nowMs: context.nowMs })
  if (!context.settings.dynamicMetadata) return response
  const metadata = dynamicMetadata(request, decided)
  return { ...response, dynamicMetadata: withDegradation(metadata, decisions.degraded) }
}

/** What to do about a service without rules. */
export const loadHint = 'load one with "node bin/run.mjs ratelimit push", or PUT /config/files'

/**
 * Checks a request and finds the limits of its descriptors, counting nothing.
 *
 * @throws RatelimitError as `shouldRateLimit` does, `counter_unavailable` aside.
 */
export function matchRequest(
  request: RateLimitRequest,
  context: Pick<DecisionContext, 'rules' | 'settings'>,
): readonly Match[] {
  if (request.domain === '') throw new RatelimitError('empty_domain', 'rate limit domain must not be empty')
  if (request.descriptors.length === 0) {
    throw new RatelimitError('no_descriptors', 'rate limit descriptor list must not be empty')
  }
  if (context.rules === null) {
    throw new RatelimitError('rules_not_loaded', 'no rate limit configuration loaded', { hint: loadHint })
  }
  assertWithinBounds(request, context.settings.bounds)
  return matchAll(context.rules, request, context.settings.cacheKeyPrefix)
}

function holdOrCount(
  request: RateLimitRequest,
  policy: CallerPolicy,
  { stats }: DecisionContext,
): HeldRequest {
  try {
    return holdToPolicy(request, policy)
  } catch (error) {
    stats.record([
      { name: serviceStats.serviceError, delta: 1 },
      { name: serviceStats.notAllowed, delta: 1 },
    ])
    throw error
  }
}

function matchOrCount(request: RateLimitRequest, context: DecisionContext): readonly Match[] {
  try {
    return matchRequest(request, context)
  } catch (error) {
    context.stats.record([{ name: serviceStats.serviceError, delta: 1 }])
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
    if (hit.addend > 0 && hit.isRefund !== true)
      stats.push({ name: limit.stats.totalHits, delta: hit.addend })
  }
  return stats
}

function statusWithoutCounter({ limit }: Match): DescriptorStatus {
  return limit !== null && limit.rateLimit === null ? unlimited : unlimitedByNothing
}

/** Statuses by the descriptor's place; holes where a descriptor has no counter. */
interface Decided {
  readonly statuses: readonly (DescriptorStatus | undefined)[]
  /** Likewise: whether the counter is over, also where a mode turned the status into OK. */
  readonly isOver: readonly (boolean | undefined)[]
  /** How the failure policy answered, when a counter could not be reached. */
  readonly degraded: 'open' | 'closed' | null
}

const nothingDecided: Decided = { statuses: [], isOver: [], degraded: null }

async function decideAll(
  request: RateLimitRequest,
  counted: readonly DescriptorHit[],
  context: DecisionContext,
  stats: StatDelta[],
): Promise<Decided> {
  if (counted.length === 0) return nothingDecided
  const statuses: (DescriptorStatus | undefined)[] = new Array(request.descriptors.length)
  const isOver: (boolean | undefined)[] = []
  const keep = (descriptorHit: DescriptorHit, decision: Decision) => {
    statuses[descriptorHit.at] = decision.status
    isOver[descriptorHit.at] = decision.isOver
    stats.push(...decision.stats)
  }
  const unknown = context.overLimitCache === null ? counted : decideKnown(counted, context, keep)
  if (unknown.length === 0) return { statuses, isOver, degraded: null }
  let hits: readonly Hits[]
  try {
    hits = assertOneEach(await count(unknown, unknown.length < counted.length, context), unknown)
  } catch (error) {
    return degrade(error, request, unknown, statuses, context, stats)
  }
  const unread: Unread[] = []
  for (let index = 0; index < unknown.length; index++) {
    const descriptorHit = unknown[index]
    const counter = hits[index]
    if (descriptorHit === undefined || counter === undefined) continue
    if (counter.unread !== undefined && isPolicySet(request, context))
      unread.push({ descriptorHit, why: counter.unread })
    else keep(descriptorHit, decideCounted(descriptorHit, counter, context))
  }
  const [first] = unread
  if (first === undefined) return { statuses, isOver, degraded: null }
  const missing = unread.map(({ descriptorHit }) => descriptorHit)
  return degrade(
    new RatelimitError('counter_unavailable', first.why),
    request,
    missing,
    statuses,
    context,
    stats,
  )
}

/** A counter that the store takes for unused because it could not be read. */
interface Unread {
  readonly descriptorHit: DescriptorHit
  readonly why: string
}

/** Where no policy was set, a store that takes what it cannot read for unused is believed, as the reference does. */
function isPolicySet({ domain }: RateLimitRequest, { settings }: DecisionContext): boolean {
  return failurePolicyOf(domain, settings.failurePolicies) !== null
}

/** Fail closed when the store returns fewer counters than were asked for. */
function assertOneEach(hits: readonly Hits[], counted: readonly DescriptorHit[]): readonly Hits[] {
  if (hits.length === counted.length) return hits
  throw new RatelimitError(
    'counter_unavailable',
    `Cannot count: the store answered ${hits.length} counters, expected ${counted.length}`,
  )
}

/** Decides what the over-limit cache knows, and returns what it does not. */
function decideKnown(
  counted: readonly DescriptorHit[],
  context: DecisionContext,
  keep: (descriptorHit: DescriptorHit, decision: Decision) => void,
): readonly DescriptorHit[] {
  context.overLimitCache?.follow(context.rules)
  return counted.filter((descriptorHit) => {
    const { limit, rateLimit, hit } = descriptorHit
    if (hit.isRefund === true) return true
    const known = context.overLimitCache?.find(hit.key, hit.unit, context.nowMs) ?? null
    if (known === null) return true
    const seconds = Math.ceil((known.endsAtMs - context.nowMs) / 1000)
    keep(descriptorHit, decideRemembered(limit, rateLimit, hit.addend, seconds))
    return false
  })
}

function decideCounted(descriptorHit: DescriptorHit, counter: Hits, context: DecisionContext): Decision {
  const { limit, rateLimit } = descriptorHit
  const { key, unit, addend, isRefund } = descriptorHit.hit
  if (isRefund === true) {
    context.overLimitCache?.forget(key, unit)
    return decideRefund(limit, rateLimit, addend, counter)
  }
  const decision = decide(limit, rateLimit, addend, counter, context.settings.nearLimitRatio)
  // While the store was asked, another call may have brought newer rules with a higher limit.
  const isFinal = decision.isOver && counter.isProvisional !== true
  if (isFinal && context.overLimitCache?.isFollowing(context.rules) === true) {
    context.overLimitCache.remember(key, unit, counter.secondsUntilReset, context.nowMs)
  }
  return decision
}

/**
 * Counts every descriptorHit, all in one call.
 *
 * With `STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT` a request that is refused counted only the counters that refuse
 * it: those known to be over take nothing more, and the others are looked at first. Two round trips, not
 * atomic, as in the reference. Alone in its request a descriptor keeps counting past its limit.
 */
function count(
  counted: readonly DescriptorHit[],
  isAnyKnownOver: boolean,
  { counters, settings }: DecisionContext,
): Promise<readonly Hits[]> {
  const hits = counted.map((descriptorHit) => descriptorHit.hit)
  if (!settings.stopIncrementWhenOverLimit || settings.backend === 'memcache') return counters.hit(hits)
  if (isAnyKnownOver) return counters.hit(hits.map(withoutAddend))
  return hits.length === 1 ? counters.hit(hits) : countUnlessOver(counted, hits, counters)
}

async function countUnlessOver(
  counted: readonly DescriptorHit[],
  hits: readonly CounterHit[],
  counters: CounterStore,
): Promise<readonly Hits[]> {
  const before = await counters.peek(hits)
  const isOver = counted.map((descriptorHit, index) => wouldBeOver(descriptorHit, before[index]))
  if (!isOver.includes(true)) return counters.hit(hits)
  return counters.hit(hits.map((hit, index) => (isOver[index] === true ? hit : withoutAddend(hit))))
}

/** Tells whether a counter with `before` hits would refuse a descriptorHit. */
export function wouldBeOver({ hit, rateLimit }: DescriptorHit, before: Hits | undefined): boolean {
  return hit.isRefund !== true && (before?.after ?? 0) + hit.addend > rateLimit.requestsPerUnit
}

/** Hits given back are given back even when the rest of the request is refused. */
function withoutAddend(hit: CounterHit): CounterHit {
  return hit.isRefund === true ? hit : { ...hit, addend: 0 }
}

/** Answers without counters, as the domain's policy says; counted in any case. */
function degrade(
  error: unknown,
  request: RateLimitRequest,
  counted: readonly DescriptorHit[],
  statuses: (DescriptorStatus | undefined)[],
  context: DecisionContext,
  stats: StatDelta[],
): Decided {
  stats.push({ name: serviceStats.storeError, delta: 1 })
  const policy = failurePolicyOf(request.domain, context.settings.failurePolicies) ?? 'error'
  if (policy === 'error') {
    context.stats.record(stats)
    throw counterUnavailable(error)
  }
  stats.push({ name: policy === 'open' ? serviceStats.failedOpen : serviceStats.failedClosed, delta: 1 })
  for (const { at, limit, hit } of counted) {
    const isRefused = policy === 'closed' && !limit.isShadow && hit.isRefund !== true
    // No current limit: nothing is known of the counter, so no number is made up.
    statuses[at] = { code: isRefused ? 'OVER_LIMIT' : 'OK', limitRemaining: 0 }
  }
  return { statuses, isOver: [], degraded: policy }
}

function counterUnavailable(error: unknown): RatelimitError {
  if (error instanceof RatelimitError && error.code === 'counter_unavailable') return error
  return new RatelimitError('counter_unavailable', 'Cannot count: the counter store failed', { cause: error })
}

function withDegradation(metadata: JsonObject, degraded: 'open' | 'closed' | null): JsonObject {
  return degraded === null ? metadata : { ...metadata, degraded }
}
