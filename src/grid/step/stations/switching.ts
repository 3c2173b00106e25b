/** Moving a breaker because a message or a person said so, and remembering what that did. */

import { operateBreaker } from '../../plant/plant.ts'
import type { Turn } from '../step-context.ts'

/**
 * Opens or closes the breaker of a branch.
 *
 * @param cause - Who did it, for people.
 * @returns false when it stood there already.
 */
export function operate(turn: Turn, branch: number, closed: boolean, cause: string, timeUs: number): boolean {
  if (!operateBreaker(turn.world.plant, branch, closed)) return false
  const breaker = turn.plan.breakerNames.get(branch) ?? `branch ${branch}`
  const state = closed ? 'closed' : 'open'
  turn.effects.push({ breaker, state, cause })
  turn.switched.push({ branch, closed, timeUs })
  turn.events.push({
    topic: 'grid',
    data: { timestamp: timeUs / 1e6, event: 'breaker', breaker, state, cause },
  })
  return true
}

/** Whether the breaker of a branch is closed now. */
export function isClosed(turn: Turn, branch: number): boolean {
  return !turn.world.plant.open.includes(branch)
}
