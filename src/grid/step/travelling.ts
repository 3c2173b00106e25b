/** Messages that take longer than a step: from messages to plain JSON in the world, and back. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import type { Message } from '../telecontrol/message.ts'
import { endedAttack, type Interception } from './interception.ts'
import type { FrameNumbers } from './message-frame.ts'
import type { StepContext } from './step-context.ts'
import type { HeldMessage, Travelling } from './world.ts'

/** Holds a message until `atUs`, or until the message before it on its link goes on: a delay does not reorder. */
export function delay(
  { world, due, endUs }: StepContext,
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

/** A message as plain JSON, with what the attackers did to it. */
export function travelling(
  message: Message,
  interception: Interception,
  { numbers, shift }: FrameNumbers,
): Travelling {
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
    fate: interception.outcome,
    delayUs: Math.round(interception.delayUs),
    numbers,
    ...(shift === undefined ? {} : { shift }),
  }
}

/** A message as it was sent, from its plain JSON. */
export function toMessage(travelling: Travelling): Message {
  const { protocol, link, carrier, srcNode, dstNode, sentUs, originalHex, purpose } = travelling
  const payload = decodeHex(originalHex)
  return { protocol, link, carrier, srcNode, dstNode, timeUs: sentUs, payload, purpose, forged: null }
}

/** The interception of a message, from its plain JSON. */
export function interceptionOf(context: StepContext, travelling: Travelling): Interception {
  const { attackId, description, payloadHex } = travelling
  return {
    payload: decodeHex(payloadHex),
    outcome: travelling.fate,
    delayUs: 0,
    attack:
      context.world.attacks.find(({ order }) => order.attack_id === attackId) ?? endedAttack(travelling),
    description,
  }
}

/** Moves held messages that go on within this step from the world to the context. */
export function takeDue({ world, endUs, due }: StepContext): void {
  if (!world.held.some(({ dueUs }) => dueUs < endUs)) return
  due.push(...world.held.filter(({ dueUs }) => dueUs < endUs))
  due.sort((one, other) => one.dueUs - other.dueUs)
  world.held = world.held.filter(({ dueUs }) => dueUs >= endUs)
}
