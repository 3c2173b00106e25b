/** A store that remembers single entries: most of what a transaction reads was read or written by the one before. */

import type { LedgerStore } from './ports.ts'

/** A store with a memory of its entries. */
export interface RememberedStore extends LedgerStore {
  /** Forgets every entry: after the platform has rolled writes back. */
  forget(): void
  /** How many entries are remembered now; 10,000 at most. */
  remembered(): number
}

/** How many entries each half of the memory holds. */
const mostEntries = 5_000
/** Longer values are not remembered, in characters: bodies of transactions are read once, if at all. */
const longestValue = 2_000

/** What the memory holds for an entry that was looked for and does not exist. */
const missing = Symbol('missing')

type Half = Map<string, string | typeof missing>

/**
 * Remembers what is read and written by key; ranges are read from the store underneath. Every write has to go through it.
 *
 * The memory has two halves: what was used lately, and what was used before. When the first is full it takes the place
 * of the second, which is forgotten.
 */
export function withMemory(store: LedgerStore): RememberedStore {
  let recent: Half = new Map()
  let before: Half = new Map()

  const remember = (key: string, value: string | undefined) => {
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
      remember(key, value)
      return value
    },
    put(key, value) {
      store.put(key, value)
      remember(key, value)
    },
    delete(key) {
      store.delete(key)
      remember(key, undefined)
    },
    list: (range) => store.list(range),
    size: () => store.size(),
    forget() {
      recent = new Map()
      before = new Map()
    },
    remembered: () => recent.size + before.size,
  }
}
