/** A ledger store in memory. */

import type { LedgerStore } from '../ports.ts'
import { createSortedMap } from './sorted-map.ts'

/** Creates an empty store, or one with these entries. */
export function createMemoryStore(entries: Iterable<readonly [string, string]> = []): LedgerStore {
  const { values, ...map } = createSortedMap(entries)
  let bytes = 0
  for (const [key, value] of values) bytes += key.length + value.length
  return {
    get: (key) => values.get(key),
    put(key, value) {
      const before = values.get(key)
      bytes += value.length - (before === undefined ? -key.length : before.length)
      map.set(key, value)
    },
    delete(key) {
      const before = values.get(key)
      if (before === undefined) return
      bytes -= key.length + before.length
      map.delete(key)
    },
    *list({ start, end, isReverse }) {
      const inside = map.keys(start, end)
      for (const key of isReverse === true ? inside.reverse() : inside) {
        const value = values.get(key)
        if (value !== undefined) yield [key, value]
      }
    },
    size: () => bytes,
  }
}
