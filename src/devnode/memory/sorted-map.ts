/** A map whose keys can be walked in order, range by range, between all its writes. */

import { compare, insertionPoint } from '../compare.ts'

/** A map by text; its keys are in the order of UTF-16 code units. */
export interface SortedMap<T> {
  /** The values by key, in no order. */
  readonly values: ReadonlyMap<string, T>
  /** Sets the value of a key. */
  set(key: string, value: T): void
  /** Removes a key; false when it is missing. */
  delete(key: string): boolean
  /** The keys from `start` up to but not including `end`, as a new list; all keys without bounds. */
  keys(start?: string, end?: string): string[]
  /** Removes all keys. */
  clear(): void
}

/** Creates a map with these entries. A new key costs a move of the keys after it, and a range its own keys only. */
export function createSortedMap<T>(entries: Iterable<readonly [string, T]> = []): SortedMap<T> {
  const values = new Map(entries)
  const keys = [...values.keys()].sort(compare)
  const findKey = (key: string) => insertionPoint(keys, key, (one) => one)
  return {
    values,
    set(key, value) {
      if (!values.has(key)) keys.splice(findKey(key), 0, key)
      values.set(key, value)
    },
    delete(key) {
      if (!values.delete(key)) return false
      keys.splice(findKey(key), 1)
      return true
    },
    keys: (start, end) =>
      keys.slice(start === undefined ? 0 : findKey(start), end === undefined ? undefined : findKey(end)),
    clear() {
      values.clear()
      keys.length = 0
    },
  }
}
