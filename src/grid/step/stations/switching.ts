/** Moves breakers by message or by operator, and records the effects. */

import { operateBreaker } from '../../plant/plant.ts'
import { loseStep, refuseClosing } from '../../plant/synchronism.ts'
import type { Selection } from '../dialogue.ts'
import type { BreakerMoves, StepLog, StepScene } from '../step-context.ts'
import { countOperation } from './outstation-state.ts'

/** Microseconds for which a selection holds (the default of DNP3 stacks is 10 s). */
export const selectUs = 10_000_000

/** Tests that a master has selected exactly this, and not too long ago. */
export function isSelected(selection: Selection | null, value: string, timeUs: number): boolean {
  return selection !== null && selection.value === value && timeUs <= selection.untilUs
}

/** The parts of a step that a breaker touches when it moves. */
export type Switchgear = Pick<StepScene, 'world' | 'plan' | 'network'> &
  Pick<StepLog, 'effects' | 'events'> &
  Pick<BreakerMoves, 'switched'>

/**
 * Opens or closes the breaker of a branch, a closing after the check of synchronism unless it is forced; false when the
 * breaker is in that state already, or its check refuses. `cause` is for people to read.
 */
export function operate(
  context: Switchgear,
  branch: number,
  closed: boolean,
  cause: string,
  timeUs: number,
  isForced = false,
): boolean {
  const { plant } = context.world
  const breaker = context.plan.breakerNames.get(branch) ?? `branch ${branch}`
  if (closed && plant.open.includes(branch)) {
    const refusal = isForced ? undefined : refuseClosing(plant, context.network, branch)
    if (refusal !== undefined) {
      announce(context, 'refused', `${breaker} did not close for ${cause}: ${refusal}`, timeUs)
      return false
    }
    const events: string[] = []
    loseStep(plant, context.network, branch, events)
    for (const text of events) announce(context, 'happening', text, timeUs)
  }
  if (!operateBreaker(plant, branch, closed)) return false
  const state = closed ? 'closed' : 'open'
  const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
  if (outstation !== undefined) countOperation(context.world, outstation)
  context.effects.push({ breaker, state, cause })
  context.switched.push({ branch, closed, timeUs })
  context.events.push({ topic: 'grid', data: { timestamp: timeUs / 1e6, event: 'breaker', breaker, state, cause } })
  return true
}

/** Tells listeners of something that no device reports, or of an order that was not carried out. */
export function announce(
  { events }: Pick<StepLog, 'events'>,
  event: 'happening' | 'refused',
  text: string,
  timeUs: number,
): void {
  events.push({ topic: 'grid', data: { timestamp: timeUs / 1e6, event, text } })
}

/** Tests that the breaker of a branch is closed now. */
export function isClosed({ world }: Pick<StepScene, 'world'>, branch: number): boolean {
  return !world.plant.open.includes(branch)
}
