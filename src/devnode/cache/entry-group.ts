/** A group: all entries of a store whose keys have the first two parts in common, in the order of their keys. */

import { insertionPoint } from '../compare.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

type Entry = readonly [key: string, value: string]

/** The entries of a group, and the sum of their characters. */
export interface EntryGroup {
  readonly entries: Entry[]
  characters: number
}

/** The name of a key's group: `event/1f/` of `event/1f/8000/3`; undefined for a key with fewer than two slashes. */
export function findGroupName(key: string): string | undefined {
  const second = key.indexOf('/', key.indexOf('/') + 1)
  return second < 0 ? undefined : key.slice(0, second + 1)
}

/** The name of the group that holds all of a range; undefined when none does. */
export function findRangeGroup({ start, end }: KeyRange): string | undefined {
  const name = findGroupName(start)
  return name !== undefined && (end.startsWith(name) || end === endOfGroup(name)) ? name : undefined
}

/** The first text after all keys of a group, as the end of a range: "0" is the character after "/". */
function endOfGroup(name: string): string {
  return `${name.slice(0, -1)}0`
}

/** The bounds of a group. */
interface GroupBounds {
  readonly entries: number
  readonly characters: number
}

/** Reads a group from a store; undefined when it is beyond the bounds. */
export function readGroup(store: LedgerStore, name: string, most: GroupBounds): EntryGroup | undefined {
  const group: EntryGroup = { entries: [], characters: 0 }
  for (const entry of store.list({ start: name, end: endOfGroup(name) })) {
    group.entries.push(entry)
    group.characters += countCharacters(entry)
    if (group.entries.length > most.entries || group.characters > most.characters) return undefined
  }
  return group
}

/** Replaces the value of a key in its group; undefined removes the entry. */
export function replaceEntry(group: EntryGroup, key: string, value: string | undefined): void {
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

/** The entries of a range of a group. */
export function listGroup({ entries }: EntryGroup, { start, end, isReverse }: KeyRange): Iterable<Entry> {
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

function findEntry(entries: readonly Entry[], key: string): number {
  return insertionPoint(entries, key, ([one]) => one)
}

function countCharacters([key, value]: Entry): number {
  return key.length + value.length
}
