/** Orders about attacks that are passed on to an outside simulator, and the bound on its time stamps. */

import type { JsonObject } from '../../base/json.ts'
import { readOrder, readSchedule } from '../attacks/order.ts'
import type { ActiveAttack, AttackDisableResult, AttackEnableResult } from '../contract/attacks.ts'
import { findTelecontrol } from '../engine.ts'
import { GridError } from '../errors.ts'
import type { World } from '../step/world.ts'
import { disableNothing, refuseAttack, refuseOrder } from './attack-answers.ts'
import type { AttackDisableRequest, AttackEnableRequest } from './attack-requests.ts'
import { type ExternalState, hasRoomFor, maximumActive, withOrder } from './external.ts'
import type { PacketBatch } from './ingest-requests.ts'

/** Seconds by which the clock of an outside simulator may be ahead of the server's. */
const maximumLeadS = 300

/**
 * Refuses a batch from the future.
 *
 * @throws GridError invalid_request when a packet is more than five minutes ahead.
 */
export function expectOnTime({ packets }: PacketBatch, nowMs: number): void {
  const late = packets.find(({ timestamp }) => timestamp > nowMs / 1000 + maximumLeadS)
  if (late === undefined) return
  throw new GridError('invalid_request', `Cannot ingest packets: timestamp ${late.timestamp} lies in the future`, {
    hint: 'Timestamps are Unix seconds; up to five minutes ahead of the server are taken',
  })
}

/** The result of an enable request for an outside simulator. */
export interface PassedOn {
  readonly state: ExternalState
  readonly result: AttackEnableResult
  /** The attack that is passed on; absent when nothing is enabled. */
  readonly attack?: ActiveAttack
}

/** Passes a completed enable request on to an outside simulator that listens; `params` hold its link and its seed. */
export function passOnEnable(
  state: ExternalState,
  world: World,
  request: AttackEnableRequest,
  { hasHook, nowMs }: { readonly hasHook: boolean; readonly nowMs: number },
): PassedOn {
  const type = request.type.trim().toUpperCase()
  if (!hasHook) {
    const hint = 'An outside simulator listens with GET /api/v1/ingest/commands'
    return { state, result: refuseOrder(type, { message: 'No attack hook is connected', hint }) }
  }
  if (!hasRoomFor(state, type)) {
    const hint = 'POST /api/v1/attack/disable {"type": ...} ends one'
    return { state, result: refuseOrder(type, { message: `${maximumActive} attacks are active already`, hint }) }
  }
  const asked = readAsked(request, world)
  if (asked.mistakes.length > 0) {
    const hint = 'schedule is {"start_frame": 20, "duration_frames": 100}, both in messages'
    return { state, result: refuseAttack(type, asked.mistakes, hint) }
  }
  const next = withOrder(state, type, asked, nowMs)
  const { attack_id, params, schedule } = next.attack
  const result = { success: true, attack_type: type, attack_id, effective_params: params, schedule }
  return { ...next, result }
}

function readAsked(request: AttackEnableRequest, world: World) {
  // The links are those of the outside simulator.
  const { target_link, seed } = { ...request, ...request.params }
  const { target_link: _, ...given } = request.params
  const read = readOrder({ ...request, target_link: undefined, params: given }, findTelecontrol(world), 0)
  const scheduled = read.ok ? { value: read.order.schedule, mistakes: [] } : readSchedule(request.schedule)
  const params = { ...(read.ok ? read.order.params : given), target_link, seed }
  // What is undefined is left out.
  return {
    params: JSON.parse(JSON.stringify(params)) as JsonObject,
    schedule: scheduled.value,
    mistakes: scheduled.mistakes,
  }
}

/** Ends attacks that were passed on: the one of an id, those of a type, or all. */
export function passOnDisable(
  state: ExternalState,
  { type, attack_id, mistakes = [] }: AttackDisableRequest,
): { readonly state: ExternalState; readonly result: AttackDisableResult } {
  if (mistakes.length > 0) return { state, result: disableNothing(mistakes) }
  const isMeant = (attack: ActiveAttack) =>
    (type === undefined || attack.type === type) && (attack_id === undefined || attack.attack_id === attack_id)
  const disabled = state.active.filter(isMeant).map((attack) => attack.attack_id)
  const isAll = type === undefined && attack_id === undefined
  const message = isAll ? 'All attacks disabled' : `${disabled.length} attacks disabled`
  const active = state.active.filter((attack) => !isMeant(attack))
  return { state: { ...state, active }, result: { success: true, message, disabled } }
}
