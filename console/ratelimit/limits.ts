/** The limits that run, as `/rlconfig` lists them, and that of a counter, whose key does not say its rule. */

import type { CounterReading } from '#ratelimit/contract/counters.ts'
import { ask, type ReadOptions } from '../frame/api.ts'
import { type PrintedLimit, parseLimit } from './limit-text.ts'
import { readTop } from './usage.ts'

/** One limit. */
export interface LimitLine extends PrintedLimit {
  readonly domain: string
  /** Its path with the domain, as usage names it. */
  readonly rule: string
}

/** The line of a file that names its domain, such as `domain: "shop.eu" # Europe`. */
const domainLine = /^domain:\s*['"]?([^'"\n#]*?)['"]?\s*(?:#.*)?$/m

/** Reads every limit that runs. */
export async function readLimits(signal: AbortSignal, options: ReadOptions = {}): Promise<readonly LimitLine[]> {
  const [text, { files }] = await Promise.all([
    ask<string>('ratelimit', '/ratelimit/rlconfig', { ...options, signal, as: 'text' }),
    ask<{ files: readonly { text: string }[] }>('ratelimit', '/ratelimit/config/files', { ...options, signal }),
  ])
  // `/rlconfig` does not mark where a domain ends, which may have dots: the files say which domains there are.
  return parseLimits(
    text,
    files.flatMap((file) => domainLine.exec(file.text)?.[1] ?? []),
  )
}

/** Reads the lines of `/rlconfig`; a domain is one of `domains`, or what is before the first dot. */
export function parseLimits(text: string, domains: readonly string[]): readonly LimitLine[] {
  const longestFirst = [...domains].sort((one, other) => other.length - one.length)
  return text.split('\n').flatMap((line) => {
    const end = line.lastIndexOf(': unit=')
    const printed = parseLimit(line.slice(end + 2))
    if (end < 0 || printed === null) return []
    const rule = line.slice(0, end)
    const domain = longestFirst.find((name) => rule.startsWith(`${name}.`)) ?? rule.slice(0, rule.indexOf('.'))
    return [{ domain, rule, ...printed }]
  })
}

/** The domains of limits, each once. */
export function listDomains(lines: readonly LimitLine[]): readonly string[] {
  return [...new Set(lines.map(({ domain }) => domain))]
}

/** The end of a part of a rule's path that cannot be of a key: `_10` of `remote_address_10`, `/8` of `0/8`. */
const valueEnd = /(?<=[a-z])_[^a-z].*$|\/.*$/

/** Keys that entries of a domain can have, for completion: a guess, because a path does not mark where keys end. */
export function listKeys(lines: readonly LimitLine[], domain: string): readonly string[] {
  const parts = lines
    .filter((line) => line.domain === domain)
    .flatMap(({ rule }) => rule.slice(domain.length + 1).split('.'))
  return [...new Set(parts.map((part) => part.replace(valueEnd, '')))].filter(Boolean).sort()
}

/** As long as usage is kept. */
const longest = { seconds: 31 * 86_400 }

/**
 * Reads the limits of the rule that made a key, which keys that were used or refused lately have; none where it was not
 * among those of the last 31 days.
 */
export async function readLimitsOfKey(key: string, signal: AbortSignal): Promise<readonly LimitLine[]> {
  const [{ used, refused }, text] = await Promise.all([
    readTop(longest, null, signal, { isAside: true }),
    ask<string>('ratelimit', '/ratelimit/rlconfig', { signal, isAside: true, as: 'text' }),
  ])
  const rule = [...used, ...refused].find((one) => one.key === key)?.label.rule
  return rule === undefined ? [] : parseLimits(text, []).filter((line) => line.rule === rule)
}

/** The hits that a counter has room for; null where its limit is not known. */
export function limitOf(
  { unit, algorithm = '' }: Pick<CounterReading, 'unit' | 'algorithm'>,
  limits: readonly LimitLine[],
): number | null {
  const line = limits.find((one) => one.algorithm === algorithm && (algorithm !== '' || one.unit === unit))
  return line?.limit ?? null
}
