/** A ledger store in memory: keys in a sorted array, so that it is obviously right rather than fast. */

import type { KeyRange, LedgerStore } from '#devnode/ports.ts'

/** Creates an empty store, or one with these entries. */
export function createMemoryStore(entries: Iterable<readonly [string, string]> = []): LedgerStore {
  const values = new Map(entries)
  const keys = [...values.keys()].sort((left, right) => (left < right ? -1 : 1))
  return {
    get: (key) => values.get(key),
    put(key, value) {
      if (!values.has(key)) keys.splice(lowerBound(keys, key), 0, key)
      values.set(key, value)
    },
    delete(key) {
      if (values.delete(key)) keys.splice(lowerBound(keys, key), 1)
    },
    *list(range: KeyRange) {
      const inside = keys.slice(lowerBound(keys, range.start), lowerBound(keys, range.end))
      for (const key of range.isReverse === true ? inside.reverse() : inside) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value]
      }
    },
    size: () => [...values].reduce((bytes, [key, value]) => bytes + key.length + value.length, 0),
  }
}

function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
