/** The fullest counter of each rule, while its window is open. */

import type { Fill } from '#ratelimit/contract/usage.ts'
import { isFuller } from '#ratelimit/usage/fullest-counter.ts'

/** Rules whose fullest counter is remembered. */
const maxFills = 400

/** Makes the memory of fullest counters with those that an earlier instance saved. */
export function fullestCounters(saved: readonly Fill[]) {
  const fills = new Map(saved.map((fill) => [ruleName(fill), fill]))

  /** Tells whether a rule that is not known has room; counters whose windows are over make some. */
  function hasRoom(now: number): boolean {
    if (fills.size < maxFills) return true
    for (const [name, { endsAt }] of fills) if (endsAt <= now) fills.delete(name)
    return fills.size < maxFills
  }

  return {
    add(added: readonly Fill[], now: number): void {
      for (const fill of added) {
        const name = ruleName(fill)
        const known = fills.get(name)
        const isKept = known === undefined ? hasRoom(now) : isFuller(fill, known, now)
        if (isKept) fills.set(name, fill)
      }
    },
    /** Those whose windows are open at a moment in Unix seconds, of one domain or of all. */
    open: (now: number, domain: string | undefined): readonly Fill[] =>
      [...fills.values()].filter((fill) => fill.endsAt > now && (domain === undefined || fill.domain === domain)),
    list: (): readonly Fill[] => [...fills.values()],
  }
}

/** The name of a rule of a domain. */
export function ruleName({ domain, rule }: Pick<Fill, 'domain' | 'rule'>): string {
  return `${domain}\n${rule}`
}
