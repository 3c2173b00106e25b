/** Commands to an outside simulator: orders of attacks, passed on to the listeners of the topic `command`. */

import type { AttackDisableResult, AttackEnableResult } from '#grid/contract/attacks.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import { passOnDisable, passOnEnable } from '#grid/interface/external-orders.ts'
import { type EncodedEvent, encodeStreamEvent } from '#grid/records/broadcast.ts'
import { encodeOpening, type Listeners } from '../listeners.ts'
import { type ExternalSession, writeExternal } from './external-session.ts'

/** Passes the order to enable an attack on; the answer says whether it was enabled. */
export function enableOutside(
  external: ExternalSession,
  listeners: Listeners,
  request: AttackEnableRequest,
  nowMs: number,
): AttackEnableResult {
  const { state, session } = external
  const hasHook = listeners.countFor({ topic: 'command', audience: 'full' }) > 0
  const passed = passOnEnable(state, session.world(), request, { hasHook, nowMs })
  if (passed.attack !== undefined) {
    writeExternal(external, passed.state)
    listeners.publish([encodeCommand(external, { command: 'enable', ...passed.attack })])
  }
  return passed.result
}

/** Passes the order to end one attack or all on. */
export function disableOutside(
  external: ExternalSession,
  listeners: Listeners,
  request: AttackDisableRequest,
): AttackDisableResult {
  const { state, result } = passOnDisable(external.state, request)
  if (state !== external.state) writeExternal(external, state)
  if (result.disabled.length > 0) {
    listeners.publish([encodeCommand(external, { command: 'disable', attack_ids: result.disabled })])
  }
  return result
}

/** Opens the stream of commands, the hook of the contract; it begins with the attacks that are active. */
export function openCommandStream(
  external: ExternalSession,
  listeners: Listeners,
  name: string,
  signal: AbortSignal,
): Response {
  const active = external.state.active.map((attack) => encodeCommand(external, { command: 'enable', ...attack }).plain)
  const opening = [encodeOpening(name), ...active]
  return listeners.open({ topics: new Set(['command']), withIds: false, visibility: 'full' }, opening, signal)
}

function encodeCommand({ session }: ExternalSession, data: object): EncodedEvent {
  return encodeStreamEvent({ topic: 'command', data }, session.session().sessionId)
}
