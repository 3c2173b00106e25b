/** A cache of short ranges before a store: a read of a series or of a stream's metadata walks the same one again. */

import type { LedgerStore } from '../ports.ts'
import type { CachedStore } from './entry-cache.ts'
import { type EntryGroup, findGroupName, findRangeGroup, listGroup, readGroup, replaceEntry } from './entry-group.ts'

/** A group with more entries is not cached: each walk reads it from the store underneath. */
const mostEntries = 4_000
/** Characters of all cached entries. */
const mostCharacters = 8_000_000
/** Groups of any state, also those without cached entries. */
const mostGroups = 2_000

/** Caches, from their second walk on, groups of entries: those whose keys have the first two parts in common. */
export function withRangeCache(store: LedgerStore): CachedStore {
  const groups = createGroups()
  /** Follows a write to the store underneath. */
  const change = (key: string, value: string | undefined) => {
    const name = findGroupName(key)
    if (name !== undefined) groups.change(name, key, value)
  }
  /** The group of a range, read whole when it is walked for the second time. */
  const groupFor = (name: string): EntryGroup | undefined => {
    const state = groups.use(name)
    if (typeof state === 'object') return state
    if (state === undefined) groups.put(name, 'walked')
    if (state !== 'walked') return undefined
    const group = readGroup(store, name, { entries: mostEntries, characters: mostCharacters })
    groups.put(name, group ?? 'long')
    return group
  }

  return {
    get: (key) => store.get(key),
    put(key, value) {
      store.put(key, value)
      change(key, value)
    },
    delete(key) {
      store.delete(key)
      change(key, undefined)
    },
    list(range) {
      const name = findRangeGroup(range)
      const group = name === undefined ? undefined : groupFor(name)
      return group === undefined ? store.list(range) : listGroup(group, range)
    },
    size: () => store.size(),
    clear: groups.clear,
    cached: groups.characters,
  }
}

/** The state of a group: walked once, too long to be cached, or cached. */
type State = 'walked' | 'long' | EntryGroup

/** Keeps groups by name. Beyond the bounds the group that was used longest ago goes first. */
function createGroups() {
  // A map keeps the order of insertion, and a group that is used is put back at the end.
  const groups = new Map<string, State>()
  let characters = 0

  const drop = (name: string) => {
    const state = groups.get(name)
    if (typeof state === 'object') characters -= state.characters
    groups.delete(name)
  }
  const put = (name: string, state: State) => {
    drop(name)
    groups.set(name, state)
    if (typeof state === 'object') characters += state.characters
    for (const oldest of groups.keys()) {
      if (characters <= mostCharacters && groups.size <= mostGroups) return
      drop(oldest)
    }
  }

  return {
    /** The state of a group, which counts as a use when it is cached. */
    use(name: string): State | undefined {
      const state = groups.get(name)
      if (typeof state !== 'object') return state
      groups.delete(name)
      groups.set(name, state)
      return state
    },
    put,
    /** Replaces the value of a key where its group is cached; undefined removes the entry. */
    change(name: string, key: string, value: string | undefined): void {
      const group = groups.get(name)
      if (typeof group !== 'object') return
      const before = group.characters
      replaceEntry(group, key, value)
      characters += group.characters - before
      if (group.entries.length > mostEntries) put(name, 'long')
      // Put at the end, so that other groups go first.
      else if (characters > mostCharacters) put(name, group)
    },
    characters: () => characters,
    clear(): void {
      groups.clear()
      characters = 0
    },
  }
}
