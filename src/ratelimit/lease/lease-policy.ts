/** Lease policy: a default, and exceptions by domain or by limit. */

import { parseNamedValues } from '../named-values.ts'

/** Value of `LEASES`. */
export interface LeasePolicy {
  /** For what no exception names. */
  readonly fallback: boolean
  /** By domain, or by a limit's path in the statistics, such as `shop.tenant_t1`. */
  readonly byName: ReadonlyMap<string, boolean>
}

/** Nothing is leased. */
export const noLeases: LeasePolicy = { fallback: false, byName: new Map() }

/** Form of the setting, for its error. */
export const leasePolicyForm =
  'off or on, then exceptions as name=on or name=off, separated by commas; a name is a domain, or a limit as its statistics name it'

const words: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
])

/** Tells whether hits of a limit may be admitted from a lease; the limit's own name decides before its domain's. */
export function isLeased({ fallback, byName }: LeasePolicy, domain: string, statKey: string): boolean {
  return byName.size === 0 ? fallback : (byName.get(statKey) ?? byName.get(domain) ?? fallback)
}

/** Tells whether there is a limit that may be leased. */
export function leasesAnything({ fallback, byName }: LeasePolicy): boolean {
  return fallback || [...byName.values()].includes(true)
}

/** Reads `on`, or `off,shop=on,shop.tenant=off`; the default is off. Null as `parseNamedValues`. */
export function parseLeasePolicy(text: string): LeasePolicy | null {
  const byName = parseNamedValues(text, (word) => words.get(word.toLowerCase()) ?? null)
  if (byName === null) return null
  const fallback = byName.get('') ?? false
  byName.delete('')
  return { fallback, byName }
}
