/** The windows of one object in memory and on disk: reads, writes and timers around the state of each window. */

import type { Window } from '#ratelimit/counter.ts'
import type { Scale } from '#ratelimit/durability/ceiling.ts'
import {
  beginWrite,
  type CounterName,
  type CounterRow,
  type DiskRow,
  type Durability,
  endWrite,
  isUnsaved,
  memoryWindow,
  readWindow,
  rowToWrite,
  type StoredWindow,
  storeHit,
} from '#ratelimit/durability/stored-window.ts'
import type { CounterTables } from '../storage/counters.ts'
import { groupCommit } from '../storage/group-commit.ts'
import type { KeptWindows } from './kept-windows.ts'
import { residentWindows } from './resident.ts'

interface DurableWindowsOptions {
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

/** Opens the windows of one object; a limit that is not known makes the disk hold the count itself. */
export function durableWindows(options: DurableWindowsOptions) {
  const { tables, durability, kept, onWrite, sync } = options
  const held = residentWindows()
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
    find(name: string, place: CounterName, now: number): Window | undefined {
      const known = held.find(name)
      if (known !== undefined) return known?.window
      if (place.unit === 'SECOND') return undefined
      const row = tables.row(place)
      if (row === undefined) {
        held.keep(name, null, now)
        return undefined
      }
      const next = (row.isOwn ? kept.find(name, row) : undefined) ?? readWindow(row)
      held.keep(name, next, now)
      return next.window
    },
    keep(name: string, row: CounterRow, limit: number | null, nowMs: number, scale?: Scale): void {
      const now = Math.floor(nowMs / 1000)
      if (row.unit === 'SECOND') held.keep(name, memoryWindow(row), now)
      else {
        const next = storeHit(held.find(name), row, { limit, nowMs, durability, scale })
        held.keep(name, next, now)
        track(name, next)
      }
    },
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
    forget(name: string): void {
      held.forget(name)
      kept.forget(name)
      pending.delete(name)
    },
    /** Lets go of everything that is over at `now`, Unix time in seconds. */
    forgetExpired: (now: number): void => held.forgetExpired(now),
    /** True when no window waits for a commit. */
    isSaved: (): boolean => pending.size === 0,
  }
}
