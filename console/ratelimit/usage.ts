/** What the usage interface answers, and how the room reads it. */

import { ask } from '../frame/api.ts'

/** Decisions of one domain and rule in one bucket; whole requests where the rule is empty. */
export interface UsageRow {
  /** Unix time in seconds. */
  readonly start: number
  readonly domain: string
  readonly rule: string
  readonly admitted: number
  readonly refused: number
  readonly shadow: number
}

/** The fullest counter of a rule. */
export interface Fill {
  readonly domain: string
  readonly rule: string
  readonly key: string
  readonly limit: number
  readonly unit: string
  readonly remaining: number
  readonly endsAt: number
}

/** Decisions over a time. */
export interface Usage {
  readonly from: number
  readonly to: number
  readonly step: number
  readonly since: number | null
  readonly rows: readonly UsageRow[]
  readonly fills: readonly Fill[]
}

/** One entry of a descriptor. */
export interface Entry {
  readonly key: string
  readonly value: string
}

/** How often a counter was charged. */
export interface KeyCount {
  readonly key: string
  readonly label: { readonly domain: string; readonly rule: string; readonly entries: readonly Entry[] }
  readonly count: number
  readonly error: number
}

/** The keys that came most, and those refused most. */
export interface Top {
  readonly used: readonly KeyCount[]
  readonly refused: readonly KeyCount[]
}

/** A time that can be looked at. */
export interface Span {
  readonly name: string
  readonly label: string
  readonly seconds: number
  readonly step: 1 | 60 | 3600
  /** Milliseconds between reads. */
  readonly everyMs: number
}

/** Every time, the shortest first. */
export const spans: readonly Span[] = [
  { name: '2m', label: '2 min', seconds: 120, step: 1, everyMs: 1_000 },
  { name: '15m', label: '15 min', seconds: 900, step: 60, everyMs: 2_000 },
  { name: '1h', label: '1 h', seconds: 3_600, step: 60, everyMs: 5_000 },
  { name: '24h', label: '24 h', seconds: 86_400, step: 60, everyMs: 15_000 },
  { name: '31d', label: '31 d', seconds: 31 * 86_400, step: 3600, everyMs: 60_000 },
]

/** Reads the decisions of the last while. @param domain - null for all. */
export function readUsage(
  { seconds, step }: Span,
  domain: string | null,
  signal: AbortSignal,
): Promise<Usage> {
  const to = Math.floor(Date.now() / 1000 / step) * step + step
  const query = new URLSearchParams({ from: String(to - seconds), to: String(to), step: String(step) })
  if (domain !== null) query.set('domain', domain)
  return ask('ratelimit', `/ratelimit/v1/usage?${query}`, { signal })
}

/** Reads the keys that came most in the last while. */
export function readTop({ seconds }: Span, domain: string | null, signal: AbortSignal): Promise<Top> {
  const from = Math.floor(Date.now() / 1000) - seconds
  const query = new URLSearchParams({ from: String(from), limit: '50' })
  if (domain !== null) query.set('domain', domain)
  return ask('ratelimit', `/ratelimit/v1/top?${query}`, { signal })
}

/** Three rates over time, per second, and where nothing was known. */
export interface Rates {
  readonly x: readonly number[]
  readonly admitted: readonly (number | null)[]
  readonly refused: readonly (number | null)[]
  readonly shadow: readonly (number | null)[]
  /** The end of what is not known, Unix seconds; null when everything is. */
  readonly unknownUntil: number | null
}

/** Adds rows up into rates per second, one for every bucket. @param rule - Empty for whole requests. */
export function ratesOf({ from, to, step, since, rows }: Usage, rule: string): Rates {
  const count = Math.max(1, Math.round((to - from) / step))
  const first = Math.floor(from / step) * step
  const x = Array.from({ length: count }, (_, index) => first + index * step)
  const isKnown = (second: number) => since !== null && second + step > since
  const empty = () => x.map((second): number | null => (isKnown(second) ? 0 : null))
  const sums = { admitted: empty(), refused: empty(), shadow: empty() }
  const now = Date.now() / 1000
  for (const row of rows) {
    const at = Math.round((row.start - first) / step)
    if (row.rule !== rule || at < 0 || at >= count) continue
    // The bucket that is still open is divided by what has passed of it.
    const passed = Math.max(1, Math.min(step, now - row.start))
    for (const kind of ['admitted', 'refused', 'shadow'] as const) {
      sums[kind][at] = (sums[kind][at] ?? 0) + row[kind] / passed
    }
  }
  const isPartlyUnknown = since === null || first < since - step
  return { x, ...sums, unknownUntil: isPartlyUnknown ? (since ?? to) : null }
}

/** How many decisions went which way, for each name of rows. */
export interface Sums {
  readonly admitted: number
  readonly refused: number
  readonly shadow: number
}

/** Adds up the rows of a rule, or of whole requests where it is empty. */
export function sumsOf({ rows }: Usage, domain: string | null, rule: string): Sums {
  const sums = { admitted: 0, refused: 0, shadow: 0 }
  for (const row of rows) {
    if (row.rule !== rule || (domain ?? row.domain) !== row.domain) continue
    sums.admitted += row.admitted
    sums.refused += row.refused
    sums.shadow += row.shadow
  }
  return sums
}

/** A counter as the operator plane shows it. */
export interface CounterReading {
  readonly unit: string
  readonly hits: number
  readonly windowStart: number
  readonly secondsUntilReset: number
}

/** The open windows of a key. */
export interface KeyReading {
  readonly key: string
  readonly counters: readonly CounterReading[]
  readonly blockedUntil: number | null
  readonly hint?: string
}

/** Entries as people write them: `login=me channel=web`. */
export function entriesText(entries: readonly Entry[]): string {
  return entries.map(({ key, value }) => `${key}=${value}`).join(' ')
}

/** The address at which Ask explains a descriptor. */
export function askHref(domain: string, entries: readonly Entry[]): string {
  const query = new URLSearchParams({ domain })
  for (const { key, value } of entries) query.append('entry', `${key}=${value}`)
  return `/console/ratelimit/ask?${query}`
}
