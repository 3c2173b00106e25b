/** Sums of statistics and their text form. */

import type { OverLimitGauges } from '../over-limit-cache.ts'
import type { StatDelta } from '../ports.ts'

/** One statistic and its sum. */
export interface StatSum {
  readonly name: string
  readonly value: number
}

/** Name of the counter of additions that found no room under their own name. */
export const foldedName = 'ratelimit.service.stats_folded'

/** The longest name that is kept; values of callers in names have up to 8,192 characters each. */
const longestName = 1_024

/** Adds to a waiting sum; a name that is too long or beyond `mostNames` counts as one under `foldedName`. */
export function addPending(sums: Map<string, number>, { name, delta }: StatDelta, mostNames: number): void {
  const before = sums.get(name)
  const hasRoom = name.length <= longestName && sums.size < mostNames
  if (before !== undefined || hasRoom) sums.set(name, (before ?? 0) + delta)
  else sums.set(foldedName, (sums.get(foldedName) ?? 0) + 1)
}

/** Writes the figures of the over-limit cache under the names of the reference's gauges. */
export function overLimitSums(gauges: OverLimitGauges): readonly StatSum[] {
  return Object.entries(gauges).map(([name, value]) => ({ name: `ratelimit.localcache.${name}`, value }))
}

/** Prints sums as `name: value` lines, with `tags` behind every name as `.__tag=value`. */
export function statsText(sums: readonly StatSum[], tags: ReadonlyMap<string, string> = new Map()): string {
  const suffix = [...tags].map(([tag, value]) => `.__${tag}=${value}`).join('')
  return sums.map(({ name, value }) => `${name}${suffix}: ${value}\n`).join('')
}
