/** Names of the rate limiter for the search: its rules, and the keys that are used most. */

import type { Top } from '#ratelimit/contract/usage.ts'
import type { Named } from '../frame/search-index.ts'
import { type LimitLine, readLimits } from './limits.ts'
import { readTop } from './usage.ts'

const day = { seconds: 86_400 }

/** Rules and keys by their names. */
export function listNames(lines: readonly LimitLine[], top: Top | undefined): readonly Named[] {
  const keys = [...(top?.used ?? []), ...(top?.refused ?? [])].map(({ key }) => key)
  return [
    ...lines.map(({ rule }) => ({ name: rule, kind: 'rule', href: '/console/ratelimit?rules=tree' })),
    ...[...new Set(keys)].map((name) => ({
      name,
      kind: 'key',
      href: `/console/ratelimit?key=${encodeURIComponent(name)}`,
    })),
  ]
}

/** Reads the rules that run, and the keys of the last day. */
export async function readNames(signal: AbortSignal): Promise<readonly Named[]> {
  const [lines, top] = await Promise.all([
    readLimits(signal, { isAside: true }),
    // A service that remembers no usage has rules all the same.
    readTop(day, null, signal, { isAside: true }).catch(() => undefined),
  ])
  return listNames(lines, top)
}
