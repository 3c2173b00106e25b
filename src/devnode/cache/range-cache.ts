/** A cache of short ranges before a store: a read of a series or of a stream's metadata walks the same one again. */

import { insertionPoint } from '../compare.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

interface RangeCache extends LedgerStore {
  /** Empties the cache: after the platform has rolled writes back. */
  clear(): void
  /** The number of characters in the cache; 8,000,000 at most. */
  cached(): number
}

/** A group with more entries is read from the store underneath each time. */
const mostEntries = 4_000
/** Characters of all cached entries. */
const mostCharacters = 8_000_000
/** Groups of which anything is known, the long ones too. */
const mostGroups = 2_000

type Entry = readonly [key: string, value: string]

/** All entries of a group in the order of their keys. */
interface Group {
  readonly entries: Entry[]
  characters: number
}

/** A group that was walked once, one that is too long, or the entries of one. */
type Known = 'walked' | 'long' | Group

/** Caches, from the second walk on, entries that share two parts of their keys; every write goes through it. */
export function withRangeCache(store: LedgerStore): RangeCache {
  const groups = new Map<string, Known>()
  let characters = 0

  const drop = (name: string) => {
    const known = groups.get(name)
    if (typeof known === 'object') characters -= known.characters
    groups.delete(name)
  }
  const keep = (name: string, known: Known) => {
    drop(name)
    groups.set(name, known)
    if (typeof known === 'object') characters += known.characters
    // A map keeps the order of insertion: the group that was used longest ago goes first.
    for (const oldest of groups.keys()) {
      if (characters <= mostCharacters && groups.size <= mostGroups) return
      drop(oldest)
    }
  }
  const change = (key: string, value: string | undefined) => {
    const name = findGroupName(key)
    const group = name === undefined ? undefined : groups.get(name)
    if (name === undefined || typeof group !== 'object') return
    const before = group.characters
    replace(group, key, value)
    characters += group.characters - before
    if (group.entries.length > mostEntries) keep(name, 'long')
    else if (characters > mostCharacters) keep(name, group)
  }
  /** The group of a range, read whole when it is walked for the second time. */
  const groupFor = (name: string): Group | undefined => {
    const known = groups.get(name)
    if (typeof known === 'object') {
      // Put back at the end.
      groups.delete(name)
      groups.set(name, known)
      return known
    }
    if (known === undefined) keep(name, 'walked')
    if (known !== 'walked') return undefined
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
      const name = groupWith(range)
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

/** The first two parts of a key, each with its slash; undefined for a key without them. */
function findGroupName(key: string): string | undefined {
  const end = key.indexOf('/', key.indexOf('/') + 1)
  return end <= 0 || key.indexOf('/') === end ? undefined : key.slice(0, end + 1)
}

/** The group that holds all of a range; undefined when none does. */
function groupWith({ start, end }: KeyRange): string | undefined {
  const name = findGroupName(start)
  return name !== undefined && (end.startsWith(name) || end === computeEnd(name)) ? name : undefined
}

/** The key behind the last one of a group: "0" is the character after "/". */
function computeEnd(name: string): string {
  return `${name.slice(0, -1)}0`
}

function readGroup(store: LedgerStore, name: string): Group | undefined {
  const group: Group = { entries: [], characters: 0 }
  for (const entry of store.list({ start: name, end: computeEnd(name) })) {
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
  const [first, behind] = [findEntry(entries, start), findEntry(entries, end)]
  return isReverse === true ? backwards(entries, first, behind) : entries.slice(first, behind)
}

/** Step by step, because nearly every walk backwards ends at its first entry. */
function* backwards(entries: readonly Entry[], first: number, behind: number): Generator<Entry> {
  for (let at = behind - 1; at >= first; at--) {
    const entry = entries[at]
    if (entry !== undefined) yield entry
  }
}

function countCharacters([key, value]: Entry): number {
  return key.length + value.length
}
