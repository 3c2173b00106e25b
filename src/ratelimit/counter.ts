/** The arithmetic of one counter: a fixed window and the hits in it, as pure values. */

import type { Hits } from './ports.ts'
import type { Unit } from './types.ts'
import { longestStepBack, secondsUntilReset, unitSeconds, windowStart } from './window.ts'

/** The most a counter can hold; further hits leave it there, and every limit (32 bits) is long passed. */
export const maxHits = Number.MAX_SAFE_INTEGER

/** One counter's state: when its window began and what was counted since. */
export interface Window {
  /** Unix time in seconds, a multiple of the unit's length. */
  readonly start: number
  /** 0 to 2^53 - 1. */
  readonly hits: number
}

/** What counting came to: the state to keep and the answer to give. */
export interface Counted {
  readonly window: Window
  readonly hits: Hits
}

/** Reads the hits of a window at a moment: 0 once the window has turned. */
export function hitsAt(window: Window | undefined, unit: Unit, now: number): number {
  return window !== undefined && window.start === windowStart(unit, now) ? window.hits : 0
}

/**
 * Adds hits to a counter.
 *
 * A clock that stepped back by a little, to before the window's start, keeps the newer window, so that no hit is
 * forgotten and none is counted twice. After a clock that leapt ahead and came back, the hits move to the window that
 * is open now: kept where they are, they would refuse until that moment comes.
 *
 * @param window - the state kept so far; undefined for a counter that was never hit.
 * @param addend - hits to add, 0 to 2^53 - 1.
 * @param now - Unix time in whole seconds, read by the counter's owner.
 */
export function addHits(window: Window | undefined, unit: Unit, addend: number, now: number): Counted {
  const current = currentWindow(window, unit, now)
  const moment = Math.max(now, current?.start ?? 0)
  const after = Math.min(maxHits, hitsAt(current, unit, moment) + addend)
  return counted(unit, after, moment)
}

/**
 * Gives hits back; the counter never falls below 0.
 *
 * @returns null when there is nothing to give back to: a counter that is missing or whose window has turned
 * stays missing.
 */
export function refundHits(
  window: Window | undefined,
  unit: Unit,
  addend: number,
  now: number,
): Counted | null {
  const current = currentWindow(window, unit, now)
  const moment = Math.max(now, current?.start ?? 0)
  if (current === undefined || current.start !== windowStart(unit, moment)) return null
  return counted(unit, Math.max(0, current.hits - addend), moment)
}

/** Reads a counter without changing it. */
export function peekHits(window: Window | undefined, unit: Unit, now: number): Hits {
  const current = currentWindow(window, unit, now)
  const moment = Math.max(now, current?.start ?? 0)
  return { after: hitsAt(current, unit, moment), secondsUntilReset: secondsUntilReset(unit, moment) }
}

/** The window to count in: moved to now when it begins farther ahead than a clock that is set right steps back. */
function currentWindow(window: Window | undefined, unit: Unit, now: number): Window | undefined {
  if (window === undefined || window.start - now <= Math.min(longestStepBack, unitSeconds[unit]))
    return window
  return { start: windowStart(unit, now), hits: window.hits }
}

function counted(unit: Unit, after: number, now: number): Counted {
  return {
    window: { start: windowStart(unit, now), hits: after },
    hits: { after, secondsUntilReset: secondsUntilReset(unit, now) },
  }
}
