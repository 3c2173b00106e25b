/** Rules for values by list, by network and by expression, and the way to find the one that a value fits. */

import { groupBy } from '../../base/group-by.ts'
import type { Rule } from '../rule-book.ts'
import { charge, type Work } from '../work.ts'
import { type Expression, fitsExpression } from './expression.ts'
import { createNetworkTable, type Network, type NetworkTable, parseAddress } from './network.ts'

/** A pattern in the place of a rule's value. */
export type Pattern = (
  | { readonly kind: 'list'; readonly values: readonly string[] }
  | { readonly kind: 'network'; readonly networks: readonly Network[] }
  | { readonly kind: 'expression'; readonly expression: Expression }
) & {
  /** As written; names and keys have it instead of the value where the pattern has no name. */
  readonly text: string
}

/** The rules of one level that have patterns, by their key. */
export type PatternRules = ReadonlyMap<string, PatternsOfKey>

interface PatternsOfKey {
  /** The rule of each value that a list has. */
  readonly listed: ReadonlyMap<string, Rule>
  /** Null where none of the rules has networks. */
  readonly networks: NetworkTable<Rule> | null
  /** In the order of declaration. */
  readonly expressions: readonly { readonly rule: Rule; readonly expression: Expression }[]
}

/** Prepares the rules of one level; null where none has a pattern. */
export function indexPatterns(rules: Iterable<Rule>): PatternRules | null {
  const byKey = groupBy(
    [...rules].filter(({ pattern }) => pattern !== null),
    ({ key }) => key,
  )
  if (byKey.size === 0) return null
  return new Map([...byKey].map(([key, ofKey]) => [key, indexKey(ofKey)]))
}

function indexKey(rules: readonly Rule[]): PatternsOfKey {
  const listed = rules.flatMap((rule) =>
    rule.pattern?.kind === 'list' ? rule.pattern.values.map((value) => [value, rule] as const) : [],
  )
  const networks = rules.flatMap((rule) =>
    rule.pattern?.kind === 'network' ? rule.pattern.networks.map((network) => [network, rule] as const) : [],
  )
  const expressions = rules.flatMap((rule) =>
    rule.pattern?.kind === 'expression' ? [{ rule, expression: rule.pattern.expression }] : [],
  )
  return { listed: new Map(listed), networks: networks.length === 0 ? null : createNetworkTable(networks), expressions }
}

/** Units of a look-up among networks: an address is read, and masked for each length of prefix. */
const networkUnits = 200

/**
 * Finds the rule of a value: of the list that has it, then of the longest network that holds the address in it, then of
 * the first expression that it fits.
 *
 * Cost: one look-up for all lists and one for all networks; one comparison for each expression of the key, of which
 * those fail at once whose literal beginning differs.
 *
 * @throws RatelimitError request_too_large when it costs more than is left of the budget.
 */
export function findPattern(patterns: PatternRules, key: string, value: string, work: Work): Rule | undefined {
  const ofKey = patterns.get(key)
  if (ofKey === undefined) return undefined
  return (
    ofKey.listed.get(value) ??
    findNetwork(ofKey, value, work) ??
    ofKey.expressions.find(({ expression }) => fitsExpression(expression, value, work))?.rule
  )
}

function findNetwork({ networks }: PatternsOfKey, value: string, work: Work): Rule | undefined {
  if (networks === null) return undefined
  charge(work, networkUnits)
  const address = parseAddress(value)
  return address === null ? undefined : networks.list(address)[0]
}
