/** Compares rules on requests that were sampled: both decide them anew, with counters that begin empty. */

import type { Sliced } from '../../base/slices.ts'
import { type Algorithm, capacityOf } from '../algorithm/algorithm.ts'
import { countHit } from '../algorithm/count-hit.ts'
import { type DecidedDescriptor, overallCode } from '../answer/respond.ts'
import type { WhatIf as Answer, Verdicts } from '../contract/usage.ts'
import type { Window } from '../counter.ts'
import { type DescriptorHit, isTogether, listDescriptorHits, refusesRequest } from '../descriptor-hit.ts'
import { type Match, matchAll } from '../match.ts'
import type { CounterHit } from '../ports.ts'
import type { RuleBook } from '../rule-book.ts'
import type { Code, DescriptorStatus } from '../types.ts'
import { windowStart } from '../window.ts'
import { beginWork } from '../work.ts'
import type { SampledRequest } from './types.ts'

/** The settings that decisions depend on. */
interface WhatIfSettings {
  /** Units of work that the wildcards of the rules may cost for one request, as `REQUEST_MAX_COMPARISONS`. */
  readonly comparisons: number
  readonly isQuotaMode: boolean
}

/** A request that the two sets of rules decide differently. */
type ChangedDecision = Omit<Answer['changed'][number], 'request'> & Pick<SampledRequest, 'request'>

/** The comparison: the answer before its numbers of 64 bits become text. */
export interface WhatIf extends Omit<Answer, 'changed'> {
  /** The first ones, at most `maxChanged`. */
  readonly changed: readonly ChangedDecision[]
}

const maxChanged = 50
/** Units of `Work` of a slice: 10 ms at worst. */
const sliceUnits = 2_000_000
/** Units of one sample without what wildcards cost. */
const sampleUnits = 4_000

/**
 * Decides sampled requests by the running rules and by proposed ones.
 *
 * Both begin with empty counters at the first sample, and every sample adds its hits times its weight, because it
 * represents that many requests. Hits before the first sample are unknown, so a window that was open then admits more
 * than it did. This holds for both sets of rules, so what differs comes from the rules. Requests with a limit of an
 * unknown unit are skipped: only a domain without rules accepts them.
 *
 * @param samples - in the order of their time.
 * @throws RatelimitError request_too_large when wildcards cost more than they may, because such rules would refuse the
 * request.
 */
export function* whatIf(
  samples: readonly SampledRequest[],
  { running, proposed }: { readonly running: RuleBook; readonly proposed: RuleBook },
  settings: WhatIfSettings,
): Sliced<WhatIf> {
  const replayRunning = createReplay(running, settings)
  const replayProposed = createReplay(proposed, settings)
  const judged: Judged[] = []
  let units = 0
  for (const sample of samples.filter(isDecidable)) {
    const was = replayRunning(sample)
    const would = replayProposed(sample)
    judged.push({ sample, was: was.verdict, would: would.verdict })
    units += 2 * sampleUnits + was.units + would.units
    if (units < sliceUnits) continue
    units = 0
    yield
  }
  const changed = judged.filter(({ was, would }) => was.code !== would.code)
  return {
    sampled: judged.length,
    requests: sumWeights(judged),
    from: judged[0]?.sample.at ?? 0,
    to: judged.at(-1)?.sample.at ?? 0,
    was: countVerdicts(judged, ({ was }) => was.code),
    would: countVerdicts(judged, ({ would }) => would.code),
    changed: changed.slice(0, maxChanged).map(toChange),
    changedRequests: sumWeights(changed),
  }
}

/** Tells whether a sample can be decided: a domain that has rules refuses a limit of an unknown unit. */
function isDecidable({ request }: SampledRequest): boolean {
  return request.descriptors.every(({ limit }) => limit === undefined || limit.unit !== null)
}

interface Verdict {
  readonly code: Code
  readonly rule: string | null
}

interface Judged {
  readonly sample: SampledRequest
  readonly was: Verdict
  readonly would: Verdict
}

function sumWeights(judged: readonly Judged[]): number {
  return Math.round(judged.reduce((sum, { sample }) => sum + sample.weight, 0))
}

function countVerdicts(judged: readonly Judged[], codeOf: (one: Judged) => Code): Verdicts {
  return {
    admitted: sumWeights(judged.filter((one) => codeOf(one) === 'OK')),
    refused: sumWeights(judged.filter((one) => codeOf(one) !== 'OK')),
  }
}

function toChange({ sample: { at, request }, was, would }: Judged): ChangedDecision {
  return { at, request, was: was.code, would: would.code, wasRule: was.rule, wouldRule: would.rule }
}

/** Makes a function that decides one sample after the other by the same rules; `units` is what its wildcards cost. */
function createReplay(rules: RuleBook, { comparisons, isQuotaMode }: WhatIfSettings) {
  const counters: ReplayCounters = { windows: new Map(), states: new Map() }
  return (sample: SampledRequest): { readonly verdict: Verdict; readonly units: number } => {
    const work = beginWork(comparisons)
    const matches = matchAll(rules, sample.request, '', work)
    const { decided, rule } = decideSample(sample, matches, counters, isQuotaMode)
    return { verdict: { code: overallCode(decided, isQuotaMode), rule }, units: work.most - work.left }
  }
}

/** Counters of a replay: windows of the reference by name, unit and start, and states of algorithms by key. */
interface ReplayCounters {
  readonly windows: Map<string, number>
  readonly states: Map<string, Window>
}

/** Counts the hits of a sample; those of all or nothing are taken back where the request is refused. */
function decideSample(
  sample: SampledRequest,
  matches: readonly Match[],
  counters: ReplayCounters,
  isQuotaMode: boolean,
): { readonly decided: readonly DecidedDescriptor[]; readonly rule: string | null } {
  const hits = listDescriptorHits(matches, sample.request)
  const together = hits.filter(isTogether).map(({ hit: { key } }) => ({ key, state: counters.states.get(key) }))
  const over = hits.filter((descriptorHit) => countSample(descriptorHit, sample, counters))
  if (over.some((descriptorHit) => refusesRequest(descriptorHit, isQuotaMode))) {
    for (const { key, state } of together) {
      if (state === undefined) counters.states.delete(key)
      else counters.states.set(key, state)
    }
  }
  const refusing = over.filter(({ limit }) => !limit.isShadow)
  const decided = matches.map((match, index) => ({
    match,
    status: refusing.some(({ at }) => at === index) ? refused : passed,
  }))
  return { decided, rule: refusing[0]?.limit.statKey ?? null }
}

/** Decides hits as those of one request, then advances their counter by the requests that the sample represents. */
function countSample(descriptorHit: DescriptorHit, sample: SampledRequest, counters: ReplayCounters): boolean {
  const { algorithm } = descriptorHit.rateLimit
  if (algorithm === undefined) return countInWindow(descriptorHit, sample, counters.windows)
  // A sample does not say how long it was held.
  return algorithm.kind !== 'concurrency' && countInState(algorithm, descriptorHit, sample, counters.states)
}

function countInState(
  algorithm: Algorithm,
  { rateLimit, hit }: DescriptorHit,
  { at: nowMs, weight }: SampledRequest,
  states: Map<string, Window>,
): boolean {
  const state = states.get(hit.key)
  const addend = signedAddend(hit)
  const count = (hits: number) => countHit(algorithm, state, { addend: hits, limit: rateLimit.requestsPerUnit, nowMs })
  const own = count(addend)
  const isOver = hit.isRefund !== true && own.after > capacityOf(rateLimit)
  // The weighted hits may exceed what the limit admits, and are not counted then; the request itself is.
  const next = count(Math.round(addend * weight)).window ?? (isOver ? null : own.window)
  if (next !== null) states.set(hit.key, next)
  return isOver
}

function countInWindow(
  { rateLimit: { unit, requestsPerUnit }, hit }: DescriptorHit,
  { at: nowMs, weight }: SampledRequest,
  windows: Map<string, number>,
): boolean {
  const name = `${hit.key}\n${unit}\n${windowStart(unit, Math.floor(nowMs / 1000))}`
  const counted = windows.get(name) ?? 0
  const addend = signedAddend(hit)
  windows.set(name, Math.max(0, counted + addend * weight))
  return hit.isRefund !== true && counted + addend > requestsPerUnit
}

function signedAddend({ addend, isRefund }: CounterHit): number {
  return isRefund === true ? -addend : addend
}

const passed: DescriptorStatus = { code: 'OK', limitRemaining: 0 }
const refused: DescriptorStatus = { code: 'OVER_LIMIT', limitRemaining: 0 }
