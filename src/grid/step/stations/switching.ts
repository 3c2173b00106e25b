/** Moves breakers and records what follows. */

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

/** A movement of the breaker of a branch. */
interface Move {
  readonly branch: number
  readonly closed: boolean
  /** For people to read. */
  readonly cause: string
  readonly timeUs: number
  readonly isForced?: boolean
}

/** Opens or closes a breaker; false where it is in that state, or a check of synchronism that is not forced refuses. */
export function operate(context: Switchgear, move: Move): boolean {
  const { branch, closed } = move
  if (isClosed(context, branch) === closed) return false
  const breaker = context.plan.breakerNames.get(branch) ?? `branch ${branch}`
  if (closed && !prepareClosing(context, breaker, move)) return false
  operateBreaker(context.world.plant, branch, closed)
  recordMove(context, breaker, move)
  return true
}

/** Checks synchronism, and trips the machines that lose step; false when the check refuses. */
function prepareClosing(context: Switchgear, breaker: string, { branch, cause, timeUs, isForced }: Move): boolean {
  const { plant } = context.world
  const refusal = isForced ? undefined : refuseClosing(plant, context.network, branch)
  if (refusal !== undefined) {
    announce(context, 'refused', `${breaker} did not close for ${cause}: ${refusal}`, timeUs)
    return false
  }
  const loss = loseStep(plant, context.network, branch)
  if (loss !== undefined) announce(context, 'happening', loss, timeUs)
  return true
}

function recordMove(context: Switchgear, breaker: string, { branch, closed, cause, timeUs }: Move): void {
  const state = closed ? 'closed' : 'open'
  const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
  if (outstation !== undefined) countOperation(context.world, outstation)
  context.effects.push({ breaker, state, cause })
  context.switched.push({ branch, closed, timeUs })
  context.events.push({ topic: 'grid', data: { timestamp: timeUs / 1e6, event: 'breaker', breaker, state, cause } })
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
