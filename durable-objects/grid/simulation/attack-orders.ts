/** Orders that enable and disable attacks, here or in the outside simulator; their answers say what was done. */

import type { AttackEnableResult } from '#grid/contract/attacks.ts'
import { GridError } from '#grid/errors.ts'
import { planDisable, planEnable, refuseOrder } from '#grid/interface/attack-answers.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import { isExternal } from '#grid/interface/session-view.ts'
import { disableOutside, enableOutside } from './external-commands.ts'
import type { SimulationParts } from './parts.ts'
import type { SimulationSession } from './session.ts'

/** Enables an attack in a session that the engine drives, or lists every mistake of the request. */
export function enableAttack(
  { world, session, command }: Pick<SimulationSession, 'world' | 'session' | 'command'>,
  request: AttackEnableRequest,
): AttackEnableResult {
  const plan = planEnable(world(), request, session().run === 'stopped')
  if (!plan.ok) return plan.result
  try {
    command({ kind: 'enable', order: plan.order })
  } catch (error) {
    if (error instanceof GridError) return refuseOrder(plan.order.type, error)
    throw error
  }
  return plan.result
}

/** Enables an attack; the answer says whether it was enabled. */
export function enable(parts: SimulationParts, request: AttackEnableRequest, nowMs: number): object {
  const { session, external, audience, stepper } = parts
  if (isExternal(session.session().configuration)) return enableOutside(external, audience.listeners, request, nowMs)
  stepper.advanceNow(nowMs)
  const result = enableAttack(session, request)
  if (result.success) audience.announce({ topic: 'attack', data: { event: 'enabled', ...result } })
  return result
}

/** Ends one attack or all; always acknowledged. */
export function disable(parts: SimulationParts, request: AttackDisableRequest, nowMs: number): object {
  const { session, external, audience, stepper } = parts
  if (isExternal(session.session().configuration)) return disableOutside(external, audience.listeners, request)
  stepper.advanceNow(nowMs)
  const result = planDisable(session.world(), request)
  if (result.disabled.length > 0) {
    session.command({ kind: 'disable', attackIds: result.disabled })
    audience.announce({ topic: 'attack', data: { event: 'disabled', ...result } })
  }
  return result
}
