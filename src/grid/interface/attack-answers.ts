/** Enabling and disabling attacks: from a request to a command for the engine, and the answer to the request. */

import { nearest } from '../../base/nearest.ts'
import { findAttack } from '../attacks/catalogue.ts'
import { describeUnknownType, readOrder } from '../attacks/order.ts'
import { type Mistake, maximumListed } from '../attacks/params.ts'
import type { AttackOrder } from '../configuration.ts'
import type { AttackDisableResult, AttackEnableResult } from '../contract/attacks.ts'
import { attackSeed, findTelecontrol } from '../engine.ts'
import type { GridError } from '../errors.ts'
import type { World } from '../step/world.ts'
import { type AttackDisableRequest, type AttackEnableRequest, enableFields } from './attack-requests.ts'

/** The plan for an enable request: an order for the engine, or a refusal, which is an answer too. */
export type EnablePlan =
  | { readonly ok: true; readonly order: AttackOrder; readonly result: AttackEnableResult }
  | { readonly ok: false; readonly result: AttackEnableResult }

/** Reads an enable request against the catalogue and the network; where the clock is stopped the answer says so. */
export function planEnable(world: World, request: AttackEnableRequest, isStopped: boolean): EnablePlan {
  const read = readOrder(request, findTelecontrol(world), attackSeed(world))
  if (!read.ok) return { ok: false, result: refuseAttack(read.type, read.mistakes, read.hint) }
  const { type, params, schedule } = read.order
  const beside = judgeBeside(request, type)
  if (beside.mistakes.length > 0) {
    const hint = 'Parameters go inside "params"; GET /api/v1/attacks/catalog lists them'
    return { ok: false, result: refuseAttack(type, beside.mistakes, hint) }
  }
  const attack_id = `${type}-${world.attackNumber + 1}`
  const technique = findAttack(type)?.technique ?? null
  const result: AttackEnableResult = {
    success: true,
    attack_type: type,
    attack_id,
    effective_params: params,
    schedule,
    ...(technique === null ? {} : { technique }),
    ...(beside.warnings.length > 0 ? { warnings: beside.warnings } : {}),
    ...(isStopped ? { hint: 'The simulation is stopped; the attack acts once it runs: POST /api/v1/sim/start' } : {}),
  }
  return { ok: true, order: { ...read.order, attack_id }, result }
}

/** The answer to a request that enables nothing. */
export function refuseAttack(
  attack_type: string,
  mistakes: readonly Mistake[],
  hint: string | undefined,
): AttackEnableResult {
  const errors = mistakes.map(({ message }) => message)
  const error = errors[0] ?? 'Invalid attack'
  return { success: false, attack_type, error, errors, mistakes, ...(hint === undefined ? {} : { hint }) }
}

/** The answer to an order that is refused: the contract has an answer here, not an error. */
export function refuseOrder(attack_type: string, { message, hint }: Pick<GridError, 'message' | 'hint'>) {
  return refuseAttack(attack_type, [{ path: '', message }], hint)
}

/** Sorts properties beside `params`: a misplaced parameter is a mistake, any other unknown one is ignored. */
function judgeBeside({ unknown = [] }: AttackEnableRequest, type: string) {
  const { params = {}, aliases = {} } = findAttack(type) ?? {}
  const names = [...Object.keys(params), ...Object.keys(aliases)]
  const mistakes: Mistake[] = []
  const warnings: string[] = []
  for (const name of unknown.slice(0, maximumListed)) {
    const shown = name.slice(0, 64)
    const meant = nearest(name, names)
    const field = nearest(name, enableFields)
    if (meant !== undefined) {
      const message = `Parameter "${meant}" is given as "${shown}" beside "params", expected inside it`
      mistakes.push({ path: shown, message })
    } else if (field !== undefined)
      mistakes.push({ path: shown, message: `Unknown property "${shown}", did you mean "${field}"?` })
    else warnings.push(`Unknown property "${shown}" was ignored`)
  }
  return { mistakes, warnings }
}

/** The answer to a disable request, with the attacks that end. It always succeeds, as the contract says. */
export function planDisable(world: World, request: AttackDisableRequest): AttackDisableResult {
  const { type, attack_id, mistakes = [] } = request
  if (mistakes.length > 0) return disableNothing(mistakes)
  const orders = world.attacks.map(({ order }) => order)
  const disabled = orders
    .filter((order) => attack_id === undefined || order.attack_id === attack_id)
    .filter((order) => type === undefined || order.type === type)
    .map((order) => order.attack_id)
  const isAll = type === undefined && attack_id === undefined
  const message = isAll ? 'All attacks disabled' : `${disabled.length} attacks disabled`
  if (isAll || disabled.length > 0) return { success: true, message, disabled }
  const active = orders.map((order) => (type === undefined ? order.attack_id : order.type))
  const hint = active.length === 0 ? 'No attack is active' : `Active: ${[...new Set(active)].join(', ')}`
  const isUnknown = type !== undefined && findAttack(type) === undefined
  const reason = isUnknown ? `: ${describeUnknownType(type)}` : ''
  return { success: true, message: `${message}${reason}`, disabled, hint }
}

/** The acknowledgment of a body with mistakes: it ends nothing. */
export function disableNothing(mistakes: readonly string[]): AttackDisableResult {
  const message = `0 attacks disabled: ${mistakes.join('; ')}`
  const hint = 'Send {"type": "NOISE"} or {"attack_id": "NOISE-1"}, or no body to disable every attack'
  return { success: true, message, disabled: [], hint }
}
