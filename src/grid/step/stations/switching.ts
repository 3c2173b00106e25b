/** Moves breakers by message or by operator, and records the effects. */

import { operateBreaker } from '../../plant/plant.ts'
import type { StepContext } from '../step-context.ts'

/**
 * Opens or closes the breaker of a branch.
 *
 * @param cause - What moved the breaker, for people to read.
 * @returns false when the breaker is in that state already.
 */
export function operate(
  context: StepContext,
  branch: number,
  closed: boolean,
  cause: string,
  timeUs: number,
): boolean {
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

/** Whether the breaker of a branch is closed now. */
export function isClosed(context: StepContext, branch: number): boolean {
  return !context.world.plant.open.includes(branch)
}
