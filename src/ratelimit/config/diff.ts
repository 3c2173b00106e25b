/** Changes between two rule books, rule by rule. */

import type { Sliced } from '#base/slices.ts'
import type { RuleChange } from '../contract/configuration.ts'
import type { Pattern } from '../pattern/pattern.ts'
import type { Domain, Rule, RuleBook } from '../rule-book.ts'
import { cutText, usageBounds } from '../usage/bounds.ts'
import { limitText } from './dump.ts'
import { counterText } from './further-limits.ts'

interface Described {
  readonly text: string
  /** Equal for two rules whose counters are the same; null for rules that count nothing. */
  readonly counter: string | null
}

/** Compares two rule books, a domain in each slice; changes in the order of keys. A new unit begins a counter anew. */
export function* diffRules(before: RuleBook, after: RuleBook): Sliced<readonly RuleChange[]> {
  const changes: RuleChange[] = []
  for (const name of new Set([...before.domains.keys(), ...after.domains.keys()])) {
    const old = describeDomain(before.domains.get(name))
    const next = describeDomain(after.domains.get(name))
    const keys = [...new Set([...old.keys(), ...next.keys()])].sort()
    for (const key of keys) changes.push(...compare(key, old.get(key), next.get(key)))
    if (keys.length > sliceKeys) yield
  }
  return changes.sort((one, other) => (one.key < other.key ? -1 : 1))
}

/** Keys of a domain beyond which others have the thread before the next. */
const sliceKeys = 500

function compare(key: string, before: Described | undefined, after: Described | undefined): RuleChange[] {
  if (before?.text === after?.text) return []
  return [
    {
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      key,
      before: before?.text ?? null,
      after: after?.text ?? null,
      losesCounters: before != null && before.counter !== null && before.counter !== after?.counter,
    },
  ]
}

function describeDomain(domain: Domain | undefined): ReadonlyMap<string, Described> {
  const described = new Map<string, Described>()
  if (domain === undefined) return described
  described.set(domain.name, { text: 'domain', counter: null })
  describeChildren(domain, domain.name, described)
  return described
}

function describeChildren(node: Domain | Rule, path: string, described: Map<string, Described>): void {
  let order = 0
  for (const rule of node.children.values()) {
    const key = `${path}.${rule.composite}`
    // Only the order of wildcards and patterns matters: the first that matches is taken.
    if (rule.wildcard !== null || rule.pattern !== null) order += 1
    described.set(key, { text: describe(rule, order), counter: describeCounter(rule) })
    describeChildren(rule, key, described)
  }
}

function describe(rule: Rule, order: number): string {
  const { limit } = rule
  const words = [
    limit === null ? 'no limit' : limitText(limit),
    ...(limit !== null && limit.rateLimit === null ? ['unlimited'] : []),
    ...(limit !== null && limit.name !== '' ? [`name: ${limit.name}`] : []),
    ...(limit?.further ?? []).map((one) => `and ${one.name}: ${limitText(one)}`),
    ...(limit !== null && limit.replaces.length > 0 ? [`replaces: ${limit.replaces.join(' ')}`] : []),
    ...(limit?.hasDetailedMetric === true ? ['detailed_metric: true'] : []),
    ...(limit?.metadata != null ? [`metadata: ${JSON.stringify(limit.metadata)}`] : []),
    ...(rule.valueToMetric ? ['value_to_metric: true'] : []),
    ...(rule.sharesThreshold ? ['share_threshold: true'] : []),
    ...(rule.wildcard !== null ? [`wildcard ${order}`] : []),
    ...(rule.pattern !== null ? [patternText(rule, rule.pattern, order)] : []),
  ]
  return words.join(', ')
}

/** A pattern; of one with a name, which is in the key, the text too. */
function patternText({ value }: Rule, { kind, text }: Pattern, order: number): string {
  return value === text ? `${kind} ${order}` : `${kind} ${order}: ${cutText(text, usageBounds.ruleText)}`
}

function describeCounter({ limit, sharesThreshold }: Rule): string | null {
  if (limit?.rateLimit == null) return null
  const rateLimits = [limit, ...(limit.further ?? [])].flatMap(({ rateLimit }) => rateLimit ?? [])
  return `${rateLimits.map(counterText).join(', ')} ${sharesThreshold}`
}
