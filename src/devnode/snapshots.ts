/** Snapshots of the ledger as journals: the value of each key before it was first changed after a snapshot. */

import { countPart, joinKey, keysUnder, lastPart, parseCountPart, readCounter, removeUnder } from './keys.ts'
import { createOverlay } from './overlay.ts'
import type { LedgerStore } from './ports.ts'

const snapshots = 'snapshot'
const journals = 'snapshot-journal'
const next = 'snapshot-next'

/** Begins a snapshot. Costs nothing but the old value of each key that changes from now on. */
export function takeSnapshot(store: LedgerStore): number {
  const id = readCounter(store, next) + 1
  store.put(next, String(id))
  store.put(joinKey(snapshots, countPart(id)), '')
  return id
}

/** Counts the snapshots that the ledger can be brought back to. */
export function countSnapshots(store: LedgerStore): number {
  return [...openSnapshots(store)].length
}

/** Brings the ledger back to a snapshot, and forgets it and every later one; false when it does not exist. */
export function revertSnapshot(store: LedgerStore, id: number): boolean {
  if (store.get(joinKey(snapshots, countPart(id))) === undefined) return false
  const overlay = createOverlay(store)
  const open = [...openSnapshots(store)]
  const older = open.findLast((other) => other < id)
  const reverted = open.filter((other) => other >= id)
  for (const [key, entry] of removeJournals(overlay, reverted)) {
    const before = readEntry(entry)
    if (before === undefined) overlay.delete(key)
    else overlay.put(key, before)
    // The older snapshot saw this value, unless its journal has one that is older still. Written here so that the
    // restore is not journaled as a change.
    if (older === undefined) continue
    const journalKey = joinKey(journals, countPart(older), key)
    if (store.get(journalKey) === undefined) overlay.put(journalKey, entry)
  }
  overlay.commit()
  return true
}

/** Removes snapshots with their journals; gives the oldest value of each key that has changed since. */
function removeJournals(store: LedgerStore, ids: readonly number[]): ReadonlyMap<string, JournalEntry> {
  const oldest = new Map<string, JournalEntry>()
  for (const id of ids.toReversed()) {
    const prefix = joinKey(journals, countPart(id), '')
    for (const [key, entry] of removeUnder(store, journals, countPart(id))) oldest.set(key.slice(prefix.length), entry)
    store.delete(joinKey(snapshots, countPart(id)))
  }
  return oldest
}

/** A value in a journal: empty for a key that was absent, otherwise the value behind a mark of one character. */
type JournalEntry = string
const valueMark = '='

function writeEntry(before: string | undefined): JournalEntry {
  return before === undefined ? '' : valueMark + before
}

function readEntry(entry: JournalEntry): string | undefined {
  return entry === '' ? undefined : entry.slice(valueMark.length)
}

/** A store that keeps journals, and counts how often it was written to. */
interface JournaledStore extends LedgerStore {
  /** Writes and deletions since it was opened; after a request that did not raise it nothing has changed. */
  writes(): number
  /** Looks for the newest snapshot again: after the platform has rolled writes back. */
  clear(): void
}

/** A store that keeps the journals while it is written to. Without an open snapshot a write costs nothing more. */
export function withJournals(store: LedgerStore): JournaledStore {
  let writes = 0
  let newest = newestSnapshot(store)
  let isStale = false
  const note = (key: string) => {
    writes += 1
    if (isSnapshotKey(key)) {
      isStale = true
      return
    }
    if (isStale) newest = newestSnapshot(store)
    isStale = false
    if (newest === undefined) return
    const journalKey = joinKey(journals, countPart(newest), key)
    if (store.get(journalKey) !== undefined) return
    store.put(journalKey, writeEntry(store.get(key)))
  }
  return {
    get: (key) => store.get(key),
    list: (range) => store.list(range),
    size: () => store.size(),
    writes: () => writes,
    clear() {
      isStale = true
    },
    put(key, value) {
      note(key)
      store.put(key, value)
    },
    delete(key) {
      note(key)
      store.delete(key)
    },
  }
}

/** Tells whether a key belongs to the snapshots themselves and not to the ledger. */
export function isSnapshotKey(key: string): boolean {
  return key.startsWith('snapshot')
}

function newestSnapshot(store: LedgerStore): number | undefined {
  for (const [key] of store.list({ ...keysUnder(snapshots), isReverse: true })) return idOf(key)
  return undefined
}

function* openSnapshots(store: LedgerStore): Generator<number> {
  for (const [key] of store.list(keysUnder(snapshots))) yield idOf(key)
}

function idOf(key: string): number {
  return parseCountPart(lastPart(key))
}
