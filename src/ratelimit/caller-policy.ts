/** Policy for requests beyond plain hits: a limit of the caller's own, hits given back, and many hits at once. */

import { readAddend } from './descriptor-hit.ts'
import { RatelimitError } from './errors.ts'
import type { StatDelta } from './ports.ts'
import { serviceStats } from './statistics/names.ts'
import type { Descriptor, RateLimitRequest } from './types.ts'

/** Treatment of something that a caller asks for: it is done, left out, or the request is refused. */
type Treatment = 'allow' | 'ignore' | 'refuse'

/** Rights of callers. */
export interface CallerPolicy {
  /** Of a limit in the request; ignored, the configured limit applies. */
  readonly overrides: Treatment
  /** Of hits given back; ignored, the descriptor looks at its counter and changes nothing. */
  readonly refunds: Treatment
  /** The most hits that one descriptor adds, more count as so many; 0 for any number. */
  readonly maxHits: number
}

/**
 * Applies the policy to a request.
 *
 * @returns the request without what the policy leaves out, and statistics that count it.
 * @throws RatelimitError not_allowed when the policy refuses the request; the message names the setting.
 */
export function applyCallerPolicy(
  request: RateLimitRequest,
  policy: CallerPolicy,
): { readonly request: RateLimitRequest; readonly stats: readonly StatDelta[] } {
  const counts = new Map<string, number>()
  const count: Count = (name) => void counts.set(name, (counts.get(name) ?? 0) + 1)
  const descriptors = request.descriptors.map((asked, at) => {
    const allowed = applyToRefund(applyToOverride(asked, at, policy, count), at, policy, count)
    if (policy.maxHits === 0 || readAddend(allowed, request) <= policy.maxHits) return allowed
    count(serviceStats.hitsCapped)
    return { ...allowed, hitsAddend: BigInt(policy.maxHits) }
  })
  const stats = [...counts].map(([name, delta]) => ({ name, delta }))
  return { request: { ...request, descriptors }, stats }
}

type Count = (name: string) => void

function applyToOverride(asked: Descriptor, at: number, { overrides }: CallerPolicy, count: Count): Descriptor {
  if (asked.limit === undefined || overrides === 'allow') return asked
  if (overrides === 'refuse') throw refused(`descriptors[${at}].limit`, 'CALLER_OVERRIDES')
  count(serviceStats.overrideIgnored)
  const { limit: _, ...rest } = asked
  return rest
}

function applyToRefund(asked: Descriptor, at: number, { refunds }: CallerPolicy, count: Count): Descriptor {
  if (asked.isNegativeHits !== true || refunds === 'allow') return asked
  if (refunds === 'refuse') throw refused(`descriptors[${at}].isNegativeHits`, 'CALLER_REFUNDS')
  count(serviceStats.refundIgnored)
  const { isNegativeHits: _, ...rest } = asked
  return { ...rest, hitsAddend: 0n }
}

function refused(what: string, setting: string): RatelimitError {
  return new RatelimitError(
    'not_allowed',
    `Cannot decide: ${what} is not taken from callers, expected a request without it (${setting})`,
  )
}
