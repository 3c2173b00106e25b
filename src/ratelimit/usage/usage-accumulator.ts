/** Accumulates decisions until they are reported; what callers send cannot make memory grow without bound. */

import type { Fill } from '../contract/usage.ts'
import { keepFullest } from './fullest-counter.ts'
import { countKey, noKeys, reportKeys } from './key-counts.ts'
import { findRequestCount, findRuleCount, noCounts, turnSecond } from './rule-counts.ts'
import { addSample, reportSamples } from './samples.ts'
import { classifyDecision, type DecidedRequest, type UsageReport } from './types.ts'

type Pending = ReturnType<typeof emptyPending>

/** Creates an accumulator; `chance`, 0 to 1, chooses which requests are sampled. */
export function createUsageAccumulator(chance: () => number) {
  let pending = emptyPending()
  return {
    add(decision: DecidedRequest): void {
      pending.requests += 1
      addRequest(pending, decision)
      addSample(pending.samples, pending.requests, decision, chance)
    },
    /** Takes everything since the last call, and begins anew; null when there was nothing. */
    take(): UsageReport | null {
      if (pending.requests === 0) return null
      const report = makeReport(pending)
      pending = emptyPending()
      return report
    },
  }
}

function emptyPending() {
  const samples: DecidedRequest[] = []
  return { counts: noCounts(), keys: noKeys(), fills: new Map<string, Fill>(), samples, requests: 0 }
}

function addRequest({ counts, keys, fills }: Pending, decision: DecidedRequest): void {
  const { request, response, decided, isKnownDomain, isShadowed, nowMs } = decision
  // Callers can invent domains without limit, so those without rules are counted together.
  const domain = isKnownDomain ? request.domain : ''
  const second = Math.floor(nowMs / 1000)
  turnSecond(counts, second)
  let isAnyOver = isShadowed
  for (const judged of decided) {
    const { match, status, isOver } = judged
    // A cost that is settled asks for no decision.
    if (match.descriptor.step?.action === 'settle') continue
    if (match.limit === null || match.limit.rateLimit === null) continue
    const outcome = classifyDecision(isOver, status.code === 'OVER_LIMIT')
    isAnyOver ||= isOver
    findRuleCount(counts, match.limit, domain)[outcome] += 1
    countKey(keys, match, domain, outcome)
    keepFullest(fills, { domain, second }, judged)
  }
  findRequestCount(counts, domain)[classifyDecision(isAnyOver, response.overallCode === 'OVER_LIMIT')] += 1
}

function makeReport({ counts: { counts }, keys, fills, samples, requests }: Pending): UsageReport {
  const { used, refused } = reportKeys(keys)
  return { counts, used, refused, fills: [...fills.values()], samples: reportSamples(samples, requests) }
}
