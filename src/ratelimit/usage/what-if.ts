/** What other rules would have decided about requests that were sampled: counted anew, in the order they came. */

import { listDescriptorHits } from '../descriptor-hit.ts'
import { matchAll } from '../match.ts'
import { overallCode } from '../respond.ts'
import type { RuleBook } from '../rule-book.ts'
import type { Code, DescriptorStatus } from '../types.ts'
import { windowStart } from '../window.ts'
import type { SampledRequest } from './types.ts'

/** How many requests went which way, by their weight. */
export interface Verdicts {
  readonly admitted: number
  readonly refused: number
}

/** A request that would be decided differently. */
export interface ChangedDecision {
  /** Unix time in milliseconds. */
  readonly at: number
  readonly request: SampledRequest['request']
  readonly was: Code
  readonly would: Code
  /** The rule that refuses, before and after; null for none. */
  readonly wasRule: string | null
  readonly wouldRule: string | null
}

/** What came out. */
export interface WhatIf {
  /** Requests that were looked at, and how many they stand for. */
  readonly sampled: number
  readonly requests: number
  /** When the first and the last came, Unix milliseconds; 0 without any. */
  readonly from: number
  readonly to: number
  readonly was: Verdicts
  readonly would: Verdicts
  /** The first ones, at most `maxChanged`. */
  readonly changed: readonly ChangedDecision[]
  readonly changedRequests: number
}

const maxChanged = 50

/**
 * Decides sampled requests by other rules.
 *
 * Counters begin empty at the first sample, and every sample adds its hits times its weight, because it stands for
 * that many requests. What came before the first sample is not known, so a window that was open then is judged
 * mildly. A request with a limit whose unit does not exist is left out: only an unknown domain takes it.
 *
 * @param samples - in the order of their time.
 */
export function whatIf(samples: readonly SampledRequest[], rules: RuleBook): WhatIf {
  const requests = samples.filter(isDecidable)
  const counters = new Map<string, number>()
  const [was, would] = [
    { admitted: 0, refused: 0 },
    { admitted: 0, refused: 0 },
  ]
  const changed: ChangedDecision[] = []
  let [weights, changedRequests] = [0, 0]
  for (const one of requests) {
    const { at, weight, code, request } = one
    const { code: next, rule: wouldRule } = decideAgain(one, rules, counters)
    weights += weight
    was[code === 'OK' ? 'admitted' : 'refused'] += weight
    would[next === 'OK' ? 'admitted' : 'refused'] += weight
    if (next === code) continue
    changedRequests += weight
    if (changed.length >= maxChanged) continue
    const wasRule = one.outcomes.find(({ outcome }) => outcome === 'refused')?.rule ?? null
    changed.push({ at, request, was: code, would: next, wasRule, wouldRule })
  }
  return {
    sampled: requests.length,
    requests: Math.round(weights),
    from: requests[0]?.at ?? 0,
    to: requests.at(-1)?.at ?? 0,
    was: rounded(was),
    would: rounded(would),
    changed,
    changedRequests: Math.round(changedRequests),
  }
}

/** A domain that the rules have refuses a limit whose unit does not exist, so that no decision can be told. */
function isDecidable({ request }: SampledRequest): boolean {
  return request.descriptors.every(({ limit }) => limit === undefined || limit.unit !== null)
}

function rounded({ admitted, refused }: Verdicts): Verdicts {
  return { admitted: Math.round(admitted), refused: Math.round(refused) }
}

interface Again {
  readonly code: Code
  readonly rule: string | null
}

function decideAgain(
  { at, weight, request }: SampledRequest,
  rules: RuleBook,
  counters: Map<string, number>,
): Again {
  const matches = matchAll(rules, request, '')
  const decided = matches.map((match) => ({ match, status: passed }))
  let rule: string | null = null
  for (const { at: place, limit, rateLimit, hit } of listDescriptorHits(matches, request)) {
    const match = matches[place]
    if (match === undefined) continue
    const name = `${hit.key}\n${rateLimit.unit}\n${windowStart(rateLimit.unit, Math.floor(at / 1000))}`
    const before = counters.get(name) ?? 0
    const change = (hit.isRefund === true ? -hit.addend : hit.addend) * weight
    counters.set(name, Math.max(0, before + change))
    // The sample is one request: the hits that it stands for are counted behind it.
    const isOver = hit.isRefund !== true && before + hit.addend > rateLimit.requestsPerUnit
    if (!isOver || limit.isShadow) continue
    decided[place] = { match, status: refused }
    rule ??= limit.statKey
  }
  return { code: overallCode(decided, false), rule }
}

const passed: DescriptorStatus = { code: 'OK', limitRemaining: 0 }
const refused: DescriptorStatus = { code: 'OVER_LIMIT', limitRemaining: 0 }
