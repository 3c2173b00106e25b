/** The table of the allow and deny lists in RuleBookObject, whose migrations make it. */

import type { ListingSet } from '#ratelimit/contract/lists.ts'
import type { Listing } from '#ratelimit/lists/lists.ts'

/** One value on a list, with the operator's words. */
interface StoredListing extends Listing {
  readonly reason: string
  /** Unix time in milliseconds of the change that made it. */
  readonly at: number
  readonly who: string
}

type Row = { [Name in keyof Omit<StoredListing, 'isNetwork'>]: StoredListing[Name] } & { isNetwork: number }

const versionKey = 'listings'

/** Opens the table; what has ended is left out, and removed with the next change. */
export function listingTable(storage: DurableObjectStorage) {
  const { sql, kv } = storage
  const columns = 'list, domain, key, value, is_network AS isNetwork, until, reason, at, who'

  const version = () => kv.get<number>(versionKey) ?? 0

  /** @param seconds - Unix time. */
  function inForce(seconds: number): readonly StoredListing[] {
    const query = `SELECT ${columns} FROM listings WHERE until IS NULL OR until > ? ORDER BY domain, list, key, value`
    const rows = sql.exec<Row>(query, seconds).toArray()
    return rows.map((row) => ({ ...row, isNetwork: row.isNetwork === 1 }))
  }

  function put({ list, domain, key, value, isNetwork, until, reason, at, who }: StoredListing): void {
    const network = isNetwork ? 1 : 0
    sql.exec(
      'INSERT OR REPLACE INTO listings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[domain, list, key, network, value, until, reason, at, who],
    )
  }

  return {
    version,
    inForce,
    /** Adds or replaces listings, and takes ended ones away; false, with nothing changed, beyond `most`. */
    change(listings: readonly StoredListing[], seconds: number, most: number): boolean {
      const kept = new Set(inForce(seconds).map(nameListing))
      for (const listing of listings) {
        if (listing.until !== null && listing.until <= seconds) kept.delete(nameListing(listing))
        else kept.add(nameListing(listing))
      }
      if (kept.size > most) return false
      storage.transactionSync(() => {
        for (const listing of listings) put(listing)
        sql.exec('DELETE FROM listings WHERE until <= ?', seconds)
        kv.put(versionKey, version() + 1)
      })
      return true
    },
  }
}

/** The columns of the table's key. */
function nameListing({ domain, list, key, isNetwork, value }: StoredListing): string {
  return JSON.stringify([domain, list, key, isNetwork, value])
}

/** Listings as the operator plane answers them. */
export function toListingSet(version: number, listings: readonly StoredListing[]): ListingSet {
  return {
    version,
    listings: listings.map(({ value, isNetwork, ...others }) => ({
      ...others,
      ...(isNetwork ? { cidr: value } : { value }),
    })),
  }
}
