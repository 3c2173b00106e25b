/** A counter's window and its state on disk: a state machine of hits, commits and pauses, without a clock or a disk. */

import type { Window } from '../counter.ts'
import type { Unit } from '../types.ts'
import { unitSeconds } from '../window.ts'
import { type Ceiling, exactCeiling, isCovered, isTooFarAhead, raiseCeiling, unusedHits } from './ceiling.ts'

/**
 * Moment at which hits reach the disk: `durable` writes a ceiling ahead of them, `strict` every one of them before
 * its answer, `relaxed` every one of them after its answer.
 */
export type Durability = 'durable' | 'strict' | 'relaxed'

/** A counter's place: its key and the unit that it counts in. */
export interface CounterName {
  readonly key: string
  readonly unit: Unit
}

/** A window as a row of the disk. */
export interface CounterRow extends CounterName {
  readonly window: Window
}

/**
 * States of a window on disk.
 *
 * - `memory`: it lasts a second and is never written.
 * - `read`: it was read from the disk, or its last write failed. The next hit is written in any case.
 * - `pending`: the disk lacks something of it. An answer waits for the next commit.
 * - `writing`: a commit has its row. An answer waits for the end of that commit.
 * - `exact`: the disk holds the count.
 * - `ahead`: the disk holds a ceiling above the count. A second without hits makes it `pending` with the count.
 * - `over`: it ended while the disk was ahead. Nothing more is written of it.
 */
export type DiskState = 'memory' | 'read' | 'pending' | 'writing' | 'exact' | 'ahead' | 'over'

/** A window in memory with its state on disk. */
export interface StoredWindow extends CounterRow {
  readonly state: DiskState
  /** The ceiling that the disk holds, or will hold after the commit; undefined in `memory` and `read`. */
  readonly ceiling: Ceiling | undefined
  /** Last hit: Unix time in milliseconds of the object's clock; 0 in `memory` and `read`. */
  readonly hitAtMs: number
}

/** Circumstances of a hit. */
export interface HitContext {
  /** Hits that the window admits; null when unknown or when hits were given back, which writes the count itself. */
  readonly limit: number | null
  /** Unix time in milliseconds of the object's clock. */
  readonly nowMs: number
  readonly durability: Durability
  /** Step of an earlier instance, for a window without a ceiling; see `restedCeiling`. */
  readonly rested: Ceiling | undefined
}

/** Milliseconds without a hit after which the disk gets the count in place of the ceiling. */
export const idleMs = 750

/** A window of a second, which no crash leaves behind. */
export function memoryWindow({ key, unit, window }: CounterRow): StoredWindow {
  return { key, unit, window, state: 'memory', ceiling: undefined, hitAtMs: 0 }
}

/** A window as the disk has it, after a restart or an eviction. */
export function readWindow({ key, unit }: CounterName, window: Window): StoredWindow {
  return { key, unit, window, state: 'read', ceiling: undefined, hitAtMs: 0 }
}

/**
 * A hit or a refund in a window of a minute or longer: any state -> `pending` when the disk would hold too little or too much, otherwise
 * `pending` and `writing` stay, and the others are `exact` or `ahead` by the ceiling and the new count.
 *
 * @param before - the window before the hit; nothing for one that is new.
 * @param row - the window after the hit.
 */
export function storeHit(
  before: StoredWindow | null | undefined,
  { key, unit, window }: CounterRow,
  { limit, nowMs, durability, rested }: HitContext,
): StoredWindow {
  const ceiling = before?.ceiling ?? rested
  // A lease that was returned may leave more unused than a ceiling may be ahead.
  const isExact = durability !== 'durable' || limit === null || isTooFarAhead(ceiling, window, limit)
  if (ceiling === undefined || !isCovered(ceiling, window) || (isExact && unusedHits(ceiling, window) > 0)) {
    const next = isExact ? exactCeiling(ceiling, window, nowMs) : raiseCeiling(ceiling, window, limit, nowMs)
    return { key, unit, window, state: 'pending', ceiling: next, hitAtMs: nowMs }
  }
  return { key, unit, window, state: coveredState(before, window, ceiling), ceiling, hitAtMs: nowMs }
}

/** A commit begins: `pending` -> `writing`. */
export function beginWrite(stored: StoredWindow): StoredWindow {
  return { ...stored, state: 'writing' }
}

/**
 * A commit ends: `writing` -> `exact` or `ahead`, and `read` when it failed.
 *
 * A window that is `pending` again stays so: its row is part of the next commit.
 */
export function endWrite(stored: StoredWindow, isWritten: boolean): StoredWindow {
  if (stored.state !== 'writing') return stored
  if (!isWritten) return readWindow(stored, stored.window)
  return { ...stored, state: settledState(stored.window, stored.ceiling) }
}

/**
 * Time passes: a window ahead of its count without a hit for `idleMs` -> `pending` with the count, because an object
 * may be evicted without notice; `ahead` -> `over` after its end. Otherwise the same object is returned.
 *
 * @param nowMs - Unix time in milliseconds; one before the last hit by more than `idleMs` counts as a pause too.
 */
export function restWindow(stored: StoredWindow, nowMs: number): StoredWindow {
  const { key, unit, window, state, ceiling, hitAtMs } = stored
  if (!isAhead(stored)) return stored
  if (isOver(stored, Math.floor(nowMs / 1000))) return state === 'ahead' ? { ...stored, state: 'over' } : stored
  if (Math.abs(nowMs - hitAtMs) < idleMs) return stored
  return {
    key,
    unit,
    window,
    state: 'pending',
    ceiling: exactCeiling(ceiling, window, nowMs),
    hitAtMs: nowMs,
  }
}

/** The row that a commit writes: the window with the hits of its ceiling. */
export function rowToWrite({ key, unit, window, ceiling }: StoredWindow): CounterRow {
  const hits = ceiling?.hits ?? window.hits
  return { key, unit, window: hits === window.hits ? window : { ...window, hits } }
}

/** Tells whether the disk holds more than the count, or will after the commit, while the window can be hit. */
export function isAhead({ window, state, ceiling }: StoredWindow): boolean {
  return state !== 'over' && unusedHits(ceiling, window) > 0
}

/** Tells whether memory has something that the disk lacks, so that the window must stay in memory. */
export function isUnsaved({ state }: StoredWindow): boolean {
  return state === 'pending' || state === 'writing' || state === 'ahead'
}

/** Tells whether a window has ended at `now`, Unix time in seconds. */
export function isOver({ unit, window }: CounterRow, now: number): boolean {
  return window.start + unitSeconds[unit] <= now
}

function coveredState(before: StoredWindow | null | undefined, window: Window, ceiling: Ceiling): DiskState {
  // A lease that is closed in memory and open on disk could be given back twice.
  if (window.leases !== before?.window.leases) return 'pending'
  if (before?.state === 'pending' || before?.state === 'writing') return before.state
  return settledState(window, ceiling)
}

function settledState(window: Window, ceiling: Ceiling | undefined): DiskState {
  return unusedHits(ceiling, window) === 0 ? 'exact' : 'ahead'
}
