/** Segments in flight on TCP connections: remembered when they are sent, put in order, sent again when overdue. */

import { findStack } from '../link/ip-stack.ts'
import { type FlowSide, otherSide, retakeNumbers } from '../link/tcp-flow.ts'
import {
  inFlight,
  isKnownLost,
  newTransit,
  reassemble,
  retransmit,
  retransmitsUs,
  sendSegment,
  type Transit,
} from '../link/tcp-transit.ts'
import type { StepScene } from '../step/step-context.ts'
import type { Connection, Travelling, World } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import { type Interception, isHeld, isScheduled } from './attackers.ts'
import { resumeInterception, resumeMessage, storeMessage } from './held.ts'
import { openTransmission, type Transmission, withShift } from './transmission.ts'

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
  /** The message as it arrived; absent where it is as it was when the segment was sent. */
  readonly body?: Travelling
}

/** Tests that a message fits the receiver's window. Otherwise its sender gives it up: a late measurement has no use. */
export function hasRoom(
  { hosts }: Pick<World, 'hosts'>,
  { carrier, payload }: Message,
  connection: Connection | undefined,
): boolean {
  if (carrier.kind !== 'tcp' || connection === undefined) return true
  const transit = connection.transit?.[carrier.side]
  if (transit === undefined) return true
  const receiver = connection.flow[otherSide(carrier.side)]
  return inFlight(transit) + payload.length <= findStack(hosts, receiver.ip).window
}

/** Remembers a segment until it is acknowledged, beginning with the first one that does not arrive at once. */
export function recordSent(transmission: Transmission, connection: Connection | undefined): void {
  const { message, interception, numbers } = transmission
  const { carrier, payload, timeUs } = message
  if (carrier.kind !== 'tcp' || connection === undefined) return
  const { sequence } = numbers
  const known = connection.transit?.[carrier.side]
  if (known === undefined && !isKeptBack(interception)) return
  const segment = { sequence, length: payload.length, sentUs: timeUs, body: storeMessage(transmission) }
  setTransit(connection, carrier.side, sendSegment(known ?? newTransit(sequence), segment))
}

/** Tests that a message does not arrive at once: it is gone, or an attacker holds it. */
export function isKeptBack(interception: Interception): boolean {
  return isGone(interception) || isHeld(interception)
}

/** Tests that a message does not arrive: an attacker dropped it, or its path lost it. */
export function isGone({ outcome }: Pick<Interception, 'outcome'>): boolean {
  return outcome === 'dropped' || outcome === 'lost'
}

function setTransit(connection: Connection, side: FlowSide, transit: Transit<Travelling>): void {
  connection.transit = { ...connection.transit, [side]: transit }
  const { [side]: _, ...others } = connection.flow.received ?? {}
  const isWhole = transit.segments.length === 0
  connection.flow = { ...connection.flow, received: isWhole ? others : { ...others, [side]: transit.received } }
}

/** Takes a segment in: gives the messages that are complete now, in order; undefined where nothing is missing. */
export function takeArrived({ connection, side, sequence, timeUs, body }: ArrivedSegment) {
  const before = connection.transit?.[side]
  if (before === undefined) return undefined
  const { transit, delivered } = reassemble(before, sequence, timeUs, body)
  setTransit(connection, side, transit)
  return { delivered: delivered.map((segment) => segment.body), isKnownLost: isKnownLost(transit) }
}

/** Takes the oldest segment in flight to send it again; the attack that acted on it acts again while it lasts. */
export function repeatOldest(
  scene: StepScene,
  { connection, side, timeUs }: Direction,
  reason: 'timeout' | 'duplicates',
) {
  const known = connection.transit?.[side]
  const oldest = known?.segments[0]
  if (known === undefined || oldest === undefined) return undefined
  setTransit(connection, side, retransmit(known, timeUs, reason))
  const { body, sequence } = oldest
  const numbers = withShift(retakeNumbers(connection.flow, side, sequence, scene.world.hosts), body.shift)
  const message = { ...resumeMessage(body), timeUs }
  const interception = interceptAgain(scene, body, message)
  return { transmission: openTransmission(scene, message, interception, numbers), body }
}

/** Drops or holds a repetition as the message before, while the attack lasts; no path loses it again. */
function interceptAgain({ world }: StepScene, body: Travelling, { payload }: Message): Interception {
  const attack = world.attacks.find(({ order }) => order.attack_id === body.attackId)
  const isActive = attack !== undefined && isScheduled(attack.order, attack.seen[body.link] ?? 0)
  const outcome = isActive ? body.outcome : 'clean'
  const again = { ...resumeInterception(world, body), outcome, delayUs: body.delayUs, payload }
  return isKeptBack(again) ? again : { ...again, outcome: 'clean', attack: null }
}

type StepSpan = Pick<StepScene, 'world' | 'startUs' | 'endUs'>

/** Finds the first segment whose acknowledgment is overdue within this step; time that was not computed is left out. */
export function earliestTimer({ world, startUs, endUs }: StepSpan): Direction | undefined {
  let first: Direction | undefined
  // This runs for each message: a list of all connections would cost a fifth of a step at 118 buses.
  for (const id in world.connections) {
    const connection = world.connections[id]
    if (connection?.transit === undefined) continue
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
