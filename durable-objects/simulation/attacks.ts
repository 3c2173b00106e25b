/** Enabling and disabling attacks of the embedded engine: from a request to a command in the log. */

import { findAttack } from '../../src/grid/attacks/catalogue.ts'
import { readOrder } from '../../src/grid/attacks/order.ts'
import { attackSeed, telecontrolOf } from '../../src/grid/engine.ts'
import { GridError } from '../../src/grid/errors.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '../../src/grid/requests.ts'
import type { AttackDisableResult, AttackEnableResult } from '../../src/grid/types.ts'
import type { SimulationRun } from './run.ts'

/** Enables an attack, or says everything that is wrong with the request. */
export function enableAttack(run: SimulationRun, request: AttackEnableRequest): AttackEnableResult {
  const world = run.world()
  const read = readOrder(request, telecontrolOf(world), attackSeed(world))
  if (!read.ok) {
    const { type, errors, hint } = read
    return { success: false, attack_type: type, error: errors[0] ?? 'Invalid attack', errors, hint }
  }
  const attack_id = `${read.order.type}-${world.attackNumber + 1}`
  try {
    run.command({ kind: 'enable', order: { ...read.order, attack_id } })
  } catch (error) {
    // Whatever stands in the way of an attack, the interface says it in an answer.
    if (!(error instanceof GridError)) throw error
    const { message, hint } = error
    return {
      success: false,
      attack_type: read.order.type,
      error: message,
      errors: [message],
      ...(hint === undefined ? {} : { hint }),
    }
  }
  const stopped = run.session().run === 'stopped'
  const technique = findAttack(read.order.type)?.technique ?? null
  return {
    success: true,
    attack_type: read.order.type,
    attack_id,
    effective_params: read.order.params,
    schedule: read.order.schedule,
    ...(technique === null ? {} : { technique }),
    ...(stopped
      ? { hint: 'The simulation is stopped; the attack acts once it runs: POST /api/v1/sim/start' }
      : {}),
  }
}

/** Disables the attack of an id, of a type, or all of them. */
export function disableAttack(run: SimulationRun, request: AttackDisableRequest): AttackDisableResult {
  const { type, attack_id } = request
  const attackIds = run
    .world()
    .attacks.map(({ order }) => order)
    .filter((order) => attack_id === undefined || order.attack_id === attack_id)
    .filter((order) => type === undefined || order.type === type)
    .map((order) => order.attack_id)
  if (attackIds.length > 0) run.command({ kind: 'disable', attackIds })
  const isAll = type === undefined && attack_id === undefined
  const message = isAll ? 'All attacks disabled' : `${attackIds.length} attacks disabled`
  return { success: true, message, disabled: attackIds }
}
