/** Decisions counted by second, domain and rule: a bounded number of counts, for any names that callers send. */

import type { Limit } from '../rule-book.ts'
import { cutText, otherRules, usageBounds } from './bounds.ts'
import type { UsageCount } from './types.ts'

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
  const rule = cutText(limit.statKey, usageBounds.ruleText)
  const same = counts.counts.find((one) => one.second === second && one.domain === domain && one.rule === rule)
  const entry = same ?? addCount(counts, domain, rule)
  if (byLimit.size < usageBounds.counts) byLimit.set(limit, entry)
  return entry
}

/** Finds or begins the count of whole requests in the latest second; the domain as for a rule. */
export function findRequestCount(counts: RuleCounts, domain: string): RunningCount {
  const { byDomain } = counts.latest
  const known = byDomain.get(domain)
  if (known !== undefined) return known
  const entry = addCount(counts, domain, '')
  byDomain.set(domain, entry)
  return entry
}

/** Counts are found by the identity of a limit or the name of a domain: no text is made to find one. */
function emptySecond(second: number) {
  return { second, byLimit: new Map<Limit, RunningCount>(), byDomain: new Map<string, RunningCount>() }
}

/** A new count, or the one of those that are counted together when there are too many. */
function addCount({ counts, latest: { second } }: RuleCounts, domain: string, rule: string): RunningCount {
  const isRoom = counts.length < usageBounds.counts
  const kept = isRoom ? { domain, rule } : { domain: '', rule: rule === '' ? '' : otherRules }
  const same = isRoom
    ? undefined
    : counts.find((one) => one.second === second && one.domain === '' && one.rule === kept.rule)
  if (same !== undefined) return same
  const entry = { second, ...kept, admitted: 0, refused: 0, shadow: 0 }
  counts.push(entry)
  return entry
}
