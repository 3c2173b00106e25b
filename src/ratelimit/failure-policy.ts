/** Answers for counters that cannot be reached: fail as the reference does, or open, or closed, by domain. */

import { parseNamedValues } from './named-values.ts'

/** `error` answers an error (400, grpc-status 2); `open` lets pass; `closed` refuses. */
type FailurePolicy = 'error' | 'open' | 'closed'

/** Policies by domain, the default under the empty name. */
export type FailurePolicies = ReadonlyMap<string, FailurePolicy>

const policies: readonly FailurePolicy[] = ['error', 'open', 'closed']

/**
 * Finds the policy of a domain, or else the default; null when neither was set: then memcached fails open and others
 * answer an error, as the reference does.
 */
export function findFailurePolicy(domain: string, all: FailurePolicies): FailurePolicy | null {
  return all.get(domain) ?? all.get('') ?? null
}

/** Reads `open`, or `error,shop=open,bank=closed`; null as `parseNamedValues`. */
export function parseFailurePolicies(text: string): FailurePolicies | null {
  return parseNamedValues(text, (word) => policies.find((policy) => policy === word) ?? null)
}
