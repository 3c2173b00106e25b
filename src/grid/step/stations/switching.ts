/** Moving a breaker because a message or a person said so, and remembering what that did. */

import { operateBreaker } from '../../plant/plant.ts'
import type { StepContext } from '../step-context.ts'

/**
 * Opens or closes the breaker of a branch.
 *
 * @param cause - Who did it, for people.
 * @returns false when it stood there already.
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
