/**
 * The part of a node's ledger with its local streams. They live on one node, off the chain: no fees, no roles, no
 * visibility; their owner is the operator.
 */

import type { LedgerStore } from '../ports.ts'
import type { NodeSettings } from '../settings.ts'
import { headBlock } from '../state/chain.ts'

/** The local streams of a node, and the block height that new entries carry. */
export interface LocalStreams {
  readonly store: LedgerStore
  /** The most rows that one read may touch. */
  readonly maxReadRows: number
  readonly operator: string
  readonly height: number
}

type LocalSettings = Pick<NodeSettings, 'operator' | 'maxReadRows'>

/** The local streams inside a node's ledger. */
export function openLocalStreams(store: LedgerStore, settings: LocalSettings): LocalStreams {
  const { operator, maxReadRows } = settings
  return { store: prefixStore(store, 'local/'), maxReadRows, operator, height: headBlock(store)?.height ?? 0 }
}

/** The entries whose keys begin with a prefix, under their keys without it. */
function prefixStore(store: LedgerStore, prefix: string): LedgerStore {
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
