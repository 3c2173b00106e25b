/** The descriptors of one request are decided together: by the over-limit cache, by their counters, or by the failure policy. */

import { countsEachHit } from '../algorithm/algorithm.ts'
import type { DescriptorHit } from '../descriptor-hit.ts'
import { RatelimitError } from '../errors.ts'
import { findFailurePolicy } from '../failure-policy.ts'
import { assertOneEach, type Hits, isRefusable, type StatDelta } from '../ports.ts'
import { serviceStats } from '../statistics/names.ts'
import type { RateLimitRequest } from '../types.ts'
import type { DecisionContext } from './context.ts'
import { count } from './count.ts'
import {
  type Decision,
  type DescriptorDecision,
  decide,
  decideRefund,
  decideRemembered,
  decideSettlement,
  joinDecisions,
  unreached,
} from './decide.ts'

/** The decisions on the descriptors of a request. */
export interface Decided {
  /** By the descriptor's place; holes where a descriptor has no counter. */
  readonly decisions: readonly (DescriptorDecision | undefined)[]
  /** Answer of the failure policy, when a counter could not be reached. */
  readonly degraded: 'open' | 'closed' | null
}

const nothingDecided: Decided = { decisions: [], degraded: null }

/** A request while it is decided: `record` and `degrade` add to its decisions and statistics. */
interface Progress {
  readonly request: RateLimitRequest
  readonly context: DecisionContext
  readonly decisions: (DescriptorDecision | undefined)[]
  readonly stats: StatDelta[]
}

/**
 * Decides every descriptor that has a counter.
 *
 * @param stats - takes the statistics of the decisions.
 * @returns a promise only when a counter has to be asked; a needless promise costs about 5 % of a decision.
 * @throws RatelimitError counter_unavailable when the store fails and the failure policy of the domain is `error`,
 *   after `stats` were recorded.
 */
export function decideAll(
  request: RateLimitRequest,
  counted: readonly DescriptorHit[],
  context: DecisionContext,
  stats: StatDelta[],
): Promise<Decided> | Decided {
  if (counted.length === 0) return nothingDecided
  const progress: Progress = { request, context, decisions: new Array(request.descriptors.length), stats }
  const uncached = context.overLimitCache === null ? counted : decideFromCache(counted, progress)
  if (uncached.length === 0) return { decisions: progress.decisions, degraded: null }
  const cached = uncached.length === counted.length ? [] : counted.filter((one) => !uncached.includes(one))
  return decideFromStore(uncached, cached, progress)
}

async function decideFromStore(
  uncached: readonly DescriptorHit[],
  cached: readonly DescriptorHit[],
  progress: Progress,
): Promise<Decided> {
  let counters: readonly Hits[]
  try {
    counters = assertOneEach(await count(uncached, cached, progress.context), uncached)
  } catch (error) {
    return degrade(error, uncached, progress)
  }
  const unreadHits = decideCounted(uncached, counters, progress)
  const [first] = unreadHits
  if (first === undefined) return { decisions: progress.decisions, degraded: null }
  const uncounted = unreadHits.map(({ descriptorHit }) => descriptorHit)
  return degrade(new RatelimitError('counter_unavailable', first.why), uncounted, progress)
}

function record({ decisions, stats }: Progress, { at }: DescriptorHit, decision: Decision): void {
  const before = decisions[at]
  decisions[at] = before === undefined ? decision : joinDecisions(before, decision)
  for (const stat of decision.stats) stats.push(stat)
}

/** Decides the hits whose counters the over-limit cache knows. Returns the other hits. */
function decideFromCache(counted: readonly DescriptorHit[], progress: Progress): readonly DescriptorHit[] {
  const { overLimitCache, rules, nowMs } = progress.context
  overLimitCache?.useRules(rules)
  return counted.filter((descriptorHit) => {
    const { hit } = descriptorHit
    if (!isRefusable(hit)) return true
    const entry = overLimitCache?.find(hit.key, hit.unit, nowMs) ?? null
    if (entry === null) return true
    const seconds = Math.ceil((entry.resetAtMs - nowMs) / 1000)
    record(progress, descriptorHit, decideRemembered(descriptorHit, hit.addend, seconds))
    return false
  })
}

/** A hit whose counter could not be read; the store answered as if it were unused. */
interface UnreadHit {
  readonly descriptorHit: DescriptorHit
  readonly why: string
}

/** Decides by the counters. Returns the hits that were not read, if the domain has a failure policy. */
function decideCounted(
  counted: readonly DescriptorHit[],
  counters: readonly Hits[],
  progress: Progress,
): readonly UnreadHit[] {
  const { request, context } = progress
  const unreadHits: UnreadHit[] = []
  for (let index = 0; index < counted.length; index++) {
    const descriptorHit = counted[index]
    const counter = counters[index]
    if (descriptorHit === undefined || counter === undefined) continue
    if (counter.unread !== undefined && isPolicySet(request, context))
      unreadHits.push({ descriptorHit, why: counter.unread })
    else record(progress, descriptorHit, decideOne(descriptorHit, counter, context))
  }
  return unreadHits
}

/** Tells whether the domain has a failure policy; without one an unread counter counts as unused, as in the reference. */
function isPolicySet({ domain }: RateLimitRequest, { settings }: DecisionContext): boolean {
  return findFailurePolicy(domain, settings.FAILURE_POLICY) !== null
}

function decideOne(descriptorHit: DescriptorHit, counter: Hits, context: DecisionContext): Decision {
  const { key, unit, addend, isRefund, step } = descriptorHit.hit
  if (step?.action === 'settle') return decideSettlement(descriptorHit, addend, counter)
  if (isRefund === true) {
    context.overLimitCache?.forget(key, unit)
    return decideRefund(descriptorHit, addend, counter)
  }
  const decision = decide(descriptorHit, addend, counter, context.settings.NEAR_LIMIT_RATIO)
  // While the store was asked, another call may have brought newer rules with a higher limit.
  const isFinal = decision.isOver && counter.isProvisional !== true && countsEachHit(descriptorHit.rateLimit.algorithm)
  if (isFinal && context.overLimitCache?.isCurrent(context.rules) === true) {
    context.overLimitCache.remember(key, unit, counter.secondsUntilReset, context.nowMs)
  }
  return decision
}

/** Decides without counters, by the failure policy of the domain; the statistics count it. */
function degrade(error: unknown, uncounted: readonly DescriptorHit[], progress: Progress): Decided {
  const { request, context, decisions, stats } = progress
  stats.push({ name: serviceStats.storeError, delta: 1 })
  const policy = findFailurePolicy(request.domain, context.settings.FAILURE_POLICY) ?? 'error'
  if (policy === 'error') {
    context.stats.record(stats)
    throw counterUnavailable(error)
  }
  stats.push({ name: policy === 'open' ? serviceStats.failedOpen : serviceStats.failedClosed, delta: 1 })
  for (const { at, limit, hit } of uncounted) {
    const isRefused = policy === 'closed' && !limit.isShadow && isRefusable(hit)
    const known = decisions[at]
    // Another limit of the descriptor is known to be over.
    if (known?.status.code === 'OVER_LIMIT') continue
    decisions[at] = { status: isRefused ? unreached.closed : unreached.open, isOver: known?.isOver === true }
  }
  return { decisions, degraded: policy }
}

function counterUnavailable(error: unknown): RatelimitError {
  if (error instanceof RatelimitError && error.code === 'counter_unavailable') return error
  return new RatelimitError('counter_unavailable', 'Cannot count: the counter store failed', { cause: error })
}
