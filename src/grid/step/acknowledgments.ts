/** Acknowledgments of TCP: each waits for data to go with, at most as long as the stack of its host lets it. */

import { acknowledgmentDelayUs } from '../link/ip-stack.ts'
import { acknowledgeTcp, type FlowSide, otherSide } from '../link/tcp-flow.ts'
import type { Carrier, Message } from '../telecontrol/message.ts'
import { findConnection, recordTransport, type Transport } from './connections.ts'
import type { Outgoing } from './step-context.ts'
import type { Connection, PendingAcknowledgment, World } from './world.ts'

/** Microseconds to an acknowledgment that must not wait (RFC 5681 section 4.2). */
const atOnceUs = 60

/** Owes an acknowledgment of a message that arrived; a second one that is owed is sent at once (RFC 9293, 3.8.6.3). */
export function acknowledge(context: Transport, message: Pick<Message, 'carrier' | 'timeUs'>): void {
  const { carrier, timeUs } = message
  const { world } = context
  const connection = findConnection(world, message)
  if (carrier.kind !== 'tcp' || connection === undefined) return
  const side = otherSide(carrier.side)
  if (world.acknowledgments.some(isOf(connection.id, side))) {
    acknowledgeAtOnce(context, connection, side, timeUs)
    return
  }
  const dueUs = timeUs + acknowledgmentDelayUs(world.hosts, connection.flow[side].ip, timeUs)
  const later = world.acknowledgments.findIndex((other) => other.dueUs > dueUs)
  const at = later === -1 ? world.acknowledgments.length : later
  world.acknowledgments.splice(at, 0, { connection: connection.id, side, dueUs })
}

/** Acknowledges what has arrived so far, because an unexpected segment did, or a second one. */
export function acknowledgeAtOnce(context: Transport, connection: Connection, side: FlowSide, timeUs: number): void {
  settleAcknowledgment(context.world, { kind: 'tcp', connection: connection.id, side })
  if (connection.flow.phase !== 'established') return
  recordTransport(context, connection, acknowledgeTcp(connection.flow, side, context.world.hosts), timeUs + atOnceUs)
}

/** Sends an acknowledgment whose time has come, unless data of its side leave in the same moment. */
export function sendAcknowledgment(
  context: Transport & Pick<Outgoing, 'queue'>,
  { connection: id, side }: PendingAcknowledgment,
  timeUs: number,
): void {
  const connection = context.world.connections[id]
  if (connection === undefined) return
  const isCarried = context.queue.some(
    ({ carrier, timeUs: leavesUs }) =>
      carrier.kind === 'tcp' && carrier.connection === id && carrier.side === side && leavesUs < timeUs + atOnceUs,
  )
  if (!isCarried) acknowledgeAtOnce(context, connection, side, timeUs - atOnceUs)
}

/** Forgets what a side owes, because a segment with data carries it. */
export function settleAcknowledgment(world: Pick<World, 'acknowledgments'>, carrier: Carrier): void {
  if (carrier.kind !== 'tcp') return
  const at = world.acknowledgments.findIndex(isOf(carrier.connection, carrier.side))
  if (at !== -1) world.acknowledgments.splice(at, 1)
}

function isOf(id: string, of: FlowSide): (one: PendingAcknowledgment) => boolean {
  return ({ connection, side }) => connection === id && side === of
}
