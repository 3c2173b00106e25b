/** Answers for counters that cannot be reached: fail as the reference does, or open, or closed, by domain. */

/** `error` answers an error (400, grpc-status 2); `open` lets pass; `closed` refuses. */
type FailurePolicy = 'error' | 'open' | 'closed'

/** The policy of every domain: a default and its exceptions. */
export interface FailurePolicies {
  /** Null while none was set: then what the reference does, which is `open` for memcached and `error` otherwise. */
  readonly fallback: FailurePolicy | null
  readonly byDomain: ReadonlyMap<string, FailurePolicy>
}

const policies: readonly string[] = ['error', 'open', 'closed'] satisfies FailurePolicy[]

/** Tells which policy was set for a domain; null when none was. */
export function findFailurePolicy(domain: string, all: FailurePolicies): FailurePolicy | null {
  return all.byDomain.get(domain) ?? all.fallback
}

/**
 * Reads a policy list: `open`, or `error,shop=open,bank=closed`. An item without a domain sets the default,
 * which stays unset when no item does.
 *
 * @returns null when an item names no policy, a domain is empty, or one is given twice.
 */
export function parseFailurePolicies(text: string): FailurePolicies | null {
  const byDomain = new Map<string, FailurePolicy>()
  let fallback: FailurePolicy | null = null
  for (const item of text.split(',').map((word) => word.trim())) {
    const at = item.lastIndexOf('=')
    const policy = item.slice(at + 1).trim()
    if (!isFailurePolicy(policy)) return null
    if (at < 0) {
      if (fallback !== null) return null
      fallback = policy
      continue
    }
    const domain = item.slice(0, at).trim()
    if (domain === '' || byDomain.has(domain)) return null
    byDomain.set(domain, policy)
  }
  return { fallback, byDomain }
}

function isFailurePolicy(word: string): word is FailurePolicy {
  return policies.includes(word)
}
