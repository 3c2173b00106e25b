/** Messages that are on their way for longer than a step: plain JSON in the world, and back. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import type { Message } from '../telecontrol/message.ts'
import { endedAttack, type Interception } from './interception.ts'
import type { FrameNumbers } from './message-frame.ts'
import type { StepContext } from './step-context.ts'
import type { HeldMessage, Travelling } from './world.ts'

/** First in, first out on each link: a delay never reorders a stream. */
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

/** What has to be remembered of a message that is on its way for longer than a step. */
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

/** A message as it was sent, from what is remembered of it. */
export function toMessage(travelling: Travelling): Message {
  const { protocol, link, carrier, srcNode, dstNode, sentUs, originalHex, purpose } = travelling
  const payload = decodeHex(originalHex)
  return { protocol, link, carrier, srcNode, dstNode, timeUs: sentUs, payload, purpose, forged: null }
}

/** What the attackers made of a message that travels, as far as it is remembered. */
export function interceptionOf(context: StepContext, travelling: Travelling): Interception {
  const { attackId, description, payloadHex } = travelling
  return {
    payload: decodeHex(payloadHex),
    outcome: travelling.fate ?? 'held',
    delayUs: 0,
    attack:
      context.world.attacks.find(({ order }) => order.attack_id === attackId) ?? endedAttack(travelling),
    description,
  }
}

/** Takes what attackers let go within this step out of what they hold. */
export function takeDue({ world, endUs, due }: StepContext): void {
  if (!world.held.some(({ dueUs }) => dueUs < endUs)) return
  due.push(...world.held.filter(({ dueUs }) => dueUs < endUs))
  due.sort((one, other) => one.dueUs - other.dueUs)
  world.held = world.held.filter(({ dueUs }) => dueUs >= endUs)
}
