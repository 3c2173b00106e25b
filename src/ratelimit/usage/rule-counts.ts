/** Decisions counted by second, domain and rule: a bounded number of counts, for any names that callers send. */

import type { Limit } from '../rule-book.ts'
import { cutText, otherRules, usageBounds } from './bounds.ts'
import type { Tally, UsageCount } from './types.ts'

/** A count that is being added to. */
type RunningCount = { -readonly [name in keyof UsageCount]: UsageCount[name] }

/** The counts since the last report, and those of the latest second. */
interface RuleCounts {
  readonly counts: RunningCount[]
  latest: ReturnType<typeof emptySecond>
}

/** Starts with nothing. */
export function noCounts(): RuleCounts {
  return { counts: [], latest: emptySecond(0) }
}

/** Begins the counts of a second (Unix time), unless they have begun. */
export function turnSecond(counts: RuleCounts, second: number): void {
  if (counts.latest.second !== second) counts.latest = emptySecond(second)
}

/** Finds or begins the count of a rule in the latest second; the domain is empty where no rule has it. */
export function findRuleCount(counts: RuleCounts, limit: Limit, domain: string): RunningCount {
  const { byLimit, second } = counts.latest
  const known = byLimit.get(limit)
  if (known !== undefined) return known
  // A rule whose statistics are named after values has another `Limit` for each request.
  const entry = findOrAdd(counts, { second, domain, rule: cutText(limit.statKey, usageBounds.ruleText) })
  if (byLimit.size < usageBounds.counts) byLimit.set(limit, entry)
  return entry
}

/** Finds or begins the count of whole requests in the latest second; the domain as for a rule. */
export function findRequestCount(counts: RuleCounts, domain: string): RunningCount {
  const { byDomain, second } = counts.latest
  const known = byDomain.get(domain)
  if (known !== undefined) return known
  const entry = findOrAdd(counts, { second, domain, rule: '' })
  byDomain.set(domain, entry)
  return entry
}

/** Counts are found by the identity of a limit or the name of a domain: no text is made to find one. */
function emptySecond(second: number) {
  return { second, byLimit: new Map<Limit, RunningCount>(), byDomain: new Map<string, RunningCount>() }
}

/** Finds or adds a count; where there are too many it is that of those that are counted together. */
function findOrAdd({ counts }: RuleCounts, asked: Omit<UsageCount, keyof Tally>): RunningCount {
  const { second, rule } = asked
  const found = findCount(counts, asked)
  if (found !== undefined) return found
  const isRoom = counts.length < usageBounds.counts
  const kept = isRoom ? asked : { second, domain: '', rule: rule === '' ? '' : otherRules }
  const same = isRoom ? undefined : findCount(counts, kept)
  if (same !== undefined) return same
  const entry = { ...kept, admitted: 0, refused: 0, shadow: 0 }
  counts.push(entry)
  return entry
}

function findCount(counts: readonly RunningCount[], { second, domain, rule }: Omit<UsageCount, keyof Tally>) {
  return counts.find((one) => one.second === second && one.domain === domain && one.rule === rule)
}
