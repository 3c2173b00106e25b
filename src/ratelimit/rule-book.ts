/** Compiled rules, and which of them each descriptor of a request meets. */

import type { JsonObject } from '../base/json.ts'
import { counterKey } from './counter-key.ts'
import { RatelimitError } from './errors.ts'
import { type LimitStatNames, limitStatNames } from './statistics/names.ts'
import type { Descriptor, Entry, RateLimit, RateLimitRequest } from './types.ts'
import type { WildcardMatcher } from './wildcard.ts'

/** A limit that a rule or a request sets, with everything that a decision needs prepared. */
export interface Limit {
  /** Null when the limit is "unlimited": nothing is counted. */
  readonly rateLimit: RateLimit | null
  /** As configured; for unlimited limits too, where it means nothing. */
  readonly requestsPerUnit: number
  /** Target of `replaces`; empty when unnamed. */
  readonly name: string
  /** Names of the limits that vanish from a request in which this one matches. */
  readonly replaces: readonly string[]
  readonly isShadow: boolean
  readonly isQuota: boolean
  readonly hasDetailedMetric: boolean
  readonly metadata: JsonObject | null
  /** Path below `ratelimit.service.rate_limit.`, unsanitised. */
  readonly statKey: string
  readonly stats: LimitStatNames
}

/** One configured descriptor: a node of a domain's tree. */
export interface Rule {
  readonly key: string
  /** Empty when the rule matches any value. */
  readonly value: string
  /** `key` or `key_value`: what a request's entry is compared with. */
  readonly composite: string
  readonly limit: Limit | null
  readonly sharesThreshold: boolean
  readonly valueToMetric: boolean
  /** Null unless `composite` holds a `*`. */
  readonly matches: WildcardMatcher | null
  /** By composite, wildcards included. */
  readonly children: ReadonlyMap<string, Rule>
  /** The children that hold a `*`, in the order of declaration. */
  readonly wildcards: readonly Rule[]
}

/** A domain: the root of its tree, and the file that it came from first. */
export interface Domain {
  readonly name: string
  readonly file: string
  readonly children: ReadonlyMap<string, Rule>
  readonly wildcards: readonly Rule[]
}

/** Every domain by name. */
export interface RuleBook {
  readonly domains: ReadonlyMap<string, Domain>
}

/** A descriptor with the limit that applies to it. */
export interface Match {
  readonly descriptor: Descriptor
  /** Null when nothing limits the descriptor, or another limit of the request replaces its own. */
  readonly limit: Limit | null
  /** Key of the counter, without its window; empty when nothing is counted. */
  readonly key: string
  /** True when the descriptor's limit vanished because another limit of the request replaces it. */
  readonly isReplaced: boolean
}

/** How one entry of a descriptor found its rule. */
export type StepKind = 'exact' | 'wildcard' | 'bare'

/** One level of a walk: the rule taken, and by which of the three ways. */
export interface Step {
  readonly rule: Rule
  readonly kind: StepKind
}

/**
 * Finds the limit of every descriptor, with replacements applied.
 *
 * Cost: one map lookup per entry, plus a look at the wildcards of each level passed; the number of rules does
 * not matter.
 *
 * @throws RatelimitError with code `invalid_override` when a descriptor of a known domain carries a limit whose
 * unit does not exist. The reference crashes there.
 */
export function matchAll(book: RuleBook, request: RateLimitRequest, keyPrefix: string): readonly Match[] {
  const domain = book.domains.get(request.domain)
  if (domain === undefined) return request.descriptors.map(unmatched)
  const matches = request.descriptors.map((descriptor) => matchDescriptor(domain, descriptor, keyPrefix))
  return applyReplacements(matches)
}

/** Finds the limit of one descriptor, with no regard to the others of its request. */
export function matchDescriptor(domain: Domain, descriptor: Descriptor, keyPrefix: string): Match {
  if (descriptor.limit !== undefined) return matchOverride(domain, descriptor, keyPrefix)
  const { entries } = descriptor
  let node: Domain | Rule = domain
  let limit: Limit | null = null
  let shared: (string | null)[] | null = null
  let isRenamed = false
  for (let depth = 0; depth < entries.length; depth++) {
    const entry = entries[depth]
    if (entry === undefined) break
    const composite = `${entry.key}_${entry.value}`
    let rule: Rule | undefined = node.children.get(composite)
    if (rule !== undefined) {
      if (entry.value === '') isRenamed = true
    } else {
      rule = findWildcard(node.wildcards, composite)
      if (rule === undefined) {
        rule = node.children.get(entry.key)
        if (rule?.valueToMetric === true && entry.value !== '') isRenamed = true
      } else {
        const pattern = patternBehind(rule, entry.key)
        if (rule.sharesThreshold) {
          shared ??= entries.map(() => null)
          shared[depth] = pattern === '' ? null : pattern
        } else if (rule.valueToMetric) isRenamed = true
        if (pattern === '' || pattern === rule.composite) isRenamed = true
      }
    }
    if (rule === undefined) return unmatched(descriptor)
    if (depth === entries.length - 1) limit = rule.limit
    else if (rule.children.size === 0) return unmatched(descriptor)
    node = rule
  }
  if (limit === null) return unmatched(descriptor)
  if (limit.rateLimit === null) return { descriptor, limit, key: '', isReplaced: false }
  if (limit.hasDetailedMetric) limit = withDetailedStats(limit, domain, node, entries, shared)
  else if (isRenamed) limit = withRuntimeStats(limit, domain, entries, shared)
  return { descriptor, limit, key: counterKey(keyPrefix, domain.name, entries, shared), isReplaced: false }
}

/** Finds the rule of one entry at one level: exact, then wildcards as declared, then the key without a value. */
export function step(node: Domain | Rule, entry: Entry): Step | null {
  const composite = `${entry.key}_${entry.value}`
  const exact = node.children.get(composite)
  if (exact !== undefined) return { rule: exact, kind: 'exact' }
  const wildcard = findWildcard(node.wildcards, composite)
  if (wildcard !== undefined) return { rule: wildcard, kind: 'wildcard' }
  const bare = node.children.get(entry.key)
  return bare === undefined ? null : { rule: bare, kind: 'bare' }
}

/**
 * The value part of a wildcard as the reference finds it: the pattern without `key_` in front, where `key` is the
 * request's; the whole pattern when it begins otherwise, because the key holds the `*` or takes its place.
 */
function patternBehind(rule: Rule, key: string): string {
  const { composite } = rule
  const isBehindKey = composite.startsWith(key) && composite[key.length] === '_'
  return isBehindKey ? composite.slice(key.length + 1) : composite
}

function findWildcard(wildcards: readonly Rule[], composite: string): Rule | undefined {
  for (const rule of wildcards) if (rule.matches?.(composite)) return rule
  return undefined
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
  const path = descriptor.entries.map((entry) =>
    entry.value === '' ? entry.key : `${entry.key}_${entry.value}`,
  )
  const statKey = `${domain.name}.${path.join('.')}`
  const limit: Limit = {
    rateLimit: { requestsPerUnit, unit },
    requestsPerUnit,
    name: '',
    replaces: [],
    isShadow: false,
    isQuota: false,
    hasDetailedMetric: false,
    metadata: null,
    statKey,
    stats: limitStatNames(statKey),
  }
  return {
    descriptor,
    limit,
    key: counterKey(keyPrefix, domain.name, descriptor.entries),
    isReplaced: false,
  }
}

/** By position, the pattern that replaces a runtime value; null as a whole when no shared wildcard was met. */
type SharedPatterns = readonly (string | null)[] | null

/** Renames the statistics of a `detailed_metric` limit after all values of the request, shared patterns aside. */
function withDetailedStats(
  limit: Limit,
  domain: Domain,
  node: Domain | Rule,
  entries: readonly Entry[],
  shared: SharedPatterns,
): Limit {
  const levels = entries.map(({ key, value }, at) =>
    // Without any shared pattern the reference leaves the underscore before an empty value.
    shared === null ? `${key}_${value}` : nameOf(key, shared[at] ?? value),
  )
  const statKey = [domain.name, ...levels].join('.')
  // The reference loses the metadata of such a limit where no rule is below it, and keeps it elsewhere.
  const metadata = node.children.size === 0 ? null : limit.metadata
  return { ...limit, metadata, statKey, stats: limitStatNames(statKey) }
}

/** Renames a limit's statistics where a level is written otherwise than its rule. */
function withRuntimeStats(
  limit: Limit,
  domain: Domain,
  entries: readonly Entry[],
  shared: SharedPatterns,
): Limit {
  const statKey = runtimeStatKey(domain, entries, shared)
  // The reference loses the metadata of a limit whose statistics it renames.
  return statKey === limit.statKey
    ? limit
    : { ...limit, metadata: null, statKey, stats: limitStatNames(statKey) }
}

function runtimeStatKey(domain: Domain, entries: readonly Entry[], shared: SharedPatterns): string {
  let statKey = domain.name
  let node: Domain | Rule = domain
  for (const [at, entry] of entries.entries()) {
    const taken = step(node, entry)
    if (taken === null) break
    statKey += `.${nameOf(entry.key, valueInName(taken, entry, shared?.[at] ?? null))}`
    node = taken.rule
  }
  return statKey
}

/** The value that a level's name in the statistics ends with; empty for none. */
function valueInName({ rule, kind }: Step, entry: Entry, shared: string | null): string {
  if (kind === 'exact') return entry.value
  if (kind === 'bare') return rule.valueToMetric ? entry.value : ''
  return shared ?? (rule.valueToMetric ? entry.value : patternBehind(rule, entry.key))
}

function nameOf(key: string, value: string): string {
  return value === '' ? key : `${key}_${value}`
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
