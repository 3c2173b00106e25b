/** What other rules would have decided about requests that were sampled: counted anew, in the order they came. */

import type { Sliced } from '../../base/slices.ts'
import { listDescriptorHits } from '../descriptor-hit.ts'
import { matchAll } from '../match.ts'
import { overallCode } from '../respond.ts'
import type { RuleBook } from '../rule-book.ts'
import type { Code, DescriptorStatus } from '../types.ts'
import { windowStart } from '../window.ts'
import { beginWork, type Work } from '../work.ts'
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
  /** Requests that were looked at, and how many they represent. */
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
/** Units of `Work` of a slice: 10 ms at worst. */
const sliceUnits = 2_000_000
/** Units of one sample without what wildcards cost. */
const sampleUnits = 4_000

/**
 * Decides sampled requests by other rules.
 *
 * Counters begin empty at the first sample, and every sample adds its hits times its weight, because it represents
 * that many requests. What came before the first sample is not known, so a window that was open then is judged
 * mildly. A request with a limit whose unit does not exist is left out: only an unknown domain takes it.
 *
 * @param samples - in the order of their time.
 * @param comparisons - what the wildcards of the rules may cost for one of them, as `REQUEST_MAX_COMPARISONS`.
 * @throws RatelimitError request_too_large when they cost more, because such rules would refuse the request.
 */
export function* whatIf(
  samples: readonly SampledRequest[],
  rules: RuleBook,
  comparisons: number,
): Sliced<WhatIf> {
  const counters = new Map<string, number>()
  const judged: Judged[] = []
  let units = 0
  for (const sample of samples.filter(isDecidable)) {
    const work = beginWork(comparisons)
    judged.push(decideAgain(sample, { rules, counters, work }))
    units += sampleUnits + work.most - work.left
    if (units < sliceUnits) continue
    units = 0
    yield
  }
  const changed = judged.filter(({ sample, would }) => would !== sample.code)
  return {
    sampled: judged.length,
    requests: weightOf(judged),
    from: judged[0]?.sample.at ?? 0,
    to: judged.at(-1)?.sample.at ?? 0,
    was: verdictsOf(judged, ({ sample }) => sample.code),
    would: verdictsOf(judged, ({ would }) => would),
    changed: changed.slice(0, maxChanged).map(toChange),
    changedRequests: weightOf(changed),
  }
}

/** A domain that the rules have refuses a limit whose unit does not exist, so that no decision can be told. */
function isDecidable({ request }: SampledRequest): boolean {
  return request.descriptors.every(({ limit }) => limit === undefined || limit.unit !== null)
}

/** A sample and what the other rules decide. */
interface Judged {
  readonly sample: SampledRequest
  readonly would: Code
  /** The rule that refuses it; null for none. */
  readonly wouldRule: string | null
}

/** Requests that samples represent. */
function weightOf(judged: readonly Judged[]): number {
  return Math.round(judged.reduce((sum, { sample }) => sum + sample.weight, 0))
}

function verdictsOf(judged: readonly Judged[], codeOf: (one: Judged) => Code): Verdicts {
  return {
    admitted: weightOf(judged.filter((one) => codeOf(one) === 'OK')),
    refused: weightOf(judged.filter((one) => codeOf(one) !== 'OK')),
  }
}

function toChange({ sample, would, wouldRule }: Judged): ChangedDecision {
  const { at, request, code, outcomes } = sample
  const wasRule = outcomes.find(({ outcome }) => outcome === 'refused')?.rule ?? null
  return { at, request, was: code, would, wasRule, wouldRule }
}

/** What one sample is decided by. */
interface Again {
  readonly rules: RuleBook
  readonly counters: Map<string, number>
  readonly work: Work
}

/** Decides one sample anew, and adds what it represents to the counters. */
function decideAgain(sample: SampledRequest, { rules, counters, work }: Again): Judged {
  const { at, weight, request } = sample
  const matches = matchAll(rules, request, '', work)
  const decided = matches.map((match) => ({ match, status: passed }))
  let wouldRule: string | null = null
  for (const { at: place, limit, rateLimit, hit } of listDescriptorHits(matches, request)) {
    const match = matches[place]
    if (match === undefined) continue
    const name = `${hit.key}\n${rateLimit.unit}\n${windowStart(rateLimit.unit, Math.floor(at / 1000))}`
    const before = counters.get(name) ?? 0
    const change = (hit.isRefund === true ? -hit.addend : hit.addend) * weight
    counters.set(name, Math.max(0, before + change))
    // The sample is one request: the hits that it represents are counted after it.
    const isOver = hit.isRefund !== true && before + hit.addend > rateLimit.requestsPerUnit
    if (!isOver || limit.isShadow) continue
    decided[place] = { match, status: refused }
    wouldRule ??= limit.statKey
  }
  return { sample, would: overallCode(decided, false), wouldRule }
}

const passed: DescriptorStatus = { code: 'OK', limitRemaining: 0 }
const refused: DescriptorStatus = { code: 'OVER_LIMIT', limitRemaining: 0 }
