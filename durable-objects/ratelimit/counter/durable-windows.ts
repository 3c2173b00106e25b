/** The windows of one object in memory and on disk: what an answer must wait for, and what the disk holds ahead. */

import type { Window } from '#ratelimit/counter.ts'
import {
  type Ceiling,
  exactCeiling,
  isCovered,
  isTooFarAhead,
  raiseCeiling,
  unusedHits,
} from '#ratelimit/quota/ceiling.ts'
import { unitSeconds } from '#ratelimit/window.ts'
import type { CounterName, CounterRow, CounterTables } from '../storage/counters.ts'
import { groupCommit } from '../storage/group-commit.ts'
import type { IdleSteps } from './idle-steps.ts'
import { type HeldWindow, residentWindows } from './resident.ts'

/**
 * Moment at which hits reach the disk: `durable` writes a ceiling ahead of them, `strict` every one of them before its answer,
 * `relaxed` every one of them after its answer.
 */
export type Durability = 'durable' | 'strict' | 'relaxed'

/** Windows by name; the name is unique among all keys and units. */
export interface DurableWindows {
  /** Finds a window in memory or on disk. */
  find(name: string, place: CounterName, now: number): Window | undefined
  /**
   * Keeps what was counted.
   *
   * @param limit - hits that the window admits; null when unknown or when hits were given back, which makes the disk
   *   hold the count itself.
   * @param nowMs - Unix time in milliseconds.
   */
  keep(name: string, row: CounterRow, limit: number | null, nowMs: number): void
  /**
   * Finds what an answer waits for.
   *
   * @returns undefined when the disk holds at least the counts of these names, or need not in relaxed mode; otherwise
   *   a promise that resolves once it does, and rejects when it could not be written.
   */
  covered(names: readonly string[]): Promise<void> | undefined
  /** As `covered`, and in relaxed mode too: what was handed out must not be forgotten. */
  stored(names: readonly string[]): Promise<void> | undefined
  forget(name: string): void
  /** Lets go of everything that is over at `now`, Unix time in seconds. */
  forgetExpired(now: number): void
  /** True when the disk lacks nothing. */
  isSaved(): boolean
}

/** Tables, clocks and callbacks of the windows. */
export interface DurableWindowsOptions {
  readonly tables: CounterTables
  readonly durability: Durability
  /** Demand as an earlier instance knew it. */
  readonly steps: IdleSteps
  /** Called in the turn of every write, with what was written. */
  readonly onWrite: (rows: readonly CounterRow[]) => void
  /** Resolves when everything written so far is on disk. */
  readonly sync: () => Promise<void>
}

/** Milliseconds that a commit waits for more hits while they come in crowds. */
const gatherMs = 1
/** Milliseconds between an answer and its write in relaxed mode; what a crash can lose. */
const relaxedFlushMs = 1_000
/** Milliseconds without a hit after which the disk gets the count in place of the ceiling. */
const idleMs = 750
/** Shortest time between two looks for counters that are idle, in milliseconds; with `idleMs` it makes one second. */
const lookMs = 250

/** Opens the windows of one object. */
export function durableWindows(options: DurableWindowsOptions): DurableWindows {
  const { tables, durability, steps, onWrite, sync } = options
  /** Rows that the disk lacks, as they will be written. */
  const dirty = new Map<string, CounterRow>()
  /** Writes that have begun or wait, by the counter they are for. */
  const writes = new Map<string, Promise<void>>()
  /** Time of the last hit of each counter below its ceiling, in Unix milliseconds. */
  const below = new Map<string, number>()
  const held = residentWindows((name) => dirty.has(name) || writes.has(name) || below.has(name))
  const commit = groupCommit({ write, sync, gather: () => scheduler.wait(gatherMs) })
  let timer: ReturnType<typeof setTimeout> | undefined

  function write(): void {
    const rows = [...dirty.values()]
    dirty.clear()
    tables.write(rows)
    onWrite(rows)
  }

  /** Commits what is dirty among the names. A ceiling that could not be written covers nothing. */
  function commitFor(names: readonly string[]): Promise<void> {
    const written = commit()
    for (const name of names) writes.set(name, written)
    const end = (isWritten: boolean) => {
      for (const name of names) {
        if (writes.get(name) === written) writes.delete(name)
        if (!isWritten) uncover(name)
      }
    }
    written.then(
      () => end(true),
      () => end(false),
    )
    return written
  }

  function uncover(name: string): void {
    const known = held.find(name)
    below.delete(name)
    if (known != null) held.keep(name, { ...known, ceiling: undefined }, known.window.start)
  }

  function keepCeiling(name: string, known: HeldWindow, limit: number | null, nowMs: number): Ceiling {
    const { window, ceiling: before = steps.find(name) } = known
    const leasesBefore = held.find(name)?.window.leases
    // A lease that was returned may leave more unused than a ceiling may be ahead.
    const isExact = limit === null || durability === 'strict' || isTooFarAhead(before, window, limit)
    let ceiling = before
    if (ceiling === undefined || !isCovered(before, window) || (isExact && unusedHits(before, window) > 0)) {
      ceiling = isExact ? exactCeiling(before, window, nowMs) : raiseCeiling(before, window, limit, nowMs)
      dirty.set(name, { ...known, window: { ...window, hits: ceiling.hits } })
    } else if (window.leases !== leasesBefore) {
      // A lease that is closed in memory and open on disk could be given back twice.
      dirty.set(name, { ...known, window: { ...window, hits: ceiling.hits } })
    }
    held.keep(name, { ...known, ceiling }, Math.floor(nowMs / 1000))
    if (unusedHits(ceiling, window) === 0) below.delete(name)
    else {
      below.set(name, nowMs)
      lookIn(idleMs)
    }
    return ceiling
  }

  /** Writes the counts of counters that had no hit lately: the object may be evicted without notice. */
  function lookForIdle(): void {
    const nowMs = Date.now()
    timer = undefined
    const idle: string[] = []
    let earliest = Number.POSITIVE_INFINITY
    for (const [name, lastMs] of below) {
      const known = held.find(name)
      if (known == null || isOver(known, nowMs)) below.delete(name)
      // A clock that was set back must not keep the count from the disk.
      else if (Math.abs(nowMs - lastMs) < idleMs) earliest = Math.min(earliest, lastMs)
      else {
        steps.keep(name, keepCeiling(name, known, null, nowMs))
        idle.push(name)
      }
    }
    // A failed write shows in the answer to the next hit, which must write again.
    if (idle.length > 0) commitFor(idle).catch(() => {})
    if (below.size > 0) lookIn(Math.max(lookMs, earliest + idleMs - nowMs))
  }

  function lookIn(delayMs: number): void {
    if (timer === undefined) timer = setTimeout(lookForIdle, delayMs)
  }

  function stored(names: readonly string[]): Promise<void> | undefined {
    if (dirty.size === 0 && writes.size === 0) return undefined
    const lacking = names.filter((name) => dirty.has(name))
    const waits = lacking.length === 0 ? [] : [commitFor(lacking)]
    for (const name of names) {
      const begun = writes.get(name)
      if (begun !== undefined && !waits.includes(begun)) waits.push(begun)
    }
    return waits.length > 1 ? Promise.all(waits).then(() => {}) : waits[0]
  }

  function writeLater(): void {
    if (timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      void commit()
    }, relaxedFlushMs)
  }

  return {
    find(name, place, now) {
      const known = held.find(name)
      if (known !== undefined) return known?.window
      if (place.unit === 'SECOND') return undefined
      const window = tables.window(place)
      held.keep(name, window === undefined ? null : { ...place, window }, now)
      return window
    },
    keep(name, row, limit, nowMs) {
      if (row.unit !== 'SECOND' && durability !== 'relaxed') {
        keepCeiling(name, { ...row, ceiling: held.find(name)?.ceiling }, limit, nowMs)
        return
      }
      held.keep(name, row, Math.floor(nowMs / 1000))
      if (row.unit !== 'SECOND') dirty.set(name, row)
    },
    covered(names) {
      if (durability !== 'relaxed') return stored(names)
      if (dirty.size > 0) writeLater()
      return undefined
    },
    stored,
    forget(name) {
      held.forget(name)
      dirty.delete(name)
      below.delete(name)
    },
    forgetExpired: (now) => held.forgetExpired(now),
    isSaved: () => dirty.size === 0,
  }
}

function isOver({ unit, window }: CounterRow, nowMs: number): boolean {
  return (window.start + unitSeconds[unit]) * 1000 <= nowMs
}
