/** The commits of the windows of one object: which windows wait for the disk, and what an answer waits for. */

import {
  beginWrite,
  type CounterRow,
  type DiskRow,
  type Durability,
  endWrite,
  isUnsaved,
  rowToWrite,
  type StoredWindow,
} from '#ratelimit/durability/stored-window.ts'
import type { CounterTables } from '../storage/counters.ts'
import { groupCommit } from '../storage/group-commit.ts'
import type { KeptWindows } from './kept-windows.ts'
import type { ResidentWindows } from './resident.ts'

/** The disk of an object as its windows see it. */
export interface CommitOptions {
  readonly tables: CounterTables
  readonly durability: Durability
  /** Windows as an earlier instance left them. */
  readonly kept: KeptWindows
  /** Called in the turn of every write, with what was written. */
  readonly onWrite: (rows: readonly CounterRow[]) => void
  /** Resolves when everything written so far is on disk. */
  readonly sync: () => Promise<void>
}

/** Milliseconds that a commit waits for more hits while they come in crowds. */
const gatherMs = 1
/** Milliseconds between an answer and its write in relaxed mode; what a crash can lose. */
const relaxedFlushMs = 1_000

/** Opens the commits of the windows that an object holds. */
export function windowCommits(held: ResidentWindows, { tables, durability, kept, onWrite, sync }: CommitOptions) {
  /** Names of the windows in state `pending`. */
  const pending = new Set<string>()
  /** Names of the windows of the commit that is on its way. */
  let writing: readonly string[] = []
  const commits = groupCommit({ write, sync, end: endWrites, gather: () => scheduler.wait(gatherMs) })
  let flushTimer: ReturnType<typeof setTimeout> | undefined

  function track(name: string, stored: StoredWindow): void {
    if (stored.state === 'pending') pending.add(name)
    // One that is on its way is kept as it was: its row is another, so that nothing finds it.
    if (!isUnsaved(stored)) kept.keep(name, stored)
  }

  function write(): void {
    writing = [...pending]
    pending.clear()
    const rows: DiskRow[] = []
    for (const name of writing) {
      const stored = held.find(name)
      if (stored == null) continue
      rows.push(rowToWrite(stored))
      held.change(name, beginWrite(stored))
    }
    tables.write(rows)
    onWrite(rows)
  }

  function endWrites(isWritten: boolean): void {
    for (const name of writing) {
      const stored = held.find(name)
      if (stored == null) continue
      const next = endWrite(stored, isWritten)
      held.change(name, next)
      track(name, next)
    }
    writing = []
  }

  /** As `covered`, and in relaxed mode too: what was handed out must not be forgotten. */
  function stored(names: readonly string[]): Promise<void> | undefined {
    const running = commits.running()
    if (pending.size === 0 && running === undefined) return undefined
    const states = names.map((name) => held.find(name)?.state)
    const waits: Promise<void>[] = []
    if (states.includes('pending')) waits.push(commits.commit())
    if (states.includes('writing') && running !== undefined) waits.push(running)
    return waits.length > 1 ? Promise.all(waits).then(() => {}) : waits[0]
  }

  return {
    /** Has the next commit write a window that waits for one. */
    track,
    /** Finds what an answer waits for: undefined when the disk holds enough, else the commit, which may reject. */
    covered(names: readonly string[]): Promise<void> | undefined {
      if (durability !== 'relaxed') return stored(names)
      if (pending.size === 0 || flushTimer !== undefined) return undefined
      flushTimer = setTimeout(() => {
        flushTimer = undefined
        void commits.commit()
      }, relaxedFlushMs)
      return undefined
    },
    stored,
    forget: (name: string): void => void pending.delete(name),
    /** True when no window waits for a commit. */
    isSaved: (): boolean => pending.size === 0,
  }
}
