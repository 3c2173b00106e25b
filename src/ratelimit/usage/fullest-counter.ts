/** The fullest counter of each rule. */

import { capacityOf } from '../algorithm/algorithm.ts'
import type { DecidedDescriptor } from '../answer/respond.ts'
import type { Fill } from '../contract/usage.ts'
import { cutText, usageBounds } from './bounds.ts'

/** Moment of a decision. */
interface FillMoment {
  readonly domain: string
  /** Unix time in seconds. */
  readonly second: number
}

/** Keeps the counter of a descriptor where it is the fullest of its rule; one without a limit or a window is left out. */
export function keepFullest(
  fills: Map<string, Fill>,
  { domain, second }: FillMoment,
  { match: { key, limit: rule }, status }: DecidedDescriptor,
): void {
  const { currentLimit, limitRemaining: remaining, secondsUntilReset } = status
  if (rule === null || currentLimit === undefined || secondsUntilReset === undefined) return
  const next: Fill = {
    domain,
    rule: cutText(rule.statKey, usageBounds.ruleText),
    key: cutText(key, usageBounds.keyText),
    limit: capacityOf(currentLimit),
    unit: currentLimit.unit,
    remaining,
    endsAt: second + secondsUntilReset,
  }
  // By its name: a rule whose statistics are named after values has another `Limit` for each request.
  const known = fills.get(rule.statKey)
  const isKept = known === undefined ? fills.size < usageBounds.fills : isFuller(next, known, second)
  if (isKept) fills.set(rule.statKey, next)
}

/** Tells whether a counter takes the place of another: as full, the same one later, or the other's window is over. */
export function isFuller(next: Fill, known: Fill, now: number): boolean {
  if (known.endsAt <= now || next.key === known.key) return true
  return next.remaining / Math.max(1, next.limit) <= known.remaining / Math.max(1, known.limit)
}
