/** Enables an attack in a session that the engine drives. */

import type { AttackEnableResult } from '#grid/contract/attacks.ts'
import { GridError } from '#grid/errors.ts'
import { planEnable, refuseOrder } from '#grid/interface/attack-answers.ts'
import type { AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import type { SimulationSession } from './session.ts'

/** Enables an attack, or lists every mistake of the request. */
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
