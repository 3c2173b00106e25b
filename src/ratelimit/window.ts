/** Fixed windows: how long each unit is, and where the window that holds a moment begins and ends. */

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

/** Seconds that a clock which is set right may step back; by more, it had leapt ahead and came back. */
export const longestStepBack = 60

/** Every unit, shortest first. */
export const units = ['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const satisfies Unit[]

/** Reads a unit as a configuration file writes it: any case, no spaces around; null when there is no such unit. */
export function parseUnit(text: string): Unit | null {
  const name = text.toUpperCase()
  return units.find((unit) => unit === name) ?? null
}

/**
 * Finds the fixed window that contains `now`.
 *
 * Windows are aligned to the Unix epoch, so every counter of one unit turns over together; a week therefore
 * begins on Thursday at 00:00 UTC.
 *
 * @param now - Unix time in whole seconds, read by the owner of the counter.
 * @returns Unix time in seconds; a multiple of the unit's length, never after `now`.
 */
export function windowStart(unit: Unit, now: number): number {
  const length = unitSeconds[unit]
  return Math.floor(now / length) * length
}

/**
 * Tells how long the window that contains `now` still lasts.
 *
 * @param now - Unix time in whole seconds.
 * @returns whole seconds, 1 to the unit's length.
 */
export function secondsUntilReset(unit: Unit, now: number): number {
  const length = unitSeconds[unit]
  return length - (now % length)
}
