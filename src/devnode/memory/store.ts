/** A ledger store in memory: values by key, and the keys in a sorted array. */

import { compare, insertionPoint } from '../compare.ts'
import type { KeyRange, LedgerStore } from '../ports.ts'

/** Creates an empty store, or one with these entries. */
export function createMemoryStore(entries: Iterable<readonly [string, string]> = []): LedgerStore {
  const values = new Map(entries)
  const keys = [...values.keys()].sort(compare)
  const findKey = (key: string) => insertionPoint(keys, key, (one) => one)
  let bytes = 0
  for (const [key, value] of values) bytes += key.length + value.length
  return {
    get: (key) => values.get(key),
    put(key, value) {
      const before = values.get(key)
      if (before === undefined) keys.splice(findKey(key), 0, key)
      bytes += value.length - (before === undefined ? -key.length : before.length)
      values.set(key, value)
    },
    delete(key) {
      const before = values.get(key)
      if (before === undefined) return
      bytes -= key.length + before.length
      values.delete(key)
      keys.splice(findKey(key), 1)
    },
    *list(range: KeyRange) {
      const inside = keys.slice(findKey(range.start), findKey(range.end))
      for (const key of range.isReverse === true ? inside.reverse() : inside) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value]
      }
    },
    size: () => bytes,
  }
}
