/** The attackers on a link: they change, hold, drop or pass each message that crosses it. */

import { equalBytes } from '../../base/bytes.ts'
import { findAttack } from '../attacks/catalogue.ts'
import { type Alteration, type AnyAttack, type AttackScene, toParams } from '../attacks/definition.ts'
import type { Params, ParamTable } from '../attacks/params.ts'
import { findConnection } from '../step/connections.ts'
import type { StepScene } from '../step/step-context.ts'
import type { AttackState, Outcome, World } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import type { AttackCounters } from '../types.ts'

/** The effect of all attackers on a message: its octets, its outcome, and the last attack that acted on it. */
export interface Interception {
  readonly payload: Uint8Array
  readonly outcome: Outcome
  readonly delayUs: number
  readonly attack: AttackState | null
  readonly description: string | undefined
}

/** Tests that an attacker holds a message. The outcome of an unreadable one stays `invalid` meanwhile. */
export function isHeld({ outcome, delayUs }: Pick<Interception, 'outcome' | 'delayUs'>): boolean {
  return outcome === 'held' || (outcome === 'invalid' && delayUs > 0)
}

/** Adds one to a counter. */
export function count(totals: AttackCounters, name: keyof AttackCounters): AttackCounters {
  return { ...totals, [name]: totals[name] + 1 }
}

/** Counts a message in the totals of the session, by what the attackers made of it. */
export function countOutcome(world: Pick<World, 'totals'>, outcome: Outcome): void {
  world.totals = count(world.totals, 'total_packets')
  if (outcome === 'dropped') world.totals = count(world.totals, 'dropped_packets')
  else if (outcome !== 'clean' && outcome !== 'lost') world.totals = count(world.totals, 'modified_packets')
}

/** Tests that a schedule is in force at a message or step counted from 0. */
export function isScheduled({ schedule }: AttackState['order'], seen: number): boolean {
  const { start_frame, duration_frames } = schedule
  return seen >= start_frame && (duration_frames === 0 || seen < start_frame + duration_frames)
}

/** Opens the scene of an attack in this step, for the messages of a link or, under the empty name, for forging. */
export function openScene<Context extends StepScene>(
  context: Context,
  state: AttackState,
  link: string,
): AttackScene<Params<ParamTable>, Context> {
  const { order } = state
  const stream = () => context.random(`attack ${order.attack_id} ${order.seed}`)
  return {
    context,
    params: toParams(order.params),
    attackId: order.attack_id,
    frame: (state.seen[link] ?? 0) - order.schedule.start_frame,
    memory: state.memory,
    random: () => stream().uniform(),
    normal: () => stream().normal(),
    targetLink: order.target_link,
  }
}

/** Applies every enabled attack to a message, in the order in which they were enabled. */
export function passAttackers(scene: StepScene, message: Message): Interception {
  const forger = findForger(scene.world, message)
  if (forger !== undefined) return passForged(forger, message)
  const { payload } = message
  let interception: Interception = { payload, outcome: 'clean', delayUs: 0, attack: null, description: undefined }
  // Attacks do not alter forged messages.
  if (message.forged !== null) return interception
  for (const state of scene.world.attacks) {
    const definition = findAttack(state.order.type)
    if (definition?.alter === undefined || !isTargeted(definition, state, message)) continue
    const seen = state.seen[message.link] ?? 0
    state.counters = count(state.counters, 'total_packets')
    if (isScheduled(state.order, seen)) {
      const { payload } = interception
      const changed = payload === message.payload ? message : { ...message, payload }
      interception = applyAlteration(
        state,
        interception,
        definition.alter(changed, openScene(scene, state, message.link)),
      )
    }
    state.seen[message.link] = seen + 1
    if (interception.outcome === 'dropped') return interception
  }
  return interception
}

/** Loses a share of the clean messages of a path, as its session is configured; masters from outside lose none. */
export function passPath(scene: StepScene, message: Message, interception: Interception): Interception {
  const { loss } = scene.world.configuration
  const connection = findConnection(scene.world, message)
  const isClean =
    interception.outcome === 'clean' && (connection?.label ?? null) === null && connection?.isField !== true
  if (!isClean || message.carrier.kind === 'ethernet' || !(loss > 0)) return interception
  return scene.random('loss').uniform() < loss ? { ...interception, outcome: 'lost' } : interception
}

/** Finds the attack to which a message belongs: it forged the message, or the message is an answer to it. */
function findForger(world: World, message: Message): AttackState | undefined {
  const connection = findConnection(world, message)
  const attackId = message.forged?.attackId ?? connection?.label?.attack_id
  return world.attacks.find(({ order }) => order.attack_id === attackId)
}

/** Counts a message of an attack, which goes on as the attack made it. */
function passForged(attack: AttackState, { payload, forged, srcNode }: Message): Interception {
  attack.counters = count(count(attack.counters, 'total_packets'), 'modified_packets')
  const description = forged?.description ?? `answer of ${srcNode} to ${attack.order.type}`
  return { payload, outcome: 'attacked', delayUs: 0, attack, description }
}

function isTargeted(definition: AnyAttack, { order }: AttackState, message: Message): boolean {
  if (order.target_link !== null && order.target_link !== message.link) return false
  return definition.touches?.(message, toParams(order.params)) ?? true
}

/** Adds what one attack did to what the attacks before it did, and counts it; equal octets count as untouched. */
function applyAlteration(
  attack: AttackState,
  interception: Interception,
  alteration: Alteration | undefined,
): Interception {
  if (alteration === undefined) return interception
  const { outcome, payload, delayUs } = interception
  if (alteration.kind === 'modify' && equalBytes(alteration.payload, payload)) return interception
  attack.counters = count(attack.counters, alteration.kind === 'drop' ? 'dropped_packets' : 'modified_packets')
  const acted = { ...interception, attack, description: alteration.description }
  switch (alteration.kind) {
    case 'drop':
      return { ...acted, outcome: 'dropped' }
    case 'delay':
      return { ...acted, outcome: outcome === 'invalid' ? 'invalid' : 'held', delayUs: delayUs + alteration.delayUs }
    case 'modify': {
      const changed = outcome === 'clean' ? 'attacked' : outcome
      return { ...acted, outcome: alteration.status ?? changed, payload: alteration.payload }
    }
  }
}
