/** Moves breakers by message or by operator, and records the effects. */

import { operateBreaker } from '../../plant/plant.ts'
import type { BreakerMoves, StepLog, StepScene } from '../step-context.ts'

/** The parts of a step that a breaker touches when it moves. */
export type Switchgear = Pick<StepScene, 'world' | 'plan'> &
  Pick<StepLog, 'effects' | 'events'> &
  Pick<BreakerMoves, 'switched'>

/**
 * Opens or closes the breaker of a branch.
 *
 * @param cause - The device or message that moved the breaker, for people to read.
 * @returns false when the breaker is in that state already.
 */
export function operate(context: Switchgear, branch: number, closed: boolean, cause: string, timeUs: number): boolean {
  if (!operateBreaker(context.world.plant, branch, closed)) return false
  const breaker = context.plan.breakerNames.get(branch) ?? `branch ${branch}`
  const state = closed ? 'closed' : 'open'
  context.effects.push({ breaker, state, cause })
  context.switched.push({ branch, closed, timeUs })
  context.events.push({
    topic: 'grid',
    data: { timestamp: timeUs / 1e6, event: 'breaker', breaker, state, cause },
  })
  return true
}

/** Tests that the breaker of a branch is closed now. */
export function isClosed({ world }: Pick<StepScene, 'world'>, branch: number): boolean {
  return !world.plant.open.includes(branch)
}
