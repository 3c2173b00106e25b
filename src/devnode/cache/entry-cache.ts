/** A cache of single entries before a store: most of what a transaction reads was read or written by the one before. */

import type { LedgerStore } from '../ports.ts'

/** A store with a cache before it. */
export interface CachedStore extends LedgerStore {
  /** Empties the cache: after the platform has rolled writes back. */
  clear(): void
  /** The size of the cache: 10,000 entries at most, or 8,000,000 characters of ranges. */
  cached(): number
}

/** Entries in each half of the cache. */
const mostEntries = 5_000
/** Longer values are not cached, in characters: bodies of transactions are read once, if at all. */
const longestValue = 2_000

/** Mark in the cache for an entry that does not exist. */
const missing = Symbol('missing')

type Half = Map<string, string | typeof missing>

/**
 * Caches what is read and written by key; ranges are read from the store underneath. Every write has to go through it.
 * Of two halves one has what was used lately; when it is full it takes the place of the other, which is dropped.
 */
export function withEntryCache(store: LedgerStore): CachedStore {
  let recent: Half = new Map()
  let before: Half = new Map()

  const keep = (key: string, value: string | undefined) => {
    before.delete(key)
    if (value !== undefined && value.length > longestValue) recent.delete(key)
    else recent.set(key, value ?? missing)
    if (recent.size < mostEntries) return
    before = recent
    recent = new Map()
  }

  return {
    get(key) {
      const used = recent.get(key)
      if (used !== undefined) return used === missing ? undefined : used
      const older = before.get(key)
      const value = older === undefined ? store.get(key) : older === missing ? undefined : older
      keep(key, value)
      return value
    },
    put(key, value) {
      store.put(key, value)
      keep(key, value)
    },
    delete(key) {
      store.delete(key)
      keep(key, undefined)
    },
    list: (range) => store.list(range),
    size: () => store.size(),
    clear() {
      recent = new Map()
      before = new Map()
    },
    cached: () => recent.size + before.size,
  }
}
