/** Adds decisions up until they are reported: bounded whatever callers send, and cheap enough to go unnoticed. */

import type { Limit, Match } from '../rule-book.ts'
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
  /** By the descriptor's place: whether its counter is over, whatever mode turned the status into. */
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

type MutableCount = { -readonly [name in keyof UsageCount]: UsageCount[name] }

interface Pending {
  readonly counts: Map<string, MutableCount>
  readonly used: Keys
  readonly refused: Keys
  readonly fills: Map<string, Fill>
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
  return { counts: new Map(), used: keys(), refused: keys(), fills: new Map(), samples: [], requests: 0 }
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
  let isAnyOver = isShadowed
  for (let at = 0; at < matches.length; at++) {
    const match = matches[at]
    const status = response.statuses[at]
    if (match?.limit == null || match.limit.rateLimit === null || status === undefined) continue
    const outcome = outcomeOf(isOver[at] === true, status.code === 'OVER_LIMIT')
    isAnyOver ||= isOver[at] === true
    count(pending, { second, domain, rule: match.limit.statKey }, outcome)
    addKey(pending, match, match.limit, domain, outcome)
    fill(pending, { domain, second }, match, match.limit, status)
  }
  count(pending, { second, domain, rule: '' }, outcomeOf(isAnyOver, response.overallCode === 'OVER_LIMIT'))
}

type Place = Pick<UsageCount, 'second' | 'domain' | 'rule'>

function count({ counts }: Pending, place: Place, outcome: keyof Tally): void {
  const { second, domain, rule } = place
  const key = `${second}\n${domain}\n${rule}`
  const known = counts.get(key)
  if (known !== undefined) {
    known[outcome] += 1
    return
  }
  const isRoom = counts.size < usageBounds.counts
  const kept = isRoom ? place : { second, domain: '', rule: rule === '' ? '' : otherRules }
  const keptKey = isRoom ? key : `${second}\n\n${kept.rule}`
  const entry = counts.get(keptKey) ?? { ...kept, admitted: 0, refused: 0, shadow: 0 }
  entry[outcome] += 1
  counts.set(keptKey, entry)
}

function addKey(
  { used, refused }: Pending,
  { key, descriptor }: Match,
  { statKey: rule }: Limit,
  domain: string,
  outcome: keyof Tally,
): void {
  for (const { sketch, labels } of outcome === 'refused' ? [used, refused] : [used]) {
    const evicted = sketch.add(key, 1)
    if (evicted !== null) labels.delete(evicted)
    if (!labels.has(key)) labels.set(key, { domain, rule, entries: descriptor.entries })
  }
}

/** Keeps the fullest counter of each rule. */
function fill(
  { fills }: Pending,
  { domain, second }: { readonly domain: string; readonly second: number },
  { key }: Match,
  { statKey: rule }: Limit,
  { currentLimit, limitRemaining: remaining, secondsUntilReset }: DescriptorStatus,
): void {
  if (currentLimit === undefined || secondsUntilReset === undefined) return
  const name = `${domain}\n${rule}`
  const known = fills.get(name)
  if (known === undefined && fills.size >= usageBounds.fills) return
  const { requestsPerUnit: limit, unit } = currentLimit
  const next = { domain, rule, key, limit, unit, remaining, endsAt: second + secondsUntilReset }
  if (known === undefined || isFuller(next, known, second)) fills.set(name, next)
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

function reportOf({ counts, used, refused, fills, samples, requests }: Pending): UsageReport {
  const weight = requests / Math.max(1, samples.length)
  return {
    counts: [...counts.values()],
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
