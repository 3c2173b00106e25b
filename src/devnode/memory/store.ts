/** A ledger store in memory: values by key, and the keys in a sorted array. */

import type { KeyRange, LedgerStore } from '../ports.ts'

/** Creates an empty store, or one with these entries. */
export function createMemoryStore(entries: Iterable<readonly [string, string]> = []): LedgerStore {
  const values = new Map(entries)
  const keys = [...values.keys()].sort((left, right) => (left < right ? -1 : 1))
  let bytes = 0
  for (const [key, value] of values) bytes += key.length + value.length
  return {
    get: (key) => values.get(key),
    put(key, value) {
      const before = values.get(key)
      if (before === undefined) keys.splice(lowerBound(keys, key), 0, key)
      bytes += value.length - (before === undefined ? -key.length : before.length)
      values.set(key, value)
    },
    delete(key) {
      const before = values.get(key)
      if (before === undefined) return
      bytes -= key.length + before.length
      values.delete(key)
      keys.splice(lowerBound(keys, key), 1)
    },
    *list(range: KeyRange) {
      const inside = keys.slice(lowerBound(keys, range.start), lowerBound(keys, range.end))
      for (const key of range.isReverse === true ? inside.reverse() : inside) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value]
      }
    },
    size: () => bytes,
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
