/** Response fields of the IETF draft on rate limits (draft-ietf-httpapi-ratelimit-headers-10) and Retry-After. */

import { capacityOf, periodOf } from '../algorithm/algorithm.ts'
import type { DescriptorStatus, Header, RateLimit } from '../types.ts'

/**
 * Writes every limited status as one item of `RateLimit-Policy` and `RateLimit`, and every limit of a descriptor that
 * has several.
 *
 * A policy is named after its limit, or `limit-1`, `limit-2` and so on by its place in the request. `q` is the
 * quota, `w` the window in seconds, `r` what remains and `t` the seconds until the window turns. Of a bucket they are
 * its size, the seconds in which it fills, what is in it, and the seconds until it is full or a refused hit would pass.
 *
 * @returns two headers, or none when no status has a limit.
 */
export function rateLimitFields(statuses: readonly DescriptorStatus[]): readonly Header[] {
  const policies: string[] = []
  const limits: string[] = []
  for (const [index, status] of statuses.entries()) {
    for (const { currentLimit, limitRemaining, secondsUntilReset } of status.limits ?? [status]) {
      if (currentLimit === undefined) continue
      const name = policyName(currentLimit, index)
      const window = periodOf(currentLimit)
      const isHeld = currentLimit.algorithm?.kind === 'concurrency'
      const quota = capacityOf(currentLimit)
      policies.push(isHeld ? concurrencyItem(name, quota) : policyItem(name, quota, window))
      limits.push(quotaItem(name, limitRemaining, secondsUntilReset ?? window))
    }
  }
  if (policies.length === 0) return []
  return [
    { key: 'RateLimit-Policy', value: policies.join(', ') },
    { key: 'RateLimit', value: limits.join(', ') },
  ]
}

/** Writes `Retry-After`: the longest wait of the refused descriptors (RFC 9110, 10.2.3); null when none has one. */
export function retryAfterField(statuses: readonly DescriptorStatus[]): Header | null {
  let longest = 0
  for (const { code, secondsUntilReset } of statuses) {
    if (code === 'OVER_LIMIT' && secondsUntilReset !== undefined) longest = Math.max(longest, secondsUntilReset)
  }
  return longest === 0 ? null : { key: 'Retry-After', value: String(longest) }
}

/** The name of a policy: its limit's, or `limit-1` and so on by the descriptor's place in the request. */
export function policyName({ name }: RateLimit, at: number): string {
  return name ?? `limit-${at + 1}`
}

/** Writes an item of `RateLimit-Policy`; the window is in seconds. */
export function policyItem(name: string, quota: number, window: number): string {
  return `${sfString(name)};q=${quota};w=${window}`
}

/** The same for hits that are held, in the unit that the draft registers for them. */
function concurrencyItem(name: string, quota: number): string {
  return `${sfString(name)};q=${quota};qu="concurrent-requests"`
}

/** Writes an item of `RateLimit`: what remains, and the seconds until the window turns. */
export function quotaItem(name: string, remaining: number, seconds: number): string {
  return `${sfString(name)};r=${remaining};t=${seconds}`
}

/** A structured-field string (RFC 9651, section 3.3.3); what it cannot hold becomes `_`. */
export function sfString(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '_').replace(/["\\]/g, '\\$&')}"`
}
