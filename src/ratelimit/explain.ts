/** Explains the answer that a request would get: the rules tried for each descriptor, and its counter as it is now. */

import { descriptorKey } from './algorithm/algorithm-key.ts'
import { respond } from './answer/respond.ts'
import type * as contract from './contract/explanation.ts'
import type { CounterNow, Outcome } from './contract/explanation.ts'
import type { DecisionContext } from './decision/context.ts'
import { decide, decideRefund, joinStatuses } from './decision/decide.ts'
import { type CountedDescriptor, foretellHits } from './decision/foretell.ts'
import { type DescriptorHit, listDescriptorHits } from './descriptor-hit.ts'
import { explainLevels } from './explain-levels.ts'
import { applyLists } from './lists/lists.ts'
import type { Match } from './match.ts'
import { asLook } from './ports.ts'
import { assertHolders, readSteps } from './reservation/descriptor-step.ts'
import type { Domain } from './rule-book.ts'
import { matchRequest, statusWithoutCounter } from './service.ts'
import type { Descriptor, DescriptorStatus, RateLimitRequest, RateLimitResponse } from './types.ts'
import { beginWork, type Work } from './work.ts'

/** The explanation of the contract before it is written as JSON, which has no integers of 64 bits. */
interface Explanation {
  readonly descriptors: readonly DescriptorExplanation[]
  readonly response: RateLimitResponse
}

interface DescriptorExplanation extends Omit<contract.DescriptorExplanation, 'descriptor' | 'status'> {
  readonly descriptor: Descriptor
  readonly status: DescriptorStatus
}

/**
 * Explains a request, counting nothing: no hit, no statistic, no memory of what is over.
 *
 * @throws RatelimitError as `assertHolders` does.
 * @throws RatelimitError as `matchRequest` does; also when the list of rules tried would be too long.
 * @throws RatelimitError counter_unavailable when the store fails, under any failure policy.
 */
export async function explain(
  asked: RateLimitRequest,
  context: Pick<DecisionContext, 'rules' | 'settings' | 'counters' | 'nowMs'>,
): Promise<Explanation> {
  const request = readSteps(asked, context.rules)
  const work = beginWork(context.settings.REQUEST_MAX_COMPARISONS)
  const matched = matchRequest(request, context, work)
  const lists = context.rules?.lists
  const matches = lists === undefined ? matched : applyLists(matched, lists, request, context.nowMs)
  const listed = listDescriptorHits(matches, request)
  assertHolders(listed)
  const hits = listed.map(withoutCost)
  const counters = hits.length === 0 ? [] : await context.counters.peek(hits.map(({ hit }) => hit))
  const counted = foretellHits(hits, counters, context.settings)
  const explained = matches.map((match, at) => {
    const [own, ...further] = counted.filter(({ descriptorHit }) => descriptorHit.at === at)
    const status = further
      .map((one) => computeStatus(match, one, context))
      .reduce(joinStatuses, computeStatus(match, own, context))
    return { match, own, status }
  })
  const domain = context.rules?.domains.get(request.domain)
  return {
    descriptors: explained.map((one) => explainDescriptor(one, domain, work)),
    response: respond(explained, context.settings).response,
  }
}

interface ExplainedMatch {
  readonly match: Match
  /** The counter of its first limit; undefined without one. */
  readonly own: CountedDescriptor | undefined
  readonly status: DescriptorStatus
}

function explainDescriptor(
  { match, own, status }: ExplainedMatch,
  domain: Domain | undefined,
  work: Work,
): DescriptorExplanation {
  const { descriptor, limit } = match
  const isWalked = domain !== undefined && descriptor.limit === undefined
  return {
    descriptor,
    levels: isWalked ? explainLevels(domain, descriptor.entries, work) : [],
    outcome: describeOutcome(match, domain),
    rule: limit?.statKey ?? null,
    counter: counterNow(own),
    status,
  }
}

/** A settlement is never refused: it is explained as hits given back, and none. */
function withoutCost(descriptorHit: DescriptorHit): DescriptorHit {
  const { hit } = descriptorHit
  return hit.step?.action === 'settle' ? { ...descriptorHit, hit: { ...asLook(hit), isRefund: true } } : descriptorHit
}

function computeStatus(
  match: Match,
  counted: CountedDescriptor | undefined,
  { settings, nowMs }: Pick<DecisionContext, 'settings' | 'nowMs'>,
): DescriptorStatus {
  if (counted === undefined) return statusWithoutCounter(match, nowMs)
  const { descriptorHit, before, isSpared } = counted
  const { addend, isRefund } = descriptorHit.hit
  if (isRefund === true) {
    return decideRefund(descriptorHit, 0, { ...before, after: Math.max(0, before.after - addend) }).status
  }
  const after = before.after + (isSpared ? 0 : addend)
  return decide(descriptorHit, addend, { ...before, after }, settings.NEAR_LIMIT_RATIO).status
}

function describeOutcome(match: Match, domain: Domain | undefined): Outcome {
  if (match.listing !== undefined) return match.listing.list === 'deny' ? 'deny list' : 'allow list'
  if (domain === undefined) return 'unknown domain'
  if (match.isReplaced) return 'replaced'
  if (match.limit === null) return 'no rule matches'
  if (match.limit.rateLimit === null) return 'unlimited'
  return match.descriptor.limit === undefined ? 'limit of the last rule' : 'limit in the request'
}

function counterNow(counted: CountedDescriptor | undefined): CounterNow | null {
  if (counted === undefined) return null
  const { key, addend, isRefund } = counted.descriptorHit.hit
  return {
    key: descriptorKey(key),
    hits: counted.before.after,
    secondsUntilReset: counted.before.secondsUntilReset,
    addend: isRefund === true ? -addend : addend,
  }
}
