/** Allow and deny lists: values that pass uncounted, and values that are refused, before any rule. */

import { groupBy } from '../../base/group-by.ts'
import type { Match } from '../match.ts'
import { createNetworkTable, type Network, type NetworkTable, parseAddress, parseNetwork } from '../pattern/network.ts'
import type { RuleBook } from '../rule-book.ts'
import type { DescriptorStatus, Entry, RateLimitRequest } from '../types.ts'

/** The two lists. */
export const listNames = ['allow', 'deny'] as const

/** Name of a list. */
export type ListName = (typeof listNames)[number]

/** One value of a domain on a list. */
export interface Listing {
  readonly list: ListName
  readonly domain: string
  /** Key of the entries that are compared. */
  readonly key: string
  /** The whole value of an entry, or with `isNetwork` the network that holds the address in it. */
  readonly value: string
  readonly isNetwork: boolean
  /** Unix time in seconds from which it no longer applies; null for good. */
  readonly until: number | null
}

/** The lists in force, made for lookups. */
export interface Lists {
  /** Raised by each change. */
  readonly version: number
  readonly byDomain: ReadonlyMap<string, ReadonlyMap<string, ListedValues>>
}

/** Everything that is listed for one key of a domain; no table of networks where there is none. */
interface ListedValues {
  readonly values: ReadonlyMap<string, readonly Listing[]>
  readonly networks: NetworkTable<readonly Listing[]> | null
}

/** Prepares listings for lookups. A lookup costs one step, and one for each length of prefix that the key has. */
export function compileLists(version: number, listings: readonly Listing[]): Lists {
  const byDomain = new Map<string, Map<string, ListedValues>>()
  for (const [domain, ofDomain] of groupBy(listings, ({ domain }) => domain)) {
    const byKey = new Map<string, ListedValues>()
    for (const [key, ofKey] of groupBy(ofDomain, (listing) => listing.key)) byKey.set(key, compileKey(ofKey))
    byDomain.set(domain, byKey)
  }
  return { version, byDomain }
}

/** Puts lists into rules in the place of those that they have; empty ones are left out, so that no decision asks them. */
export function withLists({ lists: _, ...rules }: RuleBook, lists: Lists): RuleBook {
  return lists.byDomain.size === 0 ? rules : { ...rules, lists }
}

function compileKey(listings: readonly Listing[]): ListedValues {
  const byValue = groupBy(listings, ({ value, isNetwork }) => `${isNetwork ? 'network' : 'value'} ${value}`)
  const values = new Map<string, readonly Listing[]>()
  const networks: (readonly [Network, readonly Listing[]])[] = []
  for (const [first, ...others] of byValue.values()) {
    if (first === undefined) continue
    const network = first.isNetwork ? parseNetwork(first.value) : null
    if (network !== null) networks.push([network, [first, ...others]])
    else if (!first.isNetwork) values.set(first.value, [first, ...others])
  }
  return { values, networks: networks.length === 0 ? null : createNetworkTable(networks) }
}

/** Finds the listing of any entry of a descriptor at a time in Unix seconds, a denial before a permission. */
function findListing(
  { byDomain }: Lists,
  domain: string,
  entries: readonly Entry[],
  seconds: number,
): Listing | undefined {
  const byKey = byDomain.get(domain)
  if (byKey === undefined) return undefined
  const found = entries.flatMap(({ key, value }) => {
    const listed = byKey.get(key)
    return listed === undefined ? [] : findInForce(listed, value, seconds)
  })
  return found.find(({ list }) => list === 'deny') ?? found[0]
}

function findInForce({ values, networks }: ListedValues, value: string, seconds: number): readonly Listing[] {
  const isInForce = ({ until }: Listing) => until === null || seconds < until
  const address = networks === null ? null : parseAddress(value)
  const inNetworks = networks === null || address === null ? [] : networks.list(address).flat()
  return [...(values.get(value) ?? []), ...inNetworks].filter(isInForce)
}

/** Takes the limit from every descriptor that is listed, so that nothing is counted for it. */
export function applyLists(
  matches: readonly Match[],
  lists: Lists,
  { domain }: RateLimitRequest,
  nowMs: number,
): readonly Match[] {
  if (!lists.byDomain.has(domain)) return matches
  const seconds = Math.floor(nowMs / 1000)
  return matches.map((match) => {
    const listing = findListing(lists, domain, match.descriptor.entries, seconds)
    if (listing === undefined) return match
    // A list says nothing about a reservation that was made before.
    if (match.descriptor.step?.action === 'settle') return { ...match, isUnreserved: listing.list === 'allow' }
    return { ...match, limit: null, key: '', isReplaced: false, listing }
  })
}

/** Status of a listed descriptor: it has no limit; a denial that ends says in how many seconds. */
export function decideListed({ list, until }: Listing, nowMs: number): DescriptorStatus {
  if (list === 'allow') return { code: 'OK', limitRemaining: 0 }
  const ends = until === null ? {} : { secondsUntilReset: Math.max(1, until - Math.floor(nowMs / 1000)) }
  return { code: 'OVER_LIMIT', limitRemaining: 0, ...ends }
}
