/** Counts of the last minutes in memory, a row for each rule in each second. */

import type { UsageRow } from '#ratelimit/contract/usage.ts'
import { keptSeconds, usageBounds } from '#ratelimit/usage/bounds.ts'
import type { UsageCount } from '#ratelimit/usage/types.ts'
import type { UsageRange } from '../storage/usage.ts'
import { ruleName } from './fills.ts'

/** Makes the memory of seconds with the rows that an earlier instance saved. */
export function usageSeconds(saved: readonly UsageRow[]) {
  /** Rows by second, and by rule in each. */
  const seconds = new Map<number, Map<string, UsageRow>>()
  for (const row of saved) addOne({ ...row, second: row.start })

  function addOne(count: UsageCount): void {
    const rows = seconds.get(count.second) ?? new Map<string, UsageRow>()
    seconds.set(count.second, rows)
    const name = ruleName(count)
    const before = rows.get(name)
    if (before === undefined && rows.size >= usageBounds.counts) return
    rows.set(name, {
      start: count.second,
      domain: count.domain,
      rule: count.rule,
      admitted: (before?.admitted ?? 0) + count.admitted,
      refused: (before?.refused ?? 0) + count.refused,
      shadow: (before?.shadow ?? 0) + count.shadow,
    })
  }

  /** Every row, in the order of their seconds: fronts report some late. */
  function list(): readonly UsageRow[] {
    return [...seconds].sort(([one], [other]) => one - other).flatMap(([, rows]) => [...rows.values()])
  }

  return {
    /** Adds counts, and forgets the seconds that are over for longer than they are kept. */
    add(counts: readonly UsageCount[], now: number): void {
      for (const count of counts) addOne(count)
      for (const second of seconds.keys()) if (second < now - keptSeconds[1]) seconds.delete(second)
    },
    /** The rows of a range in the order of their seconds. */
    read({ from, to, domain, rule }: UsageRange): readonly UsageRow[] {
      const isAsked = (row: UsageRow) =>
        row.start >= from && row.start < to && (domain ?? row.domain) === row.domain && (rule ?? row.rule) === row.rule
      return list().filter(isAsked)
    },
    list,
  }
}
