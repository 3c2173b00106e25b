/** Windows: how long each unit is, and where the window that holds a moment begins and ends. */

import type { Unit } from './types.ts'

/** Length of each unit in seconds. Week, month and year are fixed spans, not calendar periods. */
export const unitSeconds: Readonly<Record<Unit, number>> = {
  SECOND: 1,
  MINUTE: 60,
  HOUR: 3_600,
  DAY: 86_400,
  WEEK: 604_800,
  MONTH: 2_592_000,
  YEAR: 31_536_000,
}

/** Seconds for which a counter of unit SECOND is kept, in memory only: a sliding window needs the one before too. */
const memorySeconds = 2

/** Seconds for which a counter is kept from the start of its window. */
export function keptSeconds(unit: Unit): number {
  return unit === 'SECOND' ? memorySeconds : unitSeconds[unit]
}

/** Seconds that a clock which is set right may step back; by more, it had leapt ahead and came back. */
export const longestStepBack = 60

/** Every unit, shortest first. */
export const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const satisfies Unit[]

/** Reads a unit as a configuration file writes it: any case, no spaces around; null when there is no such unit. */
export function parseUnit(text: string): Unit | null {
  const name = text.toUpperCase()
  return units.find((unit) => unit === name) ?? null
}

/** Windows in a row without gaps that are not those of a unit. Times are Unix seconds. */
export interface Span {
  /** Seconds that a window lasts, or about as many where they differ. */
  readonly length: number
  /** Finds the start of the window that contains a moment. */
  readonly startOf: (now: number) => number
  /** Finds the end of the window that contains a moment, which is the start of the next one. */
  readonly endOf: (now: number) => number
}

/** Windows of a unit, or of a span. */
export type Windows = Unit | Span

/** Makes windows of so many seconds, aligned to the Unix epoch. */
export function spanOf(length: number): Span {
  const startOf = (now: number) => Math.floor(now / length) * length
  return { length, startOf, endOf: (now) => startOf(now) + length }
}

/** Finds how many seconds a window lasts. */
export function windowLength(windows: Windows): number {
  return typeof windows === 'string' ? unitSeconds[windows] : windows.length
}

/**
 * Finds the window that contains `now`.
 *
 * Windows of a unit are aligned to the Unix epoch, so every counter of one unit turns over together; a week therefore
 * begins on Thursday at 00:00 UTC.
 *
 * @param now - Unix time in whole seconds, read by the owner of the counter.
 * @returns Unix time in seconds, never after `now`; of a unit a multiple of its length.
 */
export function windowStart(windows: Windows, now: number): number {
  if (typeof windows !== 'string') return windows.startOf(now)
  const length = unitSeconds[windows]
  return Math.floor(now / length) * length
}

/** Tells how many whole seconds, 1 at least, the window that contains `now` (Unix seconds) still lasts. */
export function secondsUntilReset(windows: Windows, now: number): number {
  if (typeof windows !== 'string') return windows.endOf(now) - now
  const length = unitSeconds[windows]
  return length - (now % length)
}
