/** A counter's window and its state on disk: a state machine of hits, commits and pauses, without a clock or a disk. */

import type { Window } from '../counter.ts'
import type { Unit } from '../types.ts'
import { keptSeconds } from '../window.ts'
import {
  type Ceiling,
  exactCeiling,
  failedCeiling,
  isCovered,
  isTooFarAhead,
  raiseCeiling,
  readCeiling,
  type Scale,
  spareHits,
  unusedHits,
} from './ceiling.ts'

/** Moment at which hits reach the disk: as a ceiling ahead of them, one by one before the answer, or after it. */
export type Durability = 'durable' | 'strict' | 'relaxed'

/** A counter's place: its key and the unit that it counts in. */
export interface CounterName {
  readonly key: string
  readonly unit: Unit
}

/** A window with its counter. */
export interface CounterRow extends CounterName {
  readonly window: Window
}

/** A window as a row of the disk. */
export interface DiskRow extends CounterRow {
  /** Hits of the row that may not have been made; see `spareHits`. */
  readonly spare: number
}

/**
 * States of a window on disk.
 *
 * - `memory`: it lasts a second and is never written.
 * - `failed`: its last write failed. The next hit is written in any case.
 * - `pending`: the disk lacks something of it. An answer waits for the next commit.
 * - `writing`: a commit has its row. An answer waits for the end of that commit.
 * - `exact`: the disk holds the count.
 * - `ahead`: the disk holds a ceiling above the count, and keeps it when hits stop: a crash counts it as used.
 */
export type DiskState = 'memory' | 'failed' | 'pending' | 'writing' | 'exact' | 'ahead'

/** A window in memory with its state on disk. */
export interface StoredWindow extends CounterRow {
  readonly state: DiskState
  /** The ceiling that the disk holds, or will hold after the commit; undefined in `memory`. */
  readonly ceiling: Ceiling | undefined
  /** Last hit: Unix time in milliseconds of the object's clock; 0 in `memory` and after a restart. */
  readonly hitAtMs: number
}

/** Circumstances of a hit. */
export interface HitContext {
  /** Up to where the count may rise; null when unknown or when hits were given back, which writes the count itself. */
  readonly limit: number | null
  /** The measure of a count that is not in hits. */
  readonly scale?: Scale | undefined
  /** Unix time in milliseconds of the object's clock. */
  readonly nowMs: number
}

/** A window of a second, which no crash leaves behind. */
export function memoryWindow({ key, unit, window }: CounterRow): StoredWindow {
  return { key, unit, window, state: 'memory', ceiling: undefined, hitAtMs: 0 }
}

/** A window as the disk has it, after a restart or an eviction: all of its hits count. */
export function readWindow({ key, unit, window, spare }: DiskRow): StoredWindow {
  return { key, unit, window, state: 'exact', ceiling: readCeiling(window, spare), hitAtMs: 0 }
}

/**
 * A hit or a refund in a window of a minute or longer: any state -> `pending` when the disk would hold too little or too
 * much, otherwise `pending` and `writing` stay, and the others are `exact` or `ahead` by the ceiling and the new count.
 *
 * @param before - the window before the hit; null or undefined for one that is new.
 * @param row - the window after the hit.
 */
export function storeHit(
  before: StoredWindow | null | undefined,
  { key, unit, window }: CounterRow,
  { limit, nowMs, durability, scale }: HitContext & { readonly durability: Durability },
): StoredWindow {
  const ceiling = before?.ceiling
  // A lease that was returned may leave more unused than a ceiling may be ahead.
  const isExact = durability !== 'durable' || limit === null || isTooFarAhead(ceiling, window, limit, scale)
  if (ceiling === undefined || !isCovered(ceiling, window) || (isExact && unusedHits(ceiling, window) > 0)) {
    const next = isExact ? exactCeiling(ceiling, window, nowMs) : raiseCeiling(ceiling, window, { limit, nowMs, scale })
    return { key, unit, window, state: 'pending', ceiling: next, hitAtMs: nowMs }
  }
  return { key, unit, window, state: coveredState(before, window, ceiling), ceiling, hitAtMs: nowMs }
}

/** A commit begins: `pending` -> `writing`. */
export function beginWrite(stored: StoredWindow): StoredWindow {
  return { ...stored, state: 'writing' }
}

/** A commit ends: `writing` -> `exact` or `ahead`, or `failed`; `pending` stays for the next commit. */
export function endWrite(stored: StoredWindow, isWritten: boolean): StoredWindow {
  if (stored.state !== 'writing') return stored
  const { window, ceiling } = stored
  if (isWritten) return { ...stored, state: settledState(window, ceiling) }
  return { ...stored, state: 'failed', ceiling: ceiling && failedCeiling(ceiling) }
}

/** The row that a commit writes: the window with the hits of its ceiling. */
export function rowToWrite({ key, unit, window, ceiling }: StoredWindow): DiskRow {
  const hits = ceiling?.hits ?? window.hits
  const spare = ceiling === undefined ? 0 : spareHits(ceiling)
  return { key, unit, window: hits === window.hits ? window : { ...window, hits }, spare }
}

/** Tells whether another instance of the object would go on from a window in another way than from its row. */
export function isWorthKeeping({ state, ceiling }: StoredWindow): boolean {
  return state === 'ahead' || (state === 'exact' && ceiling !== undefined && ceiling.step > 0)
}

/** Tells whether a window is what an instance kept of a row: no other instance has written the row since. */
export function isOfRow({ ceiling }: StoredWindow, { window }: CounterRow): boolean {
  return ceiling !== undefined && ceiling.start === window.start && ceiling.hits === window.hits
}

/** Tells whether memory has hits that the disk lacks, so that the window must stay in memory. */
export function isUnsaved({ state }: StoredWindow): boolean {
  return state === 'pending' || state === 'writing'
}

/** Tells whether a window is kept no longer at `now`, Unix time in seconds. */
export function isOver({ unit, window }: CounterRow, now: number): boolean {
  return window.start + keptSeconds(unit) <= now
}

function coveredState(before: StoredWindow | null | undefined, window: Window, ceiling: Ceiling): DiskState {
  // A lease that is closed in memory and open on disk could be given back twice.
  if (window.leases !== before?.window.leases) return 'pending'
  // A reservation that is settled in memory and open on disk could be settled twice.
  if (window.reservations !== before?.window.reservations) return 'pending'
  if (before?.state === 'pending' || before?.state === 'writing') return before.state
  return settledState(window, ceiling)
}

function settledState(window: Window, ceiling: Ceiling | undefined): DiskState {
  return unusedHits(ceiling, window) === 0 ? 'exact' : 'ahead'
}
