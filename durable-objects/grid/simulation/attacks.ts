/** Enabling and disabling attacks of the embedded engine: from a request to a command in the log. */

import { nearest } from '../../../src/base/nearest.ts'
import { findAttack } from '../../../src/grid/attacks/catalogue.ts'
import { describeUnknownType, readOrder } from '../../../src/grid/attacks/order.ts'
import { attackSeed, telecontrolOf } from '../../../src/grid/engine.ts'
import { GridError } from '../../../src/grid/errors.ts'
import {
  type AttackDisableRequest,
  type AttackEnableRequest,
  enableFields,
} from '../../../src/grid/interface/requests.ts'
import type { AttackDisableResult, AttackEnableResult } from '../../../src/grid/types.ts'
import type { SimulationRun } from './run.ts'

/** Most unknown properties that an answer lists. */
const maximumListed = 10

/** Enables an attack, or says everything that is wrong with the request. */
export function enableAttack(run: SimulationRun, request: AttackEnableRequest): AttackEnableResult {
  const world = run.world()
  const read = readOrder(request, telecontrolOf(world), attackSeed(world))
  if (!read.ok) {
    const { type, errors, hint } = read
    return { success: false, attack_type: type, error: errors[0] ?? 'Invalid attack', errors, hint }
  }
  const beside = judgeBeside(request, read.order.type)
  if (beside.errors.length > 0) {
    const { errors } = beside
    const hint = 'Parameters stand inside "params"; GET /api/v1/attacks/catalog lists them'
    return { success: false, attack_type: read.order.type, error: errors[0] ?? '', errors, hint }
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
    ...(beside.warnings.length > 0 ? { warnings: beside.warnings } : {}),
    ...(stopped
      ? { hint: 'The simulation is stopped; the attack acts once it runs: POST /api/v1/sim/start' }
      : {}),
  }
}

/** Judges what stands beside `params`: what was meant as a parameter is a mistake, anything else is ignored. */
function judgeBeside({ unknown = [] }: AttackEnableRequest, type: string) {
  const { params = {}, aliases = {} } = findAttack(type) ?? {}
  const names = [...Object.keys(params), ...Object.keys(aliases)]
  const errors: string[] = []
  const warnings: string[] = []
  for (const name of unknown.slice(0, maximumListed)) {
    const shown = name.slice(0, 64)
    const meant = nearest(name, names)
    const field = nearest(name, enableFields)
    if (meant !== undefined)
      errors.push(`Parameter "${meant}" stands in "${shown}" beside "params", not inside it`)
    else if (field !== undefined) errors.push(`Unknown property "${shown}", did you mean "${field}"?`)
    else warnings.push(`Unknown property "${shown}" was ignored`)
  }
  return { errors, warnings }
}

/** Disables the attack of an id, of a type, or all of them. */
export function disableAttack(run: SimulationRun, request: AttackDisableRequest): AttackDisableResult {
  const { type, attack_id, mistakes = [] } = request
  if (mistakes.length > 0) return disableNothing(mistakes)
  const attackIds = run
    .world()
    .attacks.map(({ order }) => order)
    .filter((order) => attack_id === undefined || order.attack_id === attack_id)
    .filter((order) => type === undefined || order.type === type)
    .map((order) => order.attack_id)
  if (attackIds.length > 0) run.command({ kind: 'disable', attackIds })
  const isAll = type === undefined && attack_id === undefined
  const message = isAll ? 'All attacks disabled' : `${attackIds.length} attacks disabled`
  if (isAll || attackIds.length > 0) return { success: true, message, disabled: attackIds }
  const active = run.world().attacks.map(({ order }) => (type === undefined ? order.attack_id : order.type))
  const hint = active.length === 0 ? 'No attack is active' : `Active: ${[...new Set(active)].join(', ')}`
  const isUnknown = type !== undefined && findAttack(type) === undefined
  const reason = isUnknown ? `: ${describeUnknownType(type)}` : ''
  return { success: true, message: `${message}${reason}`, disabled: attackIds, hint }
}

/** The acknowledgment of a body that does not say what it means. */
export function disableNothing(mistakes: readonly string[]): AttackDisableResult {
  const message = `0 attacks disabled: ${mistakes.join('; ')}`
  const hint = 'Send {"type": "NOISE"} or {"attack_id": "NOISE-1"}, or no body to disable every attack'
  return { success: true, message, disabled: [], hint }
}
