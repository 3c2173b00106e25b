/** Segments in flight on TCP connections: noted when they are sent, taken in by number, sent again when overdue. */

import { decodeHex } from '../../base/hex.ts'
import { type FlowSide, tcpWindow } from '../link/tcp-flow.ts'
import {
  inFlight,
  isKnownLost,
  newTransit,
  receiveSegment,
  retransmit,
  retransmitsUs,
  sendSegment,
  type Transit,
} from '../link/tcp-transit.ts'
import type { Message } from '../telecontrol/message.ts'
import { type Passage, recordAgain, traceOf } from './attack-trace.ts'
import { acknowledge, acknowledgeAgain } from './connections.ts'
import { type Interception, isHeld, isScheduled } from './interception.ts'
import { renumberFrame } from './message-frame.ts'
import { handOver, type Receiver } from './receiver.ts'
import type { StepContext } from './step-context.ts'
import { delay, interceptionOf, toMessage, travelling } from './travelling.ts'
import type { Connection, Travelling } from './world.ts'

/** One direction of a connection at a moment. */
export interface Direction {
  readonly connection: Connection
  /** The sender's side. */
  readonly side: FlowSide
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number
}

/** A segment that has arrived. */
export interface ArrivedSegment extends Direction {
  readonly sequence: number
  /** What arrived, where it is not what was noted when the segment was sent. */
  readonly body?: Travelling
}

/** Whether a message fits the receiver's window. One that does not is given up: a late measurement has no use. */
export function hasRoom({ carrier, payload }: Message, connection: Connection | undefined): boolean {
  const transit = carrier.kind === 'tcp' ? connection?.transit?.[carrier.side] : undefined
  return transit === undefined || inFlight(transit) + payload.length <= tcpWindow
}

/** Remembers a segment until it is acknowledged, beginning with the first one that does not arrive at once. */
export function noteSent(passage: Passage, connection: Connection | undefined): void {
  const { message, interception, numbers } = passage
  const { carrier, payload, timeUs } = message
  if (carrier.kind !== 'tcp' || connection === undefined) return
  const { sequence } = numbers.numbers
  const known = connection.transit?.[carrier.side]
  const isOnItsWay = interception.outcome === 'dropped' || isHeld(interception)
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

/** Takes a segment in: the receiver hands on what is complete now, in order, and acknowledges. */
export function takeIn(context: StepContext, arrived: ArrivedSegment, receive: Receiver): void {
  const { connection, side, sequence, timeUs, body } = arrived
  const before = connection.transit?.[side]
  if (before === undefined) return
  const { transit, delivered } = receiveSegment(before, sequence, timeUs, body)
  setTransit(connection, side, transit)
  for (const segment of delivered) {
    const message = { ...toMessage(segment.body), timeUs }
    handOver(context, message, decodeHex(segment.body.payloadHex), segment.body.fate, receive)
  }
  const last = delivered.at(-1)
  if (last !== undefined) acknowledge(context, { ...toMessage(last.body), timeUs })
  else acknowledgeAgain(context, connection, side === 'client' ? 'server' : 'client', timeUs)
  if (isKnownLost(transit)) resend(context, { connection, side, timeUs }, 'duplicates', receive)
}

/**
 * Sends the oldest segment in flight again.
 *
 * The attack that acted on it acts on it again while its schedule lasts: an attack that drops a message drops each
 * repetition, or the message would arrive after all.
 */
export function resend(
  context: StepContext,
  { connection, side, timeUs }: Direction,
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
  const interception = interceptAgain(context, body, message)
  if (interception.outcome === 'dropped' || isHeld(interception)) {
    const trace = traceOf(context, message, interception)
    recordAgain(context, { message, interception, trace, numbers }, { tap: 'before', timeUs })
    if (isHeld(interception)) {
      delay(context, { ...body, ...numbers, isAgain: true }, timeUs + interception.delayUs)
    }
    return
  }
  const whole: Interception = { ...interception, outcome: 'clean', attack: null }
  recordAgain(context, { message, interception: whole, trace: null, numbers }, { tap: 'after', timeUs })
  const { shift: _, ...plain } = body
  const arrived: Travelling = { ...plain, payloadHex: body.originalHex, fate: 'clean' }
  takeIn(context, { connection, side, sequence, timeUs, body: arrived }, receive)
}

/** What the attackers make of a repetition: the same as before while the attack lasts, and then nothing. */
function interceptAgain(context: StepContext, body: Travelling, { payload }: Message): Interception {
  const attack = context.world.attacks.find(({ order }) => order.attack_id === body.attackId)
  const isActive = attack !== undefined && isScheduled(attack.order, attack.seen[body.link] ?? 0)
  const outcome = isActive ? (body.fate ?? 'clean') : 'clean'
  return { ...interceptionOf(context, body), outcome, delayUs: body.delayUs ?? 0, payload }
}

/** The first segment whose acknowledgment is overdue within this step; time that was not computed does not count. */
export function earliestTimer({ world, startUs, endUs }: StepContext): Direction | undefined {
  let first: Direction | undefined
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
