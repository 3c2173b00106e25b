/** The outcome that a request would have had without shadow modes, for proxies that log it or try a limit out. */

import type { RateLimitResponse } from '../types.ts'
import { policyName, sfString } from './ietf-fields.ts'
import type { JudgedDescriptor } from './respond.ts'

/**
 * Lists the limits that would have refused a request that passes: rules in shadow mode whose counter is over, and
 * every refused descriptor where the global mode let the request pass.
 *
 * @param isShadowed - true where the global mode turned a refusal into the answer.
 * @returns names as in the fields of the IETF draft: the limit's own, or `limit-1` and so on by the descriptor's place.
 */
export function listShadowed(decided: readonly JudgedDescriptor[], isShadowed: boolean): readonly string[] {
  return decided.flatMap(({ match, status, isOver }, at) => {
    const isHidden = status.code === 'OVER_LIMIT' ? isShadowed : isOver && match.limit?.isShadow === true
    return isHidden && status.currentLimit !== undefined ? [policyName(status.currentLimit, at)] : []
  })
}

/** Adds `X-RateLimit-Shadow`, a list of strings (RFC 9651), and the member `shadowed` of dynamic metadata. */
export function withShadowOutcome(response: RateLimitResponse, shadowed: readonly string[]): RateLimitResponse {
  if (shadowed.length === 0) return response
  const { responseHeadersToAdd, dynamicMetadata } = response
  const field = { key: 'X-RateLimit-Shadow', value: shadowed.map(sfString).join(', ') }
  return {
    ...response,
    responseHeadersToAdd: [...responseHeadersToAdd, field],
    ...(dynamicMetadata !== undefined && { dynamicMetadata: { ...dynamicMetadata, shadowed } }),
  }
}
