/** TCP connections between devices: opening, acknowledging and closing them, with frames that the capture shows. */

import { memo } from '../../base/memo.ts'
import type { Random } from '../../base/random.ts'
import { type Endpoint, renumberTcp } from '../link/ip-frame.ts'
import { drawSpread } from '../link/spread.ts'
import {
  closeTcp,
  connectTcp,
  type FlowSide,
  type FlowStep,
  findShift,
  type NumberShift,
  newTcpFlow,
  resetTcp,
  type TcpFlow,
} from '../link/tcp-flow.ts'
import type { Message } from '../telecontrol/message.ts'
import { type Device, endpoint, type Host } from '../telecontrol/telecontrol.ts'
import type { Dialogue, DialogueOf } from './dialogue.ts'
import { noMessage } from './drafts.ts'
import { type Outgoing, type StepLog, send } from './step-context.ts'
import type { Connection, World } from './world.ts'

/** The parts of a step that TCP touches: connections with their numbers, and the drafts of its frames. */
export interface Transport extends Pick<StepLog, 'drafts'> {
  readonly world: Pick<World, 'connections' | 'hosts' | 'held' | 'acknowledgments'>
}

/** Microseconds between the segments of a handshake: the least, and how many more a path may take. */
const segmentUs = { least: 90, spread: 180 } as const

/** Finds the connection that a message travels on; undefined where it needs none or it is gone. */
export function findConnection(
  { connections }: Pick<World, 'connections'>,
  { carrier }: Pick<Message, 'carrier'>,
): Connection | undefined {
  return carrier.kind === 'tcp' ? connections[carrier.connection] : undefined
}

/** Tests that a connection is there and speaks a protocol. */
export function speaks<Protocol extends Dialogue['protocol']>(
  connection: Connection | undefined,
  protocol: Protocol,
): connection is Connection<DialogueOf<Protocol>> {
  return connection?.dialogue.protocol === protocol
}

/** The connections of masters from outside to a device. */
export function listFieldConnections(
  { connections, field }: Pick<World, 'connections' | 'field'>,
  node: string,
): readonly Connection[] {
  if (field.open === 0) return []
  return Object.values(connections).filter(({ isField, serverNode }) => isField === true && serverNode === node)
}

/**
 * Finds a connection by its identifier.
 *
 * @throws Error when it is not there.
 */
export function mustFindConnection({ connections }: Pick<World, 'connections'>, id: string): Connection {
  const connection = connections[id]
  if (connection === undefined) throw new Error(`no connection ${id}`)
  return connection
}

/** Fills in the fields that all messages from one end of a connection have in common. */
export function envelope(
  { id, link, clientNode, serverNode, dialogue: { protocol } }: Connection,
  side: FlowSide,
): Pick<Message, 'protocol' | 'link' | 'carrier' | 'srcNode' | 'dstNode'> {
  const carrier = { kind: 'tcp', connection: id, side } as const
  const [srcNode, dstNode] = side === 'client' ? [clientNode, serverNode] : [serverNode, clientNode]
  return { protocol, link, carrier, srcNode, dstNode }
}

/** The time at which a message leaves, and the attack that forged it; an honest one where that is absent. */
export type Departure = Pick<Message, 'timeUs'> & Partial<Pick<Message, 'forged'>>

/** Sends octets from one end of a connection; `purpose` is `link` unless stated. */
export function sendFrom(
  outgoing: Pick<Outgoing, 'queue'>,
  connection: Connection,
  side: FlowSide,
  message: Departure & Pick<Message, 'payload'> & Partial<Pick<Message, 'purpose'>>,
): void {
  send(outgoing, { ...envelope(connection, side), purpose: 'link', forged: null, ...message })
}

/** A connection before it has its ports and sequence numbers. */
interface PlannedConnection<Spoken extends Dialogue> {
  readonly id: string
  readonly from: Host
  readonly to: Pick<Device, 'host' | 'link' | 'node'>
  /** The port of the server. */
  readonly port: number
  readonly dialogue: Spoken
}

/** Makes an honest connection of a host to a device, which is not open yet. */
export function connectTo<Spoken extends Dialogue>(
  { id, from, to, port, dialogue }: PlannedConnection<Spoken>,
  random: Random,
): Connection<Spoken> {
  const client = endpoint(from, random.integer(49_152, 65_535))
  const server = endpoint(to.host, port)
  const flow = newTcpFlow(client, server, { client: random.uint32(), server: random.uint32() })
  return { id, link: to.link, clientNode: from.node, serverNode: to.node, flow, dialogue, label: null }
}

/** Opens a connection; its messages may leave three segments later. */
export function openConnection(context: Transport, connection: Connection, timeUs: number): void {
  context.world.connections[connection.id] = connection
  recordTransport(context, connection, connectTcp(connection.flow, context.world.hosts), timeUs)
}

/** Closes a connection from one side and removes it. */
export function closeConnection(context: Transport, id: string, timeUs: number, side: FlowSide = 'client'): void {
  const connection = context.world.connections[id]
  if (connection === undefined) return
  if (connection.flow.phase === 'established') {
    recordTransport(context, connection, closeTcp(connection.flow, side, context.world.hosts), timeUs)
  }
  dropConnection(context.world, id)
}

/** Removes a connection with what is owed and held on it: its successor may have its name. */
export function dropConnection(world: Pick<World, 'connections' | 'acknowledgments' | 'held'>, id: string): void {
  delete world.connections[id]
  world.acknowledgments = world.acknowledgments.filter(({ connection }) => connection !== id)
  world.held = world.held.filter(({ carrier }) => carrier.kind !== 'tcp' || carrier.connection !== id)
}

/** Resets a connection from its client's side, and removes it. */
export function abortConnection(context: Transport, id: string, timeUs: number): void {
  const { world } = context
  const connection = world.connections[id]
  if (connection === undefined) return
  recordTransport(context, connection, resetTcp(connection.flow, 'client', world.hosts), timeUs)
  dropConnection(world, id)
}

/** Records the segments of a step of a connection, the first at `timeUs`. */
export function recordTransport(context: Transport, connection: Connection, step: FlowStep, timeUs: number): void {
  connection.flow = step.flow
  let segmentAtUs = timeUs
  step.frames.forEach(({ from, bytes }, index) => {
    const spread = drawSpread(step.flow.clientNext, segmentAtUs)
    if (index > 0) segmentAtUs += Math.floor(segmentUs.least + segmentUs.spread * spread)
    const shift = findShift(connection.flow, from)
    context.drafts.push({
      ...noMessage,
      ...endsOf(connection.flow, from),
      timeUs: segmentAtUs,
      bytes: shift === undefined ? bytes : renumberTcp(bytes, turnBack(shift)),
      protocol: 'TCP',
      status: connection.label === null ? 'clean' : 'attacked',
      label: connection.label,
      ...(shift === undefined ? {} : { shift }),
    })
  })
}

const turnBack = (shift: NumberShift) => ({ sequence: -shift.sequence, acknowledgment: -shift.acknowledgment })

/** Both ends of a flow as texts, and the name that both directions share. */
export interface Ends {
  readonly src: string
  readonly dst: string
  readonly flow: string
}

/** Names by the endpoints that they name, so that all frames of a flow share them; the second key is the other end. */
const endsFrom = memo((from: Endpoint) =>
  memo((to: Endpoint): Ends => {
    const [src, dst] = [`${from.ip}:${from.port}`, `${to.ip}:${to.port}`]
    return { src, dst, flow: `${src}-${dst}` }
  }),
)

/** Names the ends of what goes from one endpoint to another. */
export function endsBetween(from: Endpoint, to: Endpoint): Ends {
  return endsFrom(from)(to)
}

/** Both ends of a flow as texts, seen from one side, and the name that both directions share. */
export function endsOf({ client, server }: TcpFlow, from: FlowSide): Ends {
  const there = endsBetween(client, server)
  return from === 'client' ? there : endsBack(there)
}

/** The same names seen from the other side. */
const endsBack = memo(({ src, dst, flow }: Ends): Ends => ({ src: dst, dst: src, flow }))
