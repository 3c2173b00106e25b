/** Lease policy: a default, and exceptions by domain or by limit. */

import { parseNamedValues } from '../named-values.ts'

/** Value of `LEASES`: by domain, or by a limit's path in the statistics such as `shop.tenant_t1`; under '' the default. */
export type LeasePolicy = ReadonlyMap<string, boolean>

/** Form of the setting, for its error. */
export const leasePolicyForm =
  'off or on, then exceptions as name=on or name=off, separated by commas; a name is a domain, or a limit as its statistics name it'

const words: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['off', false],
])

/** Tells whether hits of a limit may be admitted from a lease; the limit's own name decides before its domain's. */
export function isLeased(policy: LeasePolicy, domain: string, statKey: string): boolean {
  return policy.get(statKey) ?? policy.get(domain) ?? policy.get('') ?? false
}

/** Tells whether there is a limit that may be leased. */
export function leasesAnything(policy: LeasePolicy): boolean {
  return [...policy.values()].includes(true)
}

/** Reads `on`, or `off,shop=on,shop.tenant=off`; the default is off. Null as `parseNamedValues`. */
export function parseLeasePolicy(text: string): LeasePolicy | null {
  return parseNamedValues(text, (word) => words.get(word.toLowerCase()) ?? null)
}
