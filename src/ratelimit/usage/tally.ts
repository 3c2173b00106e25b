/** Adds decisions up until they are reported: bounded for any callers, at little cost to a decision. */

import type { Match } from '../match.ts'
import type { Limit } from '../rule-book.ts'
import type { DescriptorStatus, RateLimitRequest, RateLimitResponse } from '../types.ts'
import { createSketch, type SpaceSavingSketch } from './space-saving.ts'
import type { Fill, KeyCount, KeyLabel, SampledRequest, Tally, UsageCount, UsageReport } from './types.ts'

/** One decision, as the service made it. */
export interface DecidedRequest {
  readonly request: RateLimitRequest
  readonly response: RateLimitResponse
  readonly matches: readonly Match[]
  /** Whether the rules have the request's domain. */
  readonly isKnownDomain: boolean
  /** By the descriptor's place: whether its counter is over, also where a mode turned the status into OK. */
  readonly isOver: readonly (boolean | undefined)[]
  /** Whether the mode of the whole service turned a refusal into a pass. */
  readonly isShadowed: boolean
  /** Unix time in milliseconds. */
  readonly nowMs: number
}

/** Bounds on what waits for a report. */
export const usageBounds = {
  /** Rules and seconds counted apart; further ones are counted together. */
  counts: 400,
  keys: 256,
  fills: 200,
  samples: 20,
  /** Descriptors and entries of a sampled request; a longer one is not sampled. */
  sampleEntries: 32,
  /** Length of a text of a sampled request, in UTF-16 code units. */
  sampleText: 256,
} as const

/** The name of rules that are counted together because there are too many of them. */
export const otherRules = '(others)'

/** Adds up. */
export interface UsageTally {
  add(decided: DecidedRequest): void
  /** Everything since the last call, and begins anew; null when there was nothing. */
  take(): UsageReport | null
}

interface Keys {
  readonly sketch: SpaceSavingSketch
  readonly labels: Map<string, KeyLabel>
}

/** A key and how often it came, before it goes into the sketches. */
interface KeyTally {
  readonly match: Match
  readonly domain: string
  used: number
  refused: number
}

/** The counts of one second, found by the identity of a limit or the name of a domain: no text is made to find one. */
interface SecondTally {
  readonly second: number
  readonly byLimit: Map<Limit, MutableCount>
  readonly byDomain: Map<string, MutableCount>
}

type MutableCount = { -readonly [name in keyof UsageCount]: UsageCount[name] }

interface Pending {
  readonly counts: MutableCount[]
  second: SecondTally
  readonly keys: Map<string, KeyTally>
  readonly used: Keys
  readonly refused: Keys
  readonly fills: Map<Limit, Fill>
  readonly samples: DecidedRequest[]
  requests: number
}

/**
 * Creates a tally.
 *
 * @param chance - A number from 0 to 1, equally likely; it chooses which requests are sampled.
 */
export function createUsageTally(chance: () => number): UsageTally {
  let pending = emptyPending()
  return {
    add(decided) {
      pending.requests += 1
      addRequest(pending, decided)
      sample(pending, decided, chance)
    },
    take() {
      if (pending.requests === 0) return null
      const report = reportOf(pending)
      pending = emptyPending()
      return report
    },
  }
}

function emptyPending(): Pending {
  const keys = () => ({ sketch: createSketch(usageBounds.keys), labels: new Map<string, KeyLabel>() })
  return {
    counts: [],
    second: emptySecond(0),
    keys: new Map(),
    used: keys(),
    refused: keys(),
    fills: new Map(),
    samples: [],
    requests: 0,
  }
}

function emptySecond(second: number): SecondTally {
  return { second, byLimit: new Map(), byDomain: new Map() }
}

function outcomeOf(isOver: boolean, isRefused: boolean): keyof Tally {
  if (isRefused) return 'refused'
  return isOver ? 'shadow' : 'admitted'
}

function addRequest(pending: Pending, decided: DecidedRequest): void {
  const { request, response, matches, isOver, isKnownDomain, isShadowed, nowMs } = decided
  const second = Math.floor(nowMs / 1000)
  // Names of domains that no rule has are the callers', and could be any number.
  const domain = isKnownDomain ? request.domain : ''
  if (pending.second.second !== second) pending.second = emptySecond(second)
  let isAnyOver = isShadowed
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at]
    const status = response.statuses[at]
    if (match?.limit == null || match.limit.rateLimit === null || status === undefined) continue
    const outcome = outcomeOf(isOver[at] === true, status.code === 'OVER_LIMIT')
    isAnyOver ||= isOver[at] === true
    countRule(pending, match.limit, domain)[outcome] += 1
    addKey(pending, match, domain, outcome)
    fill(pending, { domain, second }, match, match.limit, status)
  }
  countRequest(pending, domain)[outcomeOf(isAnyOver, response.overallCode === 'OVER_LIMIT')] += 1
}

function countRule(pending: Pending, limit: Limit, domain: string): MutableCount {
  const { byLimit } = pending.second
  const known = byLimit.get(limit)
  if (known !== undefined) return known
  // Rules with statistics by value have a limit of their own for each request.
  const same = pending.counts.find(
    (one) => one.second === pending.second.second && one.domain === domain && one.rule === limit.statKey,
  )
  const entry = same ?? newCount(pending, domain, limit.statKey)
  if (byLimit.size < usageBounds.counts) byLimit.set(limit, entry)
  return entry
}

function countRequest(pending: Pending, domain: string): MutableCount {
  const { byDomain } = pending.second
  const known = byDomain.get(domain)
  if (known !== undefined) return known
  const entry = newCount(pending, domain, '')
  byDomain.set(domain, entry)
  return entry
}

/** A new count, or the one of those that are counted together when there are too many. */
function newCount({ counts, second: { second } }: Pending, domain: string, rule: string): MutableCount {
  const isRoom = counts.length < usageBounds.counts
  const kept = isRoom ? { domain, rule } : { domain: '', rule: rule === '' ? '' : otherRules }
  const same = isRoom
    ? undefined
    : counts.find((one) => one.second === second && one.domain === '' && one.rule === kept.rule)
  if (same !== undefined) return same
  const entry = { second, ...kept, admitted: 0, refused: 0, shadow: 0 }
  counts.push(entry)
  return entry
}

function addKey(pending: Pending, match: Match, domain: string, outcome: keyof Tally): void {
  const known = pending.keys.get(match.key)
  if (known !== undefined) {
    known.used += 1
    if (outcome === 'refused') known.refused += 1
    return
  }
  if (pending.keys.size >= 4 * usageBounds.keys) drainKeys(pending)
  pending.keys.set(match.key, { match, domain, used: 1, refused: outcome === 'refused' ? 1 : 0 })
}

/** Moves keys into the sketches, many at a time: a map costs less for each decision than a sketch. */
function drainKeys(pending: Pending): void {
  for (const [key, { match, domain, used, refused }] of pending.keys) {
    const label = { domain, rule: match.limit?.statKey ?? '', entries: match.descriptor.entries }
    addTo(pending.used, key, used, label)
    addTo(pending.refused, key, refused, label)
  }
  pending.keys.clear()
}

function addTo({ sketch, labels }: Keys, key: string, count: number, label: KeyLabel): void {
  if (count === 0) return
  const evicted = sketch.add(key, count)
  if (evicted !== null) labels.delete(evicted)
  labels.set(key, label)
}

/** Keeps the fullest counter of each rule. */
function fill(
  { fills }: Pending,
  { domain, second }: { readonly domain: string; readonly second: number },
  { key }: Match,
  limitOf: Limit,
  { currentLimit, limitRemaining: remaining, secondsUntilReset }: DescriptorStatus,
): void {
  if (currentLimit === undefined || secondsUntilReset === undefined) return
  const known = fills.get(limitOf)
  if (known === undefined && fills.size >= usageBounds.fills) return
  const { requestsPerUnit: limit, unit } = currentLimit
  const fullness = remaining / Math.max(1, limit)
  if (
    known !== undefined &&
    known.endsAt > second &&
    known.key !== key &&
    fullness > known.remaining / Math.max(1, known.limit)
  )
    return
  const endsAt = second + secondsUntilReset
  fills.set(limitOf, { domain, rule: limitOf.statKey, key, limit, unit, remaining, endsAt })
}

/** Whether one counter of a rule is fuller than another, whose window may have ended. @param now - Unix seconds. */
export function isFuller(next: Fill, known: Fill, now: number): boolean {
  if (known.endsAt <= now || next.key === known.key) return true
  return next.remaining / Math.max(1, next.limit) <= known.remaining / Math.max(1, known.limit)
}

/** Reservoir sampling: every request has the same chance, however many there are. */
function sample({ samples, requests }: Pending, decided: DecidedRequest, chance: () => number): void {
  if (samples.length < usageBounds.samples) {
    samples.push(decided)
    return
  }
  const at = Math.floor(chance() * requests)
  if (at < samples.length) samples[at] = decided
}

function reportOf(pending: Pending): UsageReport {
  drainKeys(pending)
  const { counts, used, refused, fills, samples, requests } = pending
  const weight = requests / Math.max(1, samples.length)
  return {
    counts,
    used: keyCounts(used),
    refused: keyCounts(refused),
    fills: [...fills.values()],
    samples: samples.filter(({ request }) => isShort(request)).map((one) => sampledOf(one, weight)),
  }
}

function keyCounts({ sketch, labels }: Keys): readonly KeyCount[] {
  return sketch.entries().flatMap((entry) => {
    const label = labels.get(entry.key)
    return label === undefined ? [] : [{ ...entry, label }]
  })
}

function isShort({ domain, descriptors }: RateLimitRequest): boolean {
  const entries = descriptors.flatMap((descriptor) => descriptor.entries)
  const texts = [domain, ...entries.flatMap(({ key, value }) => [key, value])]
  return (
    entries.length <= usageBounds.sampleEntries &&
    texts.every((text) => text.length <= usageBounds.sampleText)
  )
}

function sampledOf(
  { request, response, matches, isOver, nowMs }: DecidedRequest,
  weight: number,
): SampledRequest {
  return {
    at: nowMs,
    weight,
    code: response.overallCode,
    request,
    outcomes: matches.map(({ limit }, at) => ({
      rule: limit?.statKey ?? null,
      outcome: outcomeOf(isOver[at] === true, response.statuses[at]?.code === 'OVER_LIMIT'),
    })),
  }
}
