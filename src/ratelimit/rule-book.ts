/** Compiled rules: the tree of each domain, and the step from one of its nodes to the next. */

import type { JsonObject } from '../base/json.ts'
import type { LimitStatNames } from './statistics/names.ts'
import type { Entry, RateLimit } from './types.ts'
import type { WildcardMatcher } from './wildcard.ts'

/** What a rule may say of its limit besides the numbers. */
export interface LimitOptions {
  /** Target of `replaces`; empty when unnamed. */
  readonly name: string
  /** Names of the limits that vanish from a request in which this one matches. */
  readonly replaces: readonly string[]
  readonly isShadow: boolean
  readonly isQuota: boolean
  readonly hasDetailedMetric: boolean
  readonly metadata: JsonObject | null
}

/** The options of a rule that writes none of them, and of a limit that a request brings. */
export const defaultOptions: LimitOptions = {
  name: '',
  replaces: [],
  isShadow: false,
  isQuota: false,
  hasDetailedMetric: false,
  metadata: null,
}

/** A limit that a rule or a request sets, with everything that a decision needs prepared. */
export interface Limit extends LimitOptions {
  /** Null when the limit is "unlimited": nothing is counted. */
  readonly rateLimit: RateLimit | null
  /** As configured; for unlimited limits too, where it means nothing. */
  readonly requestsPerUnit: number
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

/** How one entry of a descriptor found its rule. */
export type StepKind = 'exact' | 'wildcard' | 'bare'

/** One level of a walk: the rule taken, and by which of the three ways. */
export interface Step {
  readonly rule: Rule
  readonly kind: StepKind
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
export function patternBehind(rule: Rule, key: string): string {
  const { composite } = rule
  const isBehindKey = composite.startsWith(key) && composite[key.length] === '_'
  return isBehindKey ? composite.slice(key.length + 1) : composite
}

/** The first wildcard, as declared, that matches `key_value` of an entry. */
export function findWildcard(wildcards: readonly Rule[], composite: string): Rule | undefined {
  for (const rule of wildcards) if (rule.matches?.(composite)) return rule
  return undefined
}
