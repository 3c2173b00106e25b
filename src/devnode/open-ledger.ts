/** The ledger of a node: the table of its platform, two caches, the journals of snapshots, and an overlay for each change. */

import { withEntryCache } from './cache/entry-cache.ts'
import { withRangeCache } from './cache/range-cache.ts'
import { createOverlay, type Overlay } from './overlay.ts'
import type { LedgerStore } from './ports.ts'
import { isSnapshotKey, withJournals } from './snapshots.ts'

/** A ledger that is read as it was committed, and changed by transactions. */
interface Ledger {
  /** The committed entries, for reading. */
  readonly store: LedgerStore
  /** Writes and deletions since the ledger was opened; the same number again means that nothing has changed. */
  writes(): number
  /** Runs work on an overlay, and writes what it changed in one transaction of the platform; an error leaves nothing. */
  transact<T>(run: (store: Overlay) => T): T
}

/**
 * Opens a ledger over the entries of the platform, which nothing else may write to. `atomically` runs work in one
 * transaction of the platform, rolls back what it wrote when it throws, and throws the same.
 */
export function openLedger(table: LedgerStore, atomically: <T>(run: () => T) => T): Ledger {
  const ranges = withRangeCache(table)
  const entries = withEntryCache(ranges)
  const { writes, clear, ...store } = withJournals(entries)

  return {
    store,
    writes,
    transact(run) {
      try {
        return atomically(() => {
          const overlay = createOverlay(store)
          const result = run(overlay)
          // The values of other keys are noted for the snapshots that there are after the transaction.
          overlay.commit(isSnapshotKey)
          return result
        })
      } catch (error) {
        entries.clear()
        ranges.clear()
        clear()
        throw error
      }
    },
  }
}
