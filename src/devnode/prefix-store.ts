/** A part of a store as a separate store. */

import type { LedgerStore } from './ports.ts'

/** The entries whose keys begin with a prefix, under their keys without it. */
export function prefixStore(store: LedgerStore, prefix: string): LedgerStore {
  return {
    get: (key) => store.get(prefix + key),
    put: (key, value) => store.put(prefix + key, value),
    delete: (key) => store.delete(prefix + key),
    size: () => store.size(),
    *list({ start, end, ...order }) {
      for (const [key, value] of store.list({ start: prefix + start, end: prefix + end, ...order })) {
        yield [key.slice(prefix.length), value]
      }
    },
  }
}
