/** A rule book as text: one line for every rule that has a limit. */

import { algorithmText } from '../algorithm/algorithm-key.ts'
import type { Domain, Limit, Rule, RuleBook } from '../rule-book.ts'

/**
 * Prints every limit in the reference's format:
 * `<full key>: unit=MINUTE requests_per_unit=3, shadow_mode: false, quota_mode: false`.
 *
 * @returns lines in the order of declaration, each with its line break; empty for a rule book without limits.
 */
export function dumpRules(rules: RuleBook): string {
  return listLimits(rules)
    .map((limit) => `${limit.statKey}: ${limitText(limit)}\n`)
    .join('')
}

/** Every limit of a rule book, parents before their children. */
export function listLimits(rules: RuleBook): readonly Limit[] {
  return [...rules.domains.values()].flatMap(limitsBelow)
}

/** The part of a line after the key. */
export function limitText(limit: Limit): string {
  const unit = limit.rateLimit?.unit ?? 'UNKNOWN'
  const text = `unit=${unit} requests_per_unit=${limit.requestsPerUnit}, shadow_mode: ${limit.isShadow}, quota_mode: ${limit.isQuota}`
  const algorithm = limit.rateLimit?.algorithm
  return algorithm === undefined ? text : `${text}, sluice: ${algorithmText(algorithm)}`
}

function limitsBelow(node: Domain | Rule): Limit[] {
  return [...node.children.values()].flatMap((rule) => [
    ...(rule.limit === null ? [] : [rule.limit, ...(rule.limit.further ?? [])]),
    ...limitsBelow(rule),
  ])
}
