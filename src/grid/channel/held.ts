/** Messages that take longer than a step: from transmissions to plain JSON in the world, and back. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import type { Outgoing, StepScene } from '../step/step-context.ts'
import type { AttackState, HeldMessage, Travelling, World } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Interception } from './attackers.ts'
import { openTransmission, type Transmission, withShift } from './transmission.ts'

/** Holds a message until `atUs`, or until the message before it on its link goes on: a delay does not reorder. */
export function hold(
  { world, due, endUs }: Pick<StepScene, 'world' | 'endUs'> & Pick<Outgoing, 'due'>,
  message: Omit<HeldMessage, 'dueUs'>,
  atUs: number,
): void {
  const isOfLink = ({ link }: HeldMessage) => link === message.link
  const last = world.held.findLast(isOfLink) ?? due.findLast(isOfLink)
  const held = { ...message, dueUs: Math.max(atUs, last?.dueUs ?? 0) }
  if (held.dueUs >= endUs) {
    world.held.push(held)
    return
  }
  const later = due.findIndex(({ dueUs }) => dueUs > held.dueUs)
  due.splice(later === -1 ? due.length : later, 0, held)
}

/** Moves held messages that go on within this step from the world to those that are due. */
export function takeDue({ world, endUs, due }: Pick<StepScene, 'world' | 'endUs'> & Pick<Outgoing, 'due'>): void {
  if (!world.held.some(({ dueUs }) => dueUs < endUs)) return
  due.push(...world.held.filter(({ dueUs }) => dueUs < endUs))
  due.sort((one, other) => one.dueUs - other.dueUs)
  world.held = world.held.filter(({ dueUs }) => dueUs >= endUs)
}

/** Writes a message as plain JSON, with what the attackers did to it. */
export function storeMessage({ message, interception, numbers, shift }: Transmission): Travelling {
  const { timeUs, protocol, link, carrier, srcNode, dstNode, purpose, payload } = message
  return {
    sentUs: timeUs,
    protocol,
    link,
    carrier,
    srcNode,
    dstNode,
    purpose,
    payloadHex: encodeHex(interception.payload),
    originalHex: encodeHex(payload),
    attackId: interception.attack?.order.attack_id ?? '',
    description: interception.description ?? '',
    outcome: interception.outcome,
    delayUs: Math.round(interception.delayUs),
    ...withShift(numbers, shift),
  }
}

/** Reads a message as it was sent from its plain JSON. */
export function resumeMessage(stored: Travelling): Message {
  const { protocol, link, carrier, srcNode, dstNode, sentUs, originalHex, purpose } = stored
  const payload = decodeHex(originalHex)
  return { protocol, link, carrier, srcNode, dstNode, timeUs: sentUs, payload, purpose, forged: null }
}

/** Reads the interception of a message from its plain JSON. */
export function resumeInterception({ attacks }: Pick<World, 'attacks'>, stored: Travelling): Interception {
  const { attackId, description, payloadHex } = stored
  return {
    payload: decodeHex(payloadHex),
    outcome: stored.outcome,
    delayUs: 0,
    attack: attacks.find(({ order }) => order.attack_id === attackId) ?? endedAttack(stored),
    description,
  }
}

/** Reads a held message from its plain JSON, with the delay that it got. */
export function resumeTransmission(
  scene: Pick<StepScene, 'world' | 'configurationOf'>,
  held: HeldMessage,
): Transmission {
  const message = resumeMessage(held)
  const isAltered = held.payloadHex !== held.originalHex
  const interception: Interception = {
    ...resumeInterception(scene.world, held),
    ...(isAltered ? {} : { payload: message.payload }),
    delayUs: held.dueUs - held.sentUs,
  }
  return openTransmission(scene, message, interception, withShift(held.numbers, held.shift))
}

/** The state of an attack that ended while its message was held: only its name is known. */
function endedAttack({ attackId, sentUs }: Travelling): AttackState {
  // NOISE-3 is of type NOISE.
  const type = attackId.replace(/-\d+$/, '')
  const schedule = { start_frame: 0, duration_frames: 0 }
  return {
    order: { attack_id: attackId, type, params: {}, schedule, target_link: null, seed: 0 },
    sinceUs: sentUs,
    seen: {},
    counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    memory: {},
  }
}
