/** Names of statistics that take values of the request: `detailed_metric`, `value_to_metric` and wildcards. */

import { type Domain, type Limit, patternBehind, type Rule, type Step, step } from '../rule-book.ts'
import type { Entry } from '../types.ts'
import type { Work } from '../work.ts'
import { limitStatNames } from './names.ts'

/** By position, the pattern that replaces a runtime value; null as a whole when no shared wildcard was met. */
export type SharedPatterns = readonly (string | null)[] | null

interface Walk {
  readonly domain: Domain
  readonly entries: readonly Entry[]
  readonly shared: SharedPatterns
}

/** Renames the statistics of a `detailed_metric` limit after all values of the request, shared patterns aside. */
export function withDetailedStats(limit: Limit, { domain, entries, shared }: Walk, last: Domain | Rule): Limit {
  const levels = entries.map(({ key, value }, at) =>
    // Without any shared pattern the reference leaves the underscore before an empty value.
    shared === null ? `${key}_${value}` : joinKey(key, shared[at] ?? value),
  )
  const statKey = [domain.name, ...levels].join('.')
  // The reference loses the metadata of such a limit where no rule is below it, and keeps it elsewhere.
  const metadata = last.children.size === 0 ? null : limit.metadata
  return withStatKey({ ...limit, metadata }, statKey)
}

/**
 * Renames a limit's statistics where a level is written otherwise than its rule. Walks the tree again.
 *
 * @throws RatelimitError as `findRule` does.
 */
export function withRuntimeStats(limit: Limit, walk: Walk, work: Work): Limit {
  const statKey = runtimeStatKey(walk, work)
  // The reference loses the metadata of a limit whose statistics it renames.
  return statKey === limit.statKey ? limit : withStatKey({ ...limit, metadata: null }, statKey)
}

function withStatKey(limit: Limit, statKey: string): Limit {
  const named = { ...limit, statKey, stats: limitStatNames(statKey) }
  return limit.further === undefined
    ? named
    : { ...named, further: limit.further.map((one) => nameBelow(one, statKey)) }
}

/** Names the statistics of a further limit: below those of its descriptor, by its own name. */
export function nameBelow<T extends Pick<Limit, 'name'>>(limit: T, statKey: string) {
  const own = `${statKey}.${limit.name}`
  return { ...limit, statKey: own, stats: limitStatNames(own) }
}

function runtimeStatKey({ domain, entries, shared }: Walk, work: Work): string {
  let statKey = domain.name
  let node: Domain | Rule = domain
  for (const [at, entry] of entries.entries()) {
    const taken = step(node, entry, work)
    if (taken === null) break
    statKey += `.${joinKey(entry.key, valueInName(taken, entry, shared?.[at] ?? null))}`
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

function joinKey(key: string, value: string): string {
  return value === '' ? key : `${key}_${value}`
}
