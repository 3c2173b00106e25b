/** The way of a message: past the attackers, into frames and records, over its connection, to its receiver. */

import { decodeHex } from '../../base/hex.ts'
import { reportMalformed } from '../control-centre/link-monitor.ts'
import { otherSide } from '../link/tcp-flow.ts'
import { protocols } from '../protocols/catalogue.ts'
import { acknowledge, acknowledgeAtOnce, sendAcknowledgment, settleAcknowledgment } from '../step/acknowledgments.ts'
import { findConnection } from '../step/connections.ts'
import { stations } from '../step/stations/catalogue.ts'
import type { StepContext } from '../step/step-context.ts'
import type { Connection, HeldMessage, Outcome } from '../step/world.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import { countOutcome, isHeld, passAttackers, passPath } from './attackers.ts'
import { hold, resumeMessage, resumeTransmission, storeMessage, takeDue } from './held.ts'
import { recordFrame, recordImpact, recordRepetition } from './record.ts'
import {
  type ArrivedSegment,
  type Direction,
  earliestTimer,
  hasRoom,
  isGone,
  recordSent,
  repeatOldest,
  takeArrived,
} from './segments.ts'
import { numberFrame, openTransmission, recordLength, type Transmission, withShift } from './transmission.ts'

/** Takes in a message as it arrived; replies go out with `send`. */
export type Receiver = (context: StepContext, message: Message, payload: Uint8Array) => void

/** A step with the receiver of its messages. */
export interface Channel extends StepContext {
  readonly receive: Receiver
}

/** Sends what is on its way in this step, and the answers, in the order of time. */
export function flush(context: StepContext, receive: Receiver): void {
  const channel: Channel = { ...context, receive }
  takeDue(channel)
  while (sendEarliest(channel));
}

/** Sends the earliest; of equal times an acknowledgment, a held message, a timer, a message. False when none is left. */
function sendEarliest(channel: Channel): boolean {
  const { world, queue, due } = channel
  const held = due[0]
  const overdue = earliestTimer(channel)
  const owed = world.acknowledgments[0]
  const messageUs = queue[0]?.timeUs ?? Number.POSITIVE_INFINITY
  const heldUs = held?.dueUs ?? Number.POSITIVE_INFINITY
  const timerUs = overdue?.timeUs ?? Number.POSITIVE_INFINITY
  const owedUs = owed === undefined ? Number.POSITIVE_INFINITY : Math.max(owed.dueUs, channel.startUs)
  if (owed !== undefined && owedUs < channel.endUs && owedUs <= Math.min(heldUs, timerUs, messageUs)) {
    world.acknowledgments.shift()
    sendAcknowledgment(channel, owed, owedUs)
    return true
  }
  if (held !== undefined && heldUs <= Math.min(timerUs, messageUs)) {
    due.shift()
    release(channel, held)
    return true
  }
  if (overdue !== undefined && timerUs <= messageUs) {
    resend(channel, overdue, 'timeout')
    return true
  }
  const message = queue.shift()
  if (message === undefined) return false
  transmit(channel, message)
  return true
}

/** Sends a message from its sender to the first attacker, and past all of them. */
function transmit(channel: Channel, message: Message): void {
  const { world } = channel
  const connection = findConnection(world, message)
  // The connection of an answer may have been closed since the request: then the answer is not sent.
  if (isCutOff(message, connection) || !hasRoom(world, message, connection)) return
  // The octets of a master from outside are its own.
  const isOutside = connection?.isField === true && isRequest(message.carrier)
  if (connection !== undefined && !isOutside) stations[message.protocol].seal?.(message, connection)
  settleAcknowledgment(world, message.carrier)
  const interception = passPath(channel, message, passAttackers(channel, message))
  const transmission = openTransmission(channel, message, interception, numberFrame(world, message))
  recordSent(transmission, connection)
  recordLength(world, transmission)
  countOutcome(world, interception.outcome)
  forward(channel, transmission)
}

/** Sends what is queued between two steps, and the answers; what attackers hold goes on in a later step. */
export function exchange(context: StepContext, receive: Receiver): void {
  const channel: Channel = { ...context, receive }
  for (let message = channel.queue.shift(); message !== undefined; message = channel.queue.shift()) {
    transmit(channel, message)
  }
  channel.world.held.push(...channel.due.splice(0))
}

function isCutOff({ carrier }: Pick<Message, 'carrier'>, connection: Connection | undefined): boolean {
  return carrier.kind === 'tcp' && connection?.flow.phase !== 'established'
}

/** Lets a message go on behind the attackers, and records what they did to it. */
function forward(channel: Channel, transmission: Transmission): void {
  const { message, interception } = transmission
  const { timeUs } = message
  const isLost = isGone(interception)
  if (isLost || isHeld(interception) || interception.payload !== message.payload) {
    recordFrame(channel, transmission, { tap: 'before', timeUs, isMessage: isLost })
  }
  if (isLost) return
  if (isHeld(interception)) hold(channel, storeMessage(transmission), timeUs + Math.round(interception.delayUs))
  else deliver(channel, transmission, timeUs)
}

/** Brings a message to its receiver at `timeUs`, in Unix microseconds, with its frame and its records. */
function deliver(channel: Channel, transmission: Transmission, timeUs: number): void {
  const { message, interception, numbers } = transmission
  const draft = recordFrame(channel, transmission, { tap: 'after', timeUs, isMessage: true })
  const connection = findConnection(channel.world, message)
  const side = message.carrier.kind === 'tcp' ? message.carrier.side : undefined
  if (side !== undefined && connection?.transit?.[side] !== undefined) {
    receiveSegment(channel, { connection, side, sequence: numbers.sequence, timeUs })
    return
  }
  const arrived = message.timeUs === timeUs ? message : { ...message, timeUs }
  channel.effects.length = 0
  deliverTo(channel, arrived, interception.payload, interception.outcome)
  recordImpact(channel.effects, interception, draft)
  acknowledge(channel, arrived)
}

/** Hands octets to their receiver. Unreadable ones are reported instead; a master from outside gets them as they are. */
export function deliverTo(channel: Channel, message: Message, payload: Uint8Array, outcome: Outcome): void {
  const connection = findConnection(channel.world, message)
  if (connection?.isField === true && !isRequest(message.carrier)) {
    channel.field.push({ connection: connection.id, octets: payload })
    return
  }
  if (outcome !== 'invalid') {
    channel.receive(channel, message, payload)
    return
  }
  const { protocol, carrier, link } = message
  const decoded = protocols[protocol].decode(payload, isRequest(carrier), channel.configurationOf(link))
  if (!decoded.ok) reportMalformed(channel, message, decoded.fault)
}

/** Lets a message that an attacker held go on to its receiver. */
function release(channel: Channel, held: HeldMessage): void {
  const connection = findConnection(channel.world, held)
  if (isCutOff(held, connection)) return
  const transmission = resumeTransmission(channel, held)
  const { sequence } = transmission.numbers
  const timeUs = held.dueUs
  if (held.isAgain === true && held.carrier.kind === 'tcp' && connection !== undefined) {
    const { side } = held.carrier
    recordRepetition(channel, transmission, { tap: 'after', timeUs })
    receiveSegment(channel, { connection, side, sequence, timeUs })
  } else deliver(channel, transmission, timeUs)
}

/** Takes a segment in: the receiver gets what is complete now, in order, and acknowledges. */
export function receiveSegment(channel: Channel, arrived: ArrivedSegment): void {
  const { connection, side, timeUs } = arrived
  const taken = takeArrived(arrived)
  if (taken === undefined) return
  const messages = taken.delivered.map((body) => ({ body, message: { ...resumeMessage(body), timeUs } }))
  for (const { body, message } of messages) {
    deliverTo(channel, message, decodeHex(body.payloadHex), body.outcome)
  }
  const last = messages.at(-1)
  if (last !== undefined && messages.length === 1) acknowledge(channel, last.message)
  else acknowledgeAtOnce(channel, connection, otherSide(side), timeUs)
  if (taken.isKnownLost) resend(channel, { connection, side, timeUs }, 'duplicates')
}

/** Sends the oldest segment in flight again, past the attack that acted on it. */
export function resend(channel: Channel, direction: Direction, reason: 'timeout' | 'duplicates'): void {
  const repetition = repeatOldest(channel, direction, reason)
  if (repetition === undefined) return
  const { transmission, body } = repetition
  const { connection, side, timeUs } = direction
  const { interception, numbers, shift } = transmission
  if (interception.outcome === 'dropped' || isHeld(interception)) {
    recordRepetition(channel, transmission, { tap: 'before', timeUs })
    if (isHeld(interception))
      hold(channel, { ...body, ...withShift(numbers, shift), isAgain: true }, timeUs + interception.delayUs)
    return
  }
  const { sequence } = numbers
  recordRepetition(channel, transmission, { tap: 'after', timeUs })
  const { shift: _, ...plain } = body
  const arrived = { ...plain, payloadHex: body.originalHex, outcome: 'clean' } as const
  receiveSegment(channel, { connection, side, sequence, timeUs, body: arrived })
}
