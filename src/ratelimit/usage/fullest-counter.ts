/** The fullest counter of each rule. */

import { capacityOf } from '../algorithm/algorithm.ts'
import type { Fill } from '../contract/usage.ts'
import type { Match } from '../match.ts'
import type { Limit } from '../rule-book.ts'
import type { DescriptorStatus } from '../types.ts'
import { cutText, usageBounds } from './bounds.ts'

/** Moment of a decision. */
interface FillMoment {
  readonly domain: string
  /** Unix time in seconds. */
  readonly second: number
}

/** Keeps the counter of a match where it is the fullest of its rule; a status without a limit or a window is left out. */
export function keepFullest(
  fills: Map<Limit, Fill>,
  { domain, second }: FillMoment,
  { key }: Match,
  rule: Limit,
  { currentLimit, limitRemaining: remaining, secondsUntilReset }: DescriptorStatus,
): void {
  if (currentLimit === undefined || secondsUntilReset === undefined) return
  const limit = capacityOf(currentLimit)
  const { unit } = currentLimit
  const endsAt = second + secondsUntilReset
  const name = cutText(rule.statKey, usageBounds.ruleText)
  const counter = cutText(key, usageBounds.keyText)
  const next: Fill = { domain, rule: name, key: counter, limit, unit, remaining, endsAt }
  const known = fills.get(rule)
  if (known === undefined ? fills.size < usageBounds.fills : isFuller(next, known, second)) fills.set(rule, next)
}

/** Tells whether a counter takes the place of another: as full, the same one later, or the other's window is over. */
export function isFuller(next: Fill, known: Fill, now: number): boolean {
  if (known.endsAt <= now || next.key === known.key) return true
  return next.remaining / Math.max(1, next.limit) <= known.remaining / Math.max(1, known.limit)
}
