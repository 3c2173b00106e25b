/** Answers of the usage interface, and the functions that read them. */

import type { KeyLabel, SampledRequest, Top, Usage } from '#ratelimit/contract/usage.ts'
import { ask, type ReadOptions } from '../frame/api.ts'

/** One entry of a descriptor. */
export type Entry = KeyLabel['entries'][number]

/** A time that can be looked at. */
export interface Span {
  readonly name: string
  readonly label: string
  readonly seconds: number
  readonly step: 1 | 60 | 600 | 21_600
  /** Milliseconds between reads. */
  readonly everyMs: number
}

/** Every time, the shortest first. At most 144 buckets: 200 rules are kept apart, and an answer has 100,000 rows at most. */
export const spans = [
  { name: '2m', label: '2 min', seconds: 120, step: 1, everyMs: 1_000 },
  { name: '15m', label: '15 min', seconds: 900, step: 60, everyMs: 2_000 },
  { name: '1h', label: '1 h', seconds: 3_600, step: 60, everyMs: 5_000 },
  { name: '24h', label: '24 h', seconds: 86_400, step: 600, everyMs: 15_000 },
  { name: '31d', label: '31 d', seconds: 31 * 86_400, step: 21_600, everyMs: 60_000 },
] as const satisfies readonly Span[]

/** Reads the decisions of the last while. @param domain - null for all. */
export function readUsage({ seconds, step }: Span, domain: string | null, signal: AbortSignal): Promise<Usage> {
  const to = Math.floor(Date.now() / 1000 / step) * step + step
  const query = new URLSearchParams({ from: String(to - seconds), to: String(to), step: String(step) })
  if (domain !== null) query.set('domain', domain)
  return ask('ratelimit', `/ratelimit/v1/usage?${query}`, { signal })
}

/** Reads the keys that came most in the last while. */
export function readTop(
  { seconds }: Pick<Span, 'seconds'>,
  domain: string | null,
  signal: AbortSignal,
  options: ReadOptions = {},
): Promise<Top> {
  const from = Math.floor(Date.now() / 1000) - seconds
  const query = new URLSearchParams({ from: String(from), limit: '50' })
  if (domain !== null) query.set('domain', domain)
  return ask('ratelimit', `/ratelimit/v1/top?${query}`, { ...options, signal })
}

/** Entries as people write them: `login=me channel=web`. */
export function entriesText(entries: readonly Entry[]): string {
  return entries.map(({ key, value }) => `${key}=${value}`).join(' ')
}

/** A request as people write it: its domain, and the entries of each descriptor. */
export function requestText({ domain, descriptors }: SampledRequest): string {
  return `${domain} ${descriptors.map(({ entries }) => entriesText(entries)).join(' | ')}`
}

/** The address at which Ask explains a descriptor. */
export function askHref(domain: string, entries: readonly Entry[]): string {
  const query = new URLSearchParams({ domain })
  for (const { key, value } of entries) query.append('entry', `${key}=${value}`)
  return `/console/ratelimit/ask?${query}`
}
