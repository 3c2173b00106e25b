/** The arithmetic of one counter: fixed windows and the hits in them, as pure values. */

import type { Hits } from './ports.ts'
import type { KeptReservation } from './reservation/reservations.ts'
import { secondsUntilReset, type Windows, windowLength, windowStart } from './window.ts'

/** The most a counter can hold; further hits leave it there, and every limit (32 bits) is long passed. */
export const maxHits = Number.MAX_SAFE_INTEGER

/** Windows that a counter keeps beside the open one: a clock may show so many others before it comes back to one. */
export const mostShown = 5

/** A window that the clock showed before the open one. */
export interface ShownWindow {
  /** Unix time in seconds, the start of a window. */
  readonly start: number
  /** Its count less that of the open window. Hits count in both, so this changes only when hits are given back. */
  readonly more: number
}

/** One counter's state: the window that is open, and what else may be open if the clock is wrong. */
export interface Window {
  /** Unix time in seconds, the start of a window. */
  readonly start: number
  /** 0 to 2^53 - 1. */
  readonly hits: number
  /** Windows that the clock showed before, the latest first, at most `mostShown`; absent for none. */
  readonly shown?: readonly ShownWindow[] | undefined
  /** Stretch over which the clock ran without a leap, in Unix seconds; absent after a restart. */
  readonly runsSince?: number | undefined
  readonly ranUntil?: number | undefined
  /** Open leases of the open window that outlive a restart, in its hits; absent for none. */
  readonly leases?: readonly KeptLease[] | undefined
  /** Reservations of any window of the counter; absent for none. */
  readonly reservations?: readonly KeptReservation[] | undefined
}

/** An open lease as it is kept with its window. */
export type KeptLease = readonly [id: number, granted: number]

/** Result of counting: the state to keep and the answer to give. */
export interface Counted {
  readonly window: Window
  readonly hits: Hits
}

/**
 * Adds hits to a counter.
 *
 * They count in the open window and in every other one that is kept, because a clock that leaps tells too late which
 * of them is right.
 *
 * @param window - the state kept so far; undefined for a counter that was never hit.
 * @param addend - hits to add, 0 to 2^53 - 1.
 * @param now - Unix time in whole seconds, read by the counter's owner.
 */
export function addHits(window: Window | undefined, windows: Windows, addend: number, now: number): Counted {
  return counted(openWindow(window, windows, now), addend, windows, now)
}

/**
 * Gives hits back; the counter never falls below 0. Other windows keep their counts, because these hits may be theirs.
 *
 * @returns null when there is nothing to give back to: a counter that is missing or whose window has turned
 * stays missing.
 */
export function refundHits(window: Window | undefined, windows: Windows, addend: number, now: number): Counted | null {
  const open = openWindow(window, windows, now)
  if (window === undefined || hasTurned(window, open)) return null
  return counted(withoutHits(open, addend), 0, windows, now)
}

/** Tells whether the window of a counter has turned and nothing was counted since: the counter is as good as missing. */
export function hasTurned(window: Window, open: Window): boolean {
  return open.start !== window.start && open.hits === 0
}

/** Reads a counter without changing it. */
export function peekHits(window: Window | undefined, windows: Windows, now: number): Hits {
  return counted(openWindow(window, windows, now), 0, windows, now).hits
}

/** Takes hits off the open window, which never falls below 0, and off no other. */
export function withoutHits(window: Window, addend: number): Window {
  const hits = Math.max(0, window.hits - addend)
  if (window.shown === undefined) return { ...window, hits }
  return { ...window, hits, shown: shiftCounts(window.shown, window.hits - hits) }
}

/**
 * Opens the window of a moment: the one that is open, one that was shown before, or a new one.
 *
 * A new window begins at 0, but with the hits of the later windows that are kept: the clock showed those too early, or
 * is behind now.
 */
export function openWindow(window: Window | undefined, windows: Windows, now: number): Window {
  if (window === undefined) return { start: windowStart(windows, now), hits: 0, runsSince: now, ranUntil: now }
  const { ranUntil, start: left, hits } = window
  if (ranUntil === now) return window
  const length = windowLength(windows)
  // A clock that goes on by at most an eighth of a window at a time has not leapt over one.
  const isOn = ranUntil !== undefined && now > ranUntil && now - ranUntil <= Math.max(1, length / 8)
  const runsSince = isOn ? (window.runsSince ?? now) : now
  const start = windowStart(windows, now)
  if (start === left) return { ...window, runsSince, ranUntil: now }
  // A clock that has run as long as a window lasts has left behind what was shown before that.
  const before = now - runsSince >= length ? [] : (window.shown ?? [])
  const count = countAt(start, window, before)
  const others = before.filter((other) => other.start !== start).slice(0, mostShown - 1)
  const shown = shiftCounts([{ start: left, more: 0 }, ...others], hits - count)
  return { start, hits: count, shown, runsSince, ranUntil: now }
}

/** The count with which a window opens. */
function countAt(start: number, { start: left, hits }: Window, shown: readonly ShownWindow[]): number {
  const known = shown.find((other) => other.start === start)
  if (known !== undefined) return Math.max(0, hits + known.more)
  const later = shown.filter((other) => other.start > start).map(({ more }) => hits + more)
  return Math.max(0, left > start ? hits : 0, ...later)
}

function shiftCounts(shown: readonly ShownWindow[], by: number): readonly ShownWindow[] {
  return shown.map(({ start, more }) => ({ start, more: more + by }))
}

function counted(open: Window, addend: number, windows: Windows, now: number): Counted {
  const hits = Math.min(maxHits, open.hits + addend)
  const { start, shown, runsSince, ranUntil, leases } = open
  return {
    window: { start, hits, shown, runsSince, ranUntil, leases },
    hits: { after: hits, secondsUntilReset: secondsUntilReset(windows, now) },
  }
}
