/** Lease policy: a default, and exceptions by domain or by limit. */

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

/**
 * Reads a policy: `on`, or `off,shop=on,shop.tenant=off`. An item without a name sets the default, which is off.
 *
 * @returns null when an item is neither on nor off, a name is empty, or one is given twice.
 */
export function parseLeasePolicy(text: string): LeasePolicy | null {
  const byName = new Map<string, boolean>()
  let fallback: boolean | null = null
  for (const item of text.split(',').map((part) => part.trim())) {
    const at = item.lastIndexOf('=')
    const name = item.slice(0, Math.max(0, at)).trim()
    const isOn = words.get(
      item
        .slice(at + 1)
        .trim()
        .toLowerCase(),
    )
    if (isOn === undefined || (at >= 0 && name === '')) return null
    if (at < 0 ? fallback !== null : byName.has(name)) return null
    if (at < 0) fallback = isOn
    else byName.set(name, isOn)
  }
  return { fallback: fallback ?? false, byName }
}
