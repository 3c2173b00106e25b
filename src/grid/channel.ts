/** The path of a message: past the attackers, into frames and records, to its receiver. */

import { findAttack } from './attacks/catalogue.ts'
import { type Passage, record, recordAgain, traceOf } from './step/attack-trace.ts'
import { acknowledge, findConnection } from './step/connections.ts'
import type { FrameDraft } from './step/drafts.ts'
import { count, type Interception, isHeld, passAttackers } from './step/interception.ts'
import { type FrameNumbers, noteLength, numberFrame } from './step/message-frame.ts'
import { handOver, type Receiver } from './step/receiver.ts'
import { earliestTimer, hasRoom, noteSent, resend, takeIn } from './step/segments.ts'
import { stations } from './step/stations/catalogue.ts'
import type { StepContext } from './step/step-context.ts'
import { delay, interceptionOf, takeDue, toMessage, travelling } from './step/travelling.ts'
import type { HeldMessage } from './step/world.ts'
import type { Message } from './telecontrol/message.ts'

/**
 * Sends everything that is on its way in this step, and the answers to it, in the order of time: messages,
 * messages that an attacker held until now, and segments that were not acknowledged in time.
 */
export function flush(context: StepContext, receive: Receiver): void {
  takeDue(context)
  for (;;) {
    const messageUs = context.queue[0]?.timeUs ?? Number.POSITIVE_INFINITY
    const held = context.due[0]
    const overdue = earliestTimer(context)
    const heldUs = held?.dueUs ?? Number.POSITIVE_INFINITY
    const timerUs = overdue?.timeUs ?? Number.POSITIVE_INFINITY
    if (held !== undefined && heldUs <= timerUs && heldUs <= messageUs) {
      context.due.shift()
      release(context, held, receive)
    } else if (overdue !== undefined && timerUs <= messageUs) {
      resend(context, overdue, 'timeout', receive)
    } else {
      const message = context.queue.shift()
      if (message === undefined) return
      transmit(context, message, receive)
    }
  }
}

function transmit(context: StepContext, message: Message, receive: Receiver): void {
  const connection = findConnection(context, message)
  // The connection of an answer may have been closed since the request: then the answer is not sent.
  if (message.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  if (!hasRoom(message, connection)) return
  if (connection !== undefined) stations[message.protocol].seal?.(message, connection)
  const interception = passAttackers(context, message)
  const trace = traceOf(context, message, interception)
  const passage = { message, interception, trace, numbers: numberFrame(context, message) }
  noteSent(passage, connection)
  noteLength(context, message, interception.payload)
  countMessage(context, interception)
  goOn(context, passage, receive)
}

function countMessage({ world }: StepContext, { outcome }: Interception): void {
  world.totals = count(world.totals, 'total_packets')
  if (outcome === 'dropped') world.totals = count(world.totals, 'dropped_packets')
  else if (outcome !== 'clean') world.totals = count(world.totals, 'modified_packets')
}

/** Lets a message go on behind the attackers, and records what they did to it. */
function goOn(context: StepContext, passage: Passage, receive: Receiver): void {
  const { message, interception, numbers } = passage
  const { timeUs } = message
  const isLost = interception.outcome === 'dropped'
  if (isLost || isHeld(interception) || interception.payload !== message.payload) {
    record(context, passage, { tap: 'before', timeUs, isMessage: isLost })
  }
  if (isLost) return
  if (isHeld(interception)) {
    delay(context, travelling(message, interception, numbers), timeUs + Math.round(interception.delayUs))
    return
  }
  deliver(context, passage, timeUs, receive)
}

/** Brings a message to its receiver at `timeUs`, in Unix microseconds, with its frame and its records. */
function deliver(context: StepContext, passage: Passage, timeUs: number, receive: Receiver): void {
  const { message, interception, numbers } = passage
  const draft = record(context, passage, { tap: 'after', timeUs, isMessage: true })
  const arrived = message.timeUs === timeUs ? message : { ...message, timeUs }
  const connection = findConnection(context, message)
  if (message.carrier.kind === 'tcp' && connection?.transit?.[message.carrier.side] !== undefined) {
    const { side } = message.carrier
    takeIn(context, { connection, side, sequence: numbers.numbers.sequence, timeUs }, receive)
    return
  }
  context.effects.length = 0
  handOver(context, arrived, interception.payload, interception.outcome, receive)
  noteImpact(context, interception, draft)
  acknowledge(context, arrived)
}

/** Writes what the receiver did to the grid into the incident of an attacked message. */
function noteImpact(
  { effects }: StepContext,
  { outcome, attack }: Interception,
  { incident }: FrameDraft,
): void {
  if (incident === undefined || outcome === 'clean' || effects.length === 0) return
  incident.impact = { effects: effects.map((effect) => ({ ...effect })) }
  const severity = attack === null ? undefined : findAttack(attack.order.type)?.severity
  if (severity !== undefined) incident.severity = severity
}

/** Lets a message that an attacker held go on to its receiver. */
function release(context: StepContext, held: HeldMessage, receive: Receiver): void {
  const message = toMessage(held)
  const connection = findConnection(context, message)
  if (held.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  const isAltered = held.payloadHex !== held.originalHex
  const interception: Interception = {
    ...interceptionOf(context, held),
    ...(isAltered ? {} : { payload: message.payload }),
    delayUs: held.dueUs - held.sentUs,
  }
  const trace = traceOf(context, message, interception)
  const passage = { message, interception, trace, numbers: numbersOf(held) }
  const timeUs = held.dueUs
  if (held.isAgain === true && held.carrier.kind === 'tcp' && connection !== undefined) {
    const { side } = held.carrier
    recordAgain(context, passage, { tap: 'after', timeUs })
    takeIn(context, { connection, side, sequence: passage.numbers.numbers.sequence, timeUs }, receive)
  } else deliver(context, passage, timeUs, receive)
}

/** The numbers that a held message took when it was sent. */
function numbersOf({ numbers, shift }: HeldMessage): FrameNumbers {
  return { numbers, ...(shift === undefined ? {} : { shift }) }
}
