/** A cache of short ranges before a store: a read of a series or of a stream's metadata walks the same one again. */

import { insertionPoint } from '../compare.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

interface RangeCache extends LedgerStore {
  /** Empties the cache: after the platform has rolled writes back. */
  clear(): void
  /** The number of characters in the cache; 8,000,000 at most. */
  cached(): number
}

/** A group with more entries is not cached: each walk reads it from the store underneath. */
const mostEntries = 4_000
/** Characters of all cached entries. */
const mostCharacters = 8_000_000
/** Groups of any state, also those without cached entries. */
const mostGroups = 2_000

type Entry = readonly [key: string, value: string]

/** All entries of a group in the order of their keys. */
interface Group {
  readonly entries: Entry[]
  characters: number
}

/** The state of a group: walked once, too long to be cached, or cached. */
type State = 'walked' | 'long' | Group

/** Caches, from their second walk on, groups of entries: those whose keys have the first two parts in common. */
export function withRangeCache(store: LedgerStore): RangeCache {
  const groups = new Map<string, State>()
  let characters = 0

  const drop = (name: string) => {
    const state = groups.get(name)
    if (typeof state === 'object') characters -= state.characters
    groups.delete(name)
  }
  const keep = (name: string, state: State) => {
    drop(name)
    groups.set(name, state)
    if (typeof state === 'object') characters += state.characters
    // A map keeps the order of insertion: the group that was used longest ago goes first.
    for (const oldest of groups.keys()) {
      if (characters <= mostCharacters && groups.size <= mostGroups) return
      drop(oldest)
    }
  }
  /** Follows a write to the store underneath. */
  const change = (key: string, value: string | undefined) => {
    const name = findGroupName(key)
    const group = name === undefined ? undefined : groups.get(name)
    if (name === undefined || typeof group !== 'object') return
    const before = group.characters
    replace(group, key, value)
    characters += group.characters - before
    if (group.entries.length > mostEntries) keep(name, 'long')
    // Put at the end, so that other groups go first.
    else if (characters > mostCharacters) keep(name, group)
  }
  /** The group of a range, read whole when it is walked for the second time. */
  const groupFor = (name: string): Group | undefined => {
    const state = groups.get(name)
    if (typeof state === 'object') {
      // Put back at the end.
      groups.delete(name)
      groups.set(name, state)
      return state
    }
    if (state === undefined) keep(name, 'walked')
    if (state !== 'walked') return undefined
    const group = readGroup(store, name)
    keep(name, group ?? 'long')
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
    clear() {
      groups.clear()
      characters = 0
    },
    cached: () => characters,
  }
}

/** The name of a key's group: `event/1f/` of `event/1f/8000/3`; undefined for a key with fewer than two slashes. */
function findGroupName(key: string): string | undefined {
  const second = key.indexOf('/', key.indexOf('/') + 1)
  return second < 0 ? undefined : key.slice(0, second + 1)
}

/** The name of the group that holds all of a range; undefined when none does. */
function findRangeGroup({ start, end }: KeyRange): string | undefined {
  const name = findGroupName(start)
  return name !== undefined && (end.startsWith(name) || end === endOfGroup(name)) ? name : undefined
}

/** The first text after all keys of a group, as the end of a range: "0" is the character after "/". */
function endOfGroup(name: string): string {
  return `${name.slice(0, -1)}0`
}

function readGroup(store: LedgerStore, name: string): Group | undefined {
  const group: Group = { entries: [], characters: 0 }
  for (const entry of store.list({ start: name, end: endOfGroup(name) })) {
    group.entries.push(entry)
    group.characters += countCharacters(entry)
    if (group.entries.length > mostEntries || group.characters > mostCharacters) return undefined
  }
  return group
}

function replace(group: Group, key: string, value: string | undefined): void {
  const { entries } = group
  const at = findEntry(entries, key)
  const before = entries[at]
  const isThere = before !== undefined && before[0] === key
  if (isThere) group.characters -= countCharacters(before)
  if (value === undefined) {
    if (isThere) entries.splice(at, 1)
    return
  }
  const entry: Entry = [key, value]
  group.characters += countCharacters(entry)
  entries.splice(at, isThere ? 1 : 0, entry)
}

function findEntry(entries: readonly Entry[], key: string): number {
  return insertionPoint(entries, key, ([one]) => one)
}

function listGroup({ entries }: Group, { start, end, isReverse }: KeyRange): Iterable<Entry> {
  const [from, to] = [findEntry(entries, start), findEntry(entries, end)]
  return isReverse === true ? walkBackwards(entries, from, to) : entries.slice(from, to)
}

/** Walks from the entry before `to` down to `from`, step by step: nearly every such walk ends at its first entry. */
function* walkBackwards(entries: readonly Entry[], from: number, to: number): Generator<Entry> {
  for (let at = to - 1; at >= from; at--) {
    const entry = entries[at]
    if (entry !== undefined) yield entry
  }
}

function countCharacters([key, value]: Entry): number {
  return key.length + value.length
}
