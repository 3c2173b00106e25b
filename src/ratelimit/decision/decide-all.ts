/** The descriptors of one request are decided together: by the over-limit cache, by their counters, or by the failure policy. */

import { countsEachHit } from '../algorithm/algorithm.ts'
import type { DescriptorHit } from '../descriptor-hit.ts'
import { RatelimitError } from '../errors.ts'
import { findFailurePolicy } from '../failure-policy.ts'
import { type Hits, isRefusable, type StatDelta } from '../ports.ts'
import { serviceStats } from '../statistics/names.ts'
import type { DescriptorStatus, RateLimitRequest } from '../types.ts'
import type { DecisionContext } from './context.ts'
import { count } from './count.ts'
import {
  type Decision,
  decide,
  decideRefund,
  decideRemembered,
  decideSettlement,
  joinStatuses,
  type Settlement,
} from './decide.ts'
import { assertOneEach } from './one-each.ts'

/** Statuses by the descriptor's place; holes where a descriptor has no counter. */
export interface Decided {
  readonly statuses: readonly (DescriptorStatus | undefined)[]
  /** By the same place: true where the counter is over, also where a mode turned the status into OK. */
  readonly isOver: readonly (boolean | undefined)[]
  /** Answer of the failure policy, when a counter could not be reached. */
  readonly degraded: 'open' | 'closed' | null
  /** By the same place: the outcomes of settlements. Of a descriptor with several limits one that is done counts. */
  readonly settlements?: readonly (Settlement | undefined)[]
}

const nothingDecided: Decided = { statuses: [], isOver: [], degraded: null }

interface Progress {
  readonly request: RateLimitRequest
  readonly context: DecisionContext
  readonly statuses: (DescriptorStatus | undefined)[]
  readonly isOver: (boolean | undefined)[]
  readonly settlements: (Settlement | undefined)[]
  readonly stats: StatDelta[]
}

/**
 * Decides every descriptor that has a counter.
 *
 * @param stats - takes the statistics of the decisions.
 * @returns a promise only where a counter must be asked: a needless one costs a twentieth of a decision.
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
  const statuses: (DescriptorStatus | undefined)[] = new Array(request.descriptors.length)
  const progress: Progress = { request, context, statuses, isOver: [], settlements: [], stats }
  const unknown = context.overLimitCache === null ? counted : decideKnown(counted, progress)
  if (unknown.length === 0) return { statuses, isOver: progress.isOver, degraded: null }
  const known = unknown.length === counted.length ? [] : counted.filter((one) => !unknown.includes(one))
  return decideUnknown(unknown, known, progress)
}

async function decideUnknown(
  unknown: readonly DescriptorHit[],
  known: readonly DescriptorHit[],
  progress: Progress,
): Promise<Decided> {
  const { statuses, context, settlements } = progress
  let hits: readonly Hits[]
  try {
    hits = assertOneEach(await count(unknown, known, context), unknown)
  } catch (error) {
    return degrade(error, unknown, progress)
  }
  const unread = decideCounted(unknown, hits, progress)
  const [first] = unread
  if (first === undefined) return { statuses, isOver: progress.isOver, degraded: null, settlements }
  const error = new RatelimitError('counter_unavailable', first.why)
  return degrade(
    error,
    unread.map(({ descriptorHit }) => descriptorHit),
    progress,
  )
}

function keep({ statuses, isOver, settlements, stats }: Progress, { at }: DescriptorHit, decision: Decision): void {
  const before = statuses[at]
  statuses[at] = before === undefined ? decision.status : joinStatuses(before, decision.status)
  isOver[at] = decision.isOver || isOver[at] === true
  for (const stat of decision.stats) stats.push(stat)
  if (decision.settlement !== undefined && settlements[at] !== 'done') settlements[at] = decision.settlement
}

/** Decides what the over-limit cache knows, and returns what it does not. */
function decideKnown(counted: readonly DescriptorHit[], progress: Progress): readonly DescriptorHit[] {
  const { overLimitCache, rules, nowMs } = progress.context
  overLimitCache?.follow(rules)
  return counted.filter((descriptorHit) => {
    const { limit, rateLimit, hit } = descriptorHit
    if (!isRefusable(hit)) return true
    const known = overLimitCache?.find(hit.key, hit.unit, nowMs) ?? null
    if (known === null) return true
    const seconds = Math.ceil((known.resetAtMs - nowMs) / 1000)
    keep(progress, descriptorHit, decideRemembered(limit, rateLimit, hit.addend, seconds))
    return false
  })
}

/** A counter that the store takes for unused because it could not be read. */
interface Unread {
  readonly descriptorHit: DescriptorHit
  readonly why: string
}

/** Decides by the counters, and returns what could not be read where a failure policy decides that. */
function decideCounted(
  counted: readonly DescriptorHit[],
  hits: readonly Hits[],
  progress: Progress,
): readonly Unread[] {
  const { request, context } = progress
  const unread: Unread[] = []
  for (let index = 0; index < counted.length; index++) {
    const descriptorHit = counted[index]
    const counter = hits[index]
    if (descriptorHit === undefined || counter === undefined) continue
    if (counter.unread !== undefined && isPolicySet(request, context))
      unread.push({ descriptorHit, why: counter.unread })
    else keep(progress, descriptorHit, decideOne(descriptorHit, counter, context))
  }
  return unread
}

/** Tells whether the domain has a failure policy; without one an unread counter counts as unused, as in the reference. */
function isPolicySet({ domain }: RateLimitRequest, { settings }: DecisionContext): boolean {
  return findFailurePolicy(domain, settings.FAILURE_POLICY) !== null
}

function decideOne(descriptorHit: DescriptorHit, counter: Hits, context: DecisionContext): Decision {
  const { limit, rateLimit } = descriptorHit
  const { key, unit, addend, isRefund, step } = descriptorHit.hit
  if (step?.action === 'settle') return decideSettlement(limit, rateLimit, addend, counter)
  if (isRefund === true) {
    context.overLimitCache?.forget(key, unit)
    return decideRefund(limit, rateLimit, addend, counter)
  }
  const decision = decide(limit, rateLimit, addend, counter, context.settings.NEAR_LIMIT_RATIO)
  // While the store was asked, another call may have brought newer rules with a higher limit.
  const isFinal = decision.isOver && counter.isProvisional !== true && countsEachHit(rateLimit.algorithm)
  if (isFinal && context.overLimitCache?.isFollowing(context.rules) === true) {
    context.overLimitCache.remember(key, unit, counter.secondsUntilReset, context.nowMs)
  }
  return decision
}

/** Decides without counters, by the failure policy of the domain; the statistics count it. */
function degrade(error: unknown, counted: readonly DescriptorHit[], progress: Progress): Decided {
  const { request, context, statuses, stats } = progress
  stats.push({ name: serviceStats.storeError, delta: 1 })
  const policy = findFailurePolicy(request.domain, context.settings.FAILURE_POLICY) ?? 'error'
  if (policy === 'error') {
    context.stats.record(stats)
    throw counterUnavailable(error)
  }
  stats.push({ name: policy === 'open' ? serviceStats.failedOpen : serviceStats.failedClosed, delta: 1 })
  for (const { at, limit, hit } of counted) {
    const isRefused = policy === 'closed' && !limit.isShadow && isRefusable(hit)
    const known = statuses[at]
    // Of several limits one that is known decides, unless the policy refuses what that one admits.
    if (known !== undefined && (known.code === 'OVER_LIMIT' || !isRefused)) continue
    // No current limit: nothing is known of the counter, so no number is made up.
    statuses[at] = { code: isRefused ? 'OVER_LIMIT' : 'OK', limitRemaining: 0 }
  }
  return { statuses, isOver: progress.isOver, degraded: policy }
}

function counterUnavailable(error: unknown): RatelimitError {
  if (error instanceof RatelimitError && error.code === 'counter_unavailable') return error
  return new RatelimitError('counter_unavailable', 'Cannot count: the counter store failed', { cause: error })
}
