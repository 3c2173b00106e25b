/** Matching of the descriptors of a request: the limit of each, and the key that it is counted under. */

import { counterKey } from './counter-key.ts'
import { RatelimitError } from './errors.ts'
import type { Listing } from './lists/lists.ts'
import {
  compositeOf,
  type Domain,
  defaultOptions,
  findRule,
  type Limit,
  matchStep,
  patternBehind,
  type Rule,
  type RuleBook,
  type Step,
} from './rule-book.ts'
import { limitStatNames } from './statistics/names.ts'
import { withDetailedStats, withRuntimeStats } from './statistics/runtime-names.ts'
import type { Descriptor, Entry, RateLimitRequest } from './types.ts'
import type { Work } from './work.ts'

/** A descriptor with the limit that applies to it. */
export interface Match {
  readonly descriptor: Descriptor
  /** Null when nothing limits the descriptor, or another limit of the request replaces its own. */
  readonly limit: Limit | null
  /** Key of the counter, without its window; empty when nothing is counted. */
  readonly key: string
  /** True when the descriptor's limit vanished because another limit of the request replaces it. */
  readonly isReplaced: boolean
  /** The listing that decides instead of a limit. */
  readonly listing?: Listing
  /** True for a settlement of a value that an allow list lets pass: there may be no reservation, as nothing was counted. */
  readonly isUnreserved?: boolean
}

/**
 * Finds the limit of every descriptor, with replacements applied.
 *
 * Cost: one map lookup per entry, plus the wildcards of each level passed, which are charged; the number of other
 * rules does not matter.
 *
 * @throws RatelimitError request_too_large when the wildcards cost more than is left of the budget.
 * @throws RatelimitError invalid_override when a descriptor of a known domain carries a limit whose unit does not
 *   exist, where the reference crashes.
 */
export function matchAll(book: RuleBook, request: RateLimitRequest, keyPrefix: string, work: Work): readonly Match[] {
  const domain = book.domains.get(request.domain)
  if (domain === undefined) return request.descriptors.map(unmatched)
  const matches = request.descriptors.map((descriptor) => matchDescriptor(domain, descriptor, keyPrefix, work))
  return applyReplacements(matches)
}

/**
 * Finds the limit of one descriptor, with no regard to the others of its request.
 *
 * @throws RatelimitError request_too_large when the wildcards cost more than is left of the budget.
 * @throws RatelimitError invalid_override when the descriptor carries a limit whose unit does not exist.
 */
export function matchDescriptor(domain: Domain, descriptor: Descriptor, keyPrefix: string, work: Work): Match {
  if (descriptor.limit !== undefined) return matchOverride(domain, descriptor, keyPrefix)
  const { entries } = descriptor
  let shared: (string | null)[] | null = null
  let isRenamed = false
  let node: Domain | Rule = domain
  let limit: Limit | null = null
  for (let depth = 0; depth < entries.length; depth++) {
    const entry = entries[depth]
    if (entry === undefined) break
    const composite = compositeOf(entry)
    const rule: Rule | undefined = findRule(node, entry.key, composite, work)
    if (rule === undefined) return unmatched(descriptor)
    // The way in which a rule was found matters for names and shared counters only, so most entries do not ask for it.
    if (rule.wildcard !== null || rule.pattern !== null || rule.valueToMetric || entry.value === '') {
      const kind = matchStep(rule, entry.key, composite, work)
      if (rule.sharesThreshold && kind !== 'exact' && kind !== 'bare') {
        shared ??= entries.map(() => null)
        shared[depth] = patternBehind(rule, entry.key) || null
      }
      isRenamed ||= renamesLevel(rule, kind, entry)
    }
    if (depth === entries.length - 1) limit = rule.limit
    else if (rule.children.size === 0) return unmatched(descriptor)
    node = rule
  }
  if (limit === null) return unmatched(descriptor)
  if (limit.rateLimit === null) return { descriptor, limit, key: '', isReplaced: false }
  if (limit.hasDetailedMetric) limit = withDetailedStats(limit, { domain, entries, shared }, node)
  else if (isRenamed) limit = withRuntimeStats(limit, { domain, entries, shared }, work)
  return { descriptor, limit, key: counterKey(keyPrefix, domain.name, entries, shared), isReplaced: false }
}

/** Tells whether a level of the statistics is written otherwise than its rule, which was found in this way. */
function renamesLevel(rule: Rule, kind: Step['kind'], { key, value }: Entry): boolean {
  if (kind === 'exact') return value === ''
  if (kind === 'bare') return rule.valueToMetric && value !== ''
  const pattern = patternBehind(rule, key)
  return (rule.valueToMetric && !rule.sharesThreshold) || pattern === '' || pattern === rule.composite
}

function unmatched(descriptor: Descriptor): Match {
  return { descriptor, limit: null, key: '', isReplaced: false }
}

/** A limit that travels in the request ignores the tree, but counts under the same key as the tree's would. */
function matchOverride(domain: Domain, descriptor: Descriptor, keyPrefix: string): Match {
  const { requestsPerUnit, unit } = descriptor.limit ?? { requestsPerUnit: 0, unit: null }
  if (unit === null) {
    throw new RatelimitError(
      'invalid_override',
      "Cannot decide: a descriptor's limit names no unit that exists, expected SECOND, MINUTE, HOUR, DAY, MONTH, YEAR or WEEK",
    )
  }
  const statKey = `${domain.name}.${overridePath(descriptor.entries)}`
  const limit: Limit = {
    ...defaultOptions,
    rateLimit: { requestsPerUnit, unit },
    requestsPerUnit,
    statKey,
    stats: limitStatNames(statKey),
  }
  return { descriptor, limit, key: counterKey(keyPrefix, domain.name, descriptor.entries), isReplaced: false }
}

/** The entries as the reference joins them for a limit that travels: no dot before the first level that has a name. */
function overridePath(entries: readonly Entry[]): string {
  let path = ''
  for (const { key, value } of entries) {
    path += `${path === '' ? '' : '.'}${value === '' ? key : `${key}_${value}`}`
  }
  return path
}

/** Drops every limit whose name another limit of the request replaces, in any order. */
function applyReplacements(matches: readonly Match[]): readonly Match[] {
  let replaced: Set<string> | null = null
  for (const { limit } of matches) {
    if (limit === null || limit.replaces.length === 0) continue
    replaced ??= new Set()
    for (const name of limit.replaces) replaced.add(name)
  }
  const names = replaced
  if (names === null) return matches
  return matches.map((match) =>
    match.limit?.rateLimit != null && match.limit.name !== '' && names.has(match.limit.name)
      ? { ...match, limit: null, key: '', isReplaced: true }
      : match,
  )
}
