/** Compiled rules: the tree of each domain, and the step from one of its nodes to the next. */

import type { JsonObject } from '../base/json.ts'
import type { Lists } from './lists/lists.ts'
import { findPattern, type Pattern, type PatternRules } from './pattern/pattern.ts'
import type { LimitStatNames } from './statistics/names.ts'
import type { Entry, RateLimit } from './types.ts'
import { fits, type Wildcard } from './wildcard.ts'
import { findInIndex, type WildcardIndex } from './wildcard-index.ts'
import { charge, type Work } from './work.ts'

/** Options of a limit besides its numbers. */
interface LimitOptions {
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
  /** Further limits of the same descriptor, each with its counter and statistics; absent for none. */
  readonly further?: readonly Limit[]
}

/** The rules below a node of a domain's tree. */
export interface Branch {
  /** By composite, wildcards included. */
  readonly children: ReadonlyMap<string, Rule>
  /** The children that hold a `*`, in the order of declaration. */
  readonly wildcards: readonly Rule[]
  /** Of the wildcards; null while they are few. */
  readonly index: WildcardIndex | null
  /** The children that have a pattern; null where none has. */
  readonly patterns: PatternRules | null
}

/** One configured descriptor: a node of a domain's tree. */
export interface Rule extends Branch {
  readonly key: string
  /** Empty when the rule matches any value. */
  readonly value: string
  /** `key` or `key_value`: what a request's entry is compared with. */
  readonly composite: string
  readonly limit: Limit | null
  readonly sharesThreshold: boolean
  readonly valueToMetric: boolean
  /** Null unless `composite` holds a `*`. */
  readonly wildcard: Wildcard | null
  /** Null unless a pattern takes the place of the value; `composite` has its name or its text then. */
  readonly pattern: Pattern | null
}

/** A domain: the root of its tree, and the file that it came from first. */
export interface Domain extends Branch {
  readonly name: string
  readonly file: string
  /** True where a limit takes reservations: then the last entry of a descriptor may name one. */
  readonly reserves?: boolean
}

/** Every domain by name. */
export interface RuleBook {
  readonly domains: ReadonlyMap<string, Domain>
  /** Values that are decided without a rule; absent while there is none. */
  readonly lists?: Lists
}

/** Kind of match by which an entry of a descriptor found its rule. */
type StepKind = 'exact' | 'wildcard' | Pattern['kind'] | 'bare'

/** One level of a walk: the rule taken, and by which of the ways. */
export interface Step {
  readonly rule: Rule
  readonly kind: StepKind
}

/** The text that a rule's composite is compared with. */
export function compositeOf({ key, value }: Entry): string {
  return `${key}_${value}`
}

/**
 * Finds the rule of one entry at one level: exact, then wildcards as declared, then lists, networks and
 * expressions, then the key without a value.
 *
 * @param composite - the entry as `compositeOf` joins it.
 * @throws RatelimitError request_too_large when the wildcards cost more than is left of the budget.
 */
export function findRule(node: Branch, key: string, composite: string, work: Work): Rule | undefined {
  const exact = node.children.get(composite)
  // The text of a pattern is not a value of its rule.
  if (exact !== undefined && exact.pattern === null) return exact
  const wildcard = node.wildcards.length === 0 ? undefined : findWildcard(node, composite, work)
  if (wildcard !== undefined) return wildcard
  const { patterns } = node
  const found = patterns === null ? undefined : findPattern(patterns, key, composite.slice(key.length + 1), work)
  if (found !== undefined) return found
  const bare = node.children.get(key)
  return bare?.pattern === null ? bare : undefined
}

/**
 * Tells in which of the ways `findRule` came to a rule.
 *
 * @throws RatelimitError as `findRule` does.
 */
export function matchStep(rule: Rule, key: string, composite: string, work: Work): StepKind {
  if (rule.pattern !== null) return rule.pattern.kind
  if (rule.composite === composite) return 'exact'
  if (rule.wildcard === null) return 'bare'
  // A key may itself be a pattern, which need not fit itself with a value behind it.
  return rule.composite !== key || fits(rule.wildcard, composite, work) ? 'wildcard' : 'bare'
}

/**
 * Takes one level of a walk.
 *
 * @returns null when no rule matches.
 * @throws RatelimitError as `findRule` does.
 */
export function step(node: Branch, entry: Entry, work: Work): Step | null {
  const composite = compositeOf(entry)
  const rule = findRule(node, entry.key, composite, work)
  return rule === undefined ? null : { rule, kind: matchStep(rule, entry.key, composite, work) }
}

/** The value of a wildcard or pattern, as the reference finds it: without the request's `key_` in front. */
export function patternBehind(rule: Rule, key: string): string {
  const { composite } = rule
  const isBehindKey = composite.startsWith(key) && composite[key.length] === '_'
  return isBehindKey ? composite.slice(key.length + 1) : composite
}

/** The first wildcard, as declared, that matches the composite of an entry. */
function findWildcard({ wildcards, index }: Branch, composite: string, work: Work): Rule | undefined {
  if (index !== null) return findInIndex(index, composite, work)
  charge(work, wildcards.length)
  for (const rule of wildcards) {
    if (rule.wildcard !== null && fits(rule.wildcard, composite, work)) return rule
  }
  return undefined
}
