/** The way of a message: past the attackers, into frames and records, to its receiver. */

import { decodeHex } from '../base/hex.ts'
import { findAttack } from './attacks/catalogue.ts'
import { reportMalformed } from './control-centre/link-monitor.ts'
import { type FlowSide, tcpWindow } from './link/tcp-flow.ts'
import {
  inFlight,
  isKnownLost,
  newTransit,
  receiveSegment,
  retransmit,
  retransmitsUs,
  sendSegment,
  type Transit,
} from './link/tcp-transit.ts'
import { protocols } from './protocols/catalogue.ts'
import { type AttackTrace, record, recordAgain, traceOf } from './step/attack-trace.ts'
import { acknowledge, acknowledgeAgain, findConnection } from './step/connections.ts'
import { count, type Interception, isScheduled, passAttackers } from './step/interception.ts'
import { type FrameNumbers, noteLength, numberFrame, renumberFrame } from './step/message-frame.ts'
import { stations } from './step/stations/catalogue.ts'
import type { StepContext } from './step/step-context.ts'
import { delay, interceptionOf, takeDue, toMessage, travelling } from './step/travelling.ts'
import type { Connection, HeldMessage, Travelling } from './step/world.ts'
import { isRequest, type Message } from './telecontrol/message.ts'

/** Takes in a message as it arrived; replies go out with `send`. */
export type Receiver = (context: StepContext, message: Message, payload: Uint8Array) => void

/**
 * Sends everything that is on its way in this step, and what is answered to it, in the order of time: messages,
 * what an attacker held until now, and segments that were not acknowledged in time.
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
      resend(context, overdue.connection, overdue.side, timerUs, 'timeout', receive)
    } else {
      const message = context.queue.shift()
      if (message === undefined) return
      transmit(context, message, receive)
    }
  }
}

function transmit(context: StepContext, message: Message, receive: Receiver): void {
  const connection = findConnection(context, message)
  // An answer on a connection that was closed in the meantime has no way to travel.
  if (message.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  if (!hasRoom(message, connection)) return
  if (connection !== undefined) stations[message.protocol].seal?.(message, connection)
  context.world.totals = count(context.world.totals, 'total_packets')
  const interception = passAttackers(context, message)
  const trace = traceOf(context, message, interception)
  const numbers = numberFrame(context, message)
  noteSent(message, connection, interception, numbers)
  noteLength(context, message, interception.payload)
  if (interception.outcome === 'dropped') {
    context.world.totals = count(context.world.totals, 'dropped_packets')
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', true, numbers)
    return
  }
  if (interception.outcome !== 'clean') context.world.totals = count(context.world.totals, 'modified_packets')
  if (interception.outcome === 'held') {
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', false, numbers)
    delay(
      context,
      travelling(message, interception, numbers),
      message.timeUs + Math.round(interception.delayUs),
    )
    return
  }
  if (interception.payload !== message.payload) {
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', false, numbers)
  }
  deliver(context, message, interception, trace, message.timeUs, receive, numbers)
}

/** A sender gives up what does not fit the receiver's window any more: a measurement that waits is of no use. */
function hasRoom({ carrier, payload }: Message, connection: Connection | undefined): boolean {
  const transit = carrier.kind === 'tcp' ? connection?.transit?.[carrier.side] : undefined
  return transit === undefined || inFlight(transit) + payload.length <= tcpWindow
}

/** Remembers a segment until it is acknowledged, from the first one on that does not arrive at once. */
function noteSent(
  message: Message,
  connection: Connection | undefined,
  interception: Interception,
  numbers: FrameNumbers,
): void {
  const { carrier, payload, timeUs } = message
  if (carrier.kind !== 'tcp' || connection === undefined) return
  const { sequence } = numbers.numbers
  const known = connection.transit?.[carrier.side]
  const isOnItsWay = interception.outcome === 'dropped' || interception.outcome === 'held'
  if (known === undefined && !isOnItsWay) return
  const body = travelling(message, interception, numbers)
  const segment = { sequence, length: payload.length, sentUs: timeUs, body }
  setTransit(connection, carrier.side, sendSegment(known ?? newTransit(sequence), segment))
}

function setTransit(connection: Connection, side: FlowSide, transit: Transit<Travelling>): void {
  connection.transit = { ...connection.transit, [side]: transit }
  const { [side]: _, ...others } = connection.flow.received ?? {}
  const isWhole = transit.segments.length === 0
  connection.flow = {
    ...connection.flow,
    received: isWhole ? others : { ...others, [side]: transit.received },
  }
}

/** Octets go through the frames, the records and the receiver; what the receiver did to the grid is the impact. */
function deliver(
  context: StepContext,
  message: Message,
  interception: Interception,
  trace: AttackTrace | null,
  timeUs: number,
  receive: Receiver,
  numbers: FrameNumbers,
): void {
  const draft = record(
    context,
    message,
    interception,
    trace,
    interception.payload,
    timeUs,
    'after',
    true,
    numbers,
  )
  const arrived = message.timeUs === timeUs ? message : { ...message, timeUs }
  const connection = findConnection(context, message)
  if (message.carrier.kind === 'tcp' && connection?.transit?.[message.carrier.side] !== undefined) {
    takeIn(context, connection, message.carrier.side, numbers.numbers.sequence, timeUs, receive)
    return
  }
  context.effects.length = 0
  if (interception.outcome !== 'invalid') receive(context, arrived, interception.payload)
  else refuse(context, arrived, interception.payload)
  if (draft.incident !== undefined && interception.outcome !== 'clean' && context.effects.length > 0) {
    draft.incident.impact = { effects: context.effects.map((effect) => ({ ...effect })) }
    const severity =
      interception.attack === null ? undefined : findAttack(interception.attack.order.type)?.severity
    if (severity !== undefined) draft.incident.severity = severity
  }
  acknowledge(context, arrived)
}

/** A segment is there: its receiver hands on what is complete now, in order, and acknowledges. */
function takeIn(
  context: StepContext,
  connection: Connection,
  side: FlowSide,
  sequence: number,
  timeUs: number,
  receive: Receiver,
  body?: Travelling,
): void {
  const before = connection.transit?.[side]
  if (before === undefined) return
  const { transit, delivered } = receiveSegment(before, sequence, timeUs, body)
  setTransit(connection, side, transit)
  for (const segment of delivered) {
    const message = { ...toMessage(segment.body), timeUs }
    const payload = decodeHex(segment.body.payloadHex)
    if (segment.body.fate !== 'invalid') receive(context, message, payload)
    else refuse(context, message, payload)
  }
  const last = delivered.at(-1)
  if (last !== undefined) acknowledge(context, { ...toMessage(last.body), timeUs })
  else acknowledgeAgain(context, connection, side === 'client' ? 'server' : 'client', timeUs)
  if (isKnownLost(transit)) resend(context, connection, side, timeUs, 'duplicates', receive)
}

/**
 * Sends the oldest segment in flight again. It passes the attack that acted on it as long as that lasts: one that
 * loses a message loses it each time, or the message would arrive after all.
 */
function resend(
  context: StepContext,
  connection: Connection,
  side: FlowSide,
  timeUs: number,
  reason: 'timeout' | 'duplicates',
  receive: Receiver,
): void {
  const known = connection.transit?.[side]
  const oldest = known?.segments[0]
  if (known === undefined || oldest === undefined) return
  setTransit(connection, side, retransmit(known, timeUs, reason))
  const { body, sequence } = oldest
  const numbers = renumberFrame(context, connection, side, sequence, body.shift)
  const message = { ...toMessage(body), timeUs }
  const attack = context.world.attacks.find(({ order }) => order.attack_id === body.attackId)
  const isActive = attack !== undefined && isScheduled(attack.order, attack.seen[body.link] ?? 0)
  const outcome = isActive ? (body.fate ?? 'clean') : 'clean'
  const delayUs = body.delayUs ?? 0
  const interception = { ...interceptionOf(context, body), outcome, delayUs, payload: message.payload }
  const trace = traceOf(context, message, interception)
  if (outcome === 'dropped' || outcome === 'held') {
    recordAgain(context, message, interception, trace, timeUs, 'before', numbers)
    if (outcome === 'held') delay(context, { ...body, ...numbers, isAgain: true }, timeUs + delayUs)
    return
  }
  const whole: Interception = { ...interception, outcome: 'clean', attack: null }
  recordAgain(context, message, whole, null, timeUs, 'after', numbers)
  const { shift: _, ...plain } = body
  takeIn(context, connection, side, sequence, timeUs, receive, {
    ...plain,
    payloadHex: body.originalHex,
    fate: 'clean',
  })
}

/** A message that cannot be read goes no further; its receiver says what is wrong with it. */
function refuse(context: StepContext, message: Message, payload: Uint8Array): void {
  const { protocol, carrier, link } = message
  const decoded = protocols[protocol].decode(payload, isRequest(carrier), context.configurationOf(link))
  if (!decoded.ok) reportMalformed(context, message, decoded.fault)
}

/** The first segment whose acknowledgment is overdue within this step; time that stood still does not count. */
function earliestTimer({ world, startUs, endUs }: StepContext) {
  let first: { readonly connection: Connection; readonly side: FlowSide; readonly timeUs: number } | undefined
  for (const connection of Object.values(world.connections)) {
    if (connection.transit === undefined) continue
    for (const side of ['client', 'server'] as const) {
      const transit = connection.transit[side]
      const timeUs = transit === undefined ? Number.POSITIVE_INFINITY : retransmitsUs(transit)
      if (timeUs < endUs && timeUs < (first?.timeUs ?? Number.POSITIVE_INFINITY)) {
        first = { connection, side, timeUs: Math.max(timeUs, startUs) }
      }
    }
  }
  return first
}

/** Lets a held message go on to its receiver. */
function release(context: StepContext, held: HeldMessage, receive: Receiver): void {
  const read = toMessage(held)
  const connection = findConnection(context, read)
  if (held.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  const isAltered = held.payloadHex !== held.originalHex
  const interception: Interception = {
    ...interceptionOf(context, held),
    ...(isAltered ? {} : { payload: read.payload }),
    outcome: 'held',
    delayUs: held.dueUs - held.sentUs,
  }
  const trace = traceOf(context, read, interception)
  const { numbers: taken, shift } = held
  const numbers =
    taken === undefined
      ? numberFrame(context, read)
      : { numbers: taken, ...(shift === undefined ? {} : { shift }) }
  if (held.isAgain === true && held.carrier.kind === 'tcp' && connection !== undefined) {
    recordAgain(context, read, interception, trace, held.dueUs, 'after', numbers)
    takeIn(context, connection, held.carrier.side, numbers.numbers.sequence, held.dueUs, receive)
  } else deliver(context, read, interception, trace, held.dueUs, receive, numbers)
}
