/** The step that is due at a moment, and the limit beyond which the engine jumps instead of catching up. */

import { stepsPerSecond } from '../configuration.ts'

/** From which moment and step on the engine runs, and how fast. */
export interface Pace {
  /** Unix time in milliseconds at which `anchorStep` was due. */
  readonly anchorMs: number
  readonly anchorStep: number
  /** Simulated seconds per second. */
  readonly speed: number
}

/** Most steps that the engine catches up: a minute. When more are due it jumps and records the gap. */
export const catchUpSteps = 600

/** The number of steps that should have been computed at a moment; never fewer than at the anchor. */
export function dueStep({ anchorMs, anchorStep, speed }: Pace, nowMs: number): number {
  const elapsed = Math.max(0, nowMs - anchorMs)
  // A thousandth of a step of slack: 0.1 s are not a whole number of milliseconds at every speed.
  return anchorStep + Math.floor((elapsed * speed * stepsPerSecond) / 1000 + 1e-3)
}

/** Milliseconds until a number of steps is due; at least one, so that a timer always yields. */
export function untilStep(pace: Pace, steps: number, nowMs: number): number {
  const due = pace.anchorMs + ((steps - pace.anchorStep) * 1000) / (stepsPerSecond * pace.speed)
  return Math.max(1, Math.ceil(due - nowMs))
}
