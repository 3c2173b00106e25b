/** Decisions about requests to the services themselves, the console's own among them: the domain of their gate. */

import type { Top, Usage } from '#ratelimit/contract/usage.ts'

/** The domain of the gate's rules (docs/operations.md). */
export const gateDomain = 'sluice'

/** Tells if a view shows a domain: the chosen one, or all but the gate's. */
export function isShown(domain: string, chosen: string | null): boolean {
  return chosen === null ? domain !== gateDomain : domain === chosen
}

/** The decisions of the domains that a view shows. */
export function shownUsage(usage: Usage, chosen: string | null): Usage {
  return { ...usage, rows: usage.rows.filter(({ domain }) => isShown(domain, chosen)) }
}

/** The keys of the domains that a view shows. */
export function shownTop({ used, refused, ...top }: Top, chosen: string | null): Top {
  const ofShown = (keys: Top['used']) => keys.filter(({ label }) => isShown(label.domain, chosen))
  return { ...top, used: ofShown(used), refused: ofShown(refused) }
}

/** Counts the requests that the gate has decided. */
export function gateRequests({ rows }: Usage): number {
  return rows
    .filter(({ domain, rule }) => domain === gateDomain && rule === '')
    .reduce((sum, { admitted, refused, shadow }) => sum + admitted + refused + shadow, 0)
}
