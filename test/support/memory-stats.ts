/** Sums of statistics in memory, for services that run without Durable Objects. */

import type { StatDelta } from '#ratelimit/ports.ts'
import { foldedName, type StatSum } from '#ratelimit/statistics/sum.ts'

/** Sums by name, of a bounded number of names. */
export interface StatTable {
  /**
   * Adds to the sums. A new name beyond the bound is not kept: its additions are counted, one by one, under
   * `ratelimit.service.stats_folded`, so that a flood of values shows without filling memory.
   */
  add(deltas: readonly StatDelta[]): void
  /** Every sum, by name in ascending order. */
  list(): readonly StatSum[]
}

/** Makes an empty table of at most `mostNames` names, the folded one aside. */
export function createStatTable(mostNames: number): StatTable {
  const sums = new Map<string, number>()
  let folded = 0
  return {
    add(deltas) {
      for (const { name, delta } of deltas) {
        const sum = sums.get(name)
        if (sum === undefined && sums.size >= mostNames) folded += 1
        else sums.set(name, Math.min(Number.MAX_SAFE_INTEGER, (sum ?? 0) + delta))
      }
    },
    list() {
      const all = [...sums].map(([name, value]) => ({ name, value }))
      if (folded > 0) all.push({ name: foldedName, value: folded })
      return all.sort((left, right) => (left.name < right.name ? -1 : 1))
    },
  }
}
