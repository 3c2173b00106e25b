/** From a message to the octets of its frame, with the numbers that it takes from its host and connection. */

import { toMac } from '../link/ethernet.ts'
import { encodeDatagram } from '../link/frame.ts'
import { nextIdentification } from '../link/ipv4.ts'
import { keepOctets } from '../link/slab.ts'
import {
  behindAttacker,
  encodeSegment,
  type NumberShift,
  retakeNumbers,
  type SegmentNumbers,
  shiftOf,
  takeNumbers,
} from '../link/tcp-flow.ts'
import type { Message } from '../telecontrol/message.ts'
import { type Ends, endsBetween, endsOf } from './connections.ts'
import type { StepContext } from './step-context.ts'
import type { Connection } from './world.ts'

/** The numbers of one frame on its sender's side, and what an attacker has shifted in them; UDP has only the first. */
export interface FrameNumbers {
  readonly numbers: SegmentNumbers
  readonly shift?: NumberShift
}

/** A frame, and where in it the payload lies. */
export interface MessageFrame {
  readonly bytes: Uint8Array
  readonly octets: Uint8Array
  readonly ends: Ends
}

/** Octets of the headers in front of a payload: Ethernet, IPv4 and UDP or TCP without options. */
const headerLength = { udp: 42, tcp: 54 } as const

/**
 * Takes the numbers of a message's frame; they are used up whether it arrives or not.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function numberFrame(context: StepContext, { carrier, payload }: Message): FrameNumbers {
  const { world } = context
  if (carrier.kind === 'ethernet') return { numbers: noNumbers }
  if (carrier.kind === 'udp') {
    const { identification, hosts } = nextIdentification(world.hosts, carrier.from.ip)
    world.hosts = hosts
    return { numbers: { ...noNumbers, identification } }
  }
  const connection = connectionOf(context, carrier.connection)
  const taken = takeNumbers(connection.flow, carrier.side, payload.length, world.hosts)
  connection.flow = taken.flow
  world.hosts = taken.hosts
  return withShift(taken.numbers, connection, carrier.side)
}

/** Takes the numbers of a segment that is sent again. */
export function renumberFrame(
  context: StepContext,
  connection: Connection,
  side: 'client' | 'server',
  sequence: number,
  shift: NumberShift | undefined,
): FrameNumbers {
  const { numbers, hosts } = retakeNumbers(connection.flow, side, sequence, context.world.hosts)
  context.world.hosts = hosts
  return { numbers, ...(shift === undefined ? {} : { shift }) }
}

/**
 * Notes that an attacker changed the length of a message: later numbers of its side shift behind the attacker.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function noteLength(context: StepContext, { carrier, payload }: Message, passed: Uint8Array): void {
  const removed = payload.length - passed.length
  if (carrier.kind !== 'tcp' || removed === 0) return
  const connection = connectionOf(context, carrier.connection)
  const { flow } = connection
  const known = flow.removed?.[carrier.side] ?? 0
  connection.flow = { ...flow, removed: { ...flow.removed, [carrier.side]: known + removed } }
}

/**
 * Writes a message into its frame, as the tap before the attackers or the one behind them sees it.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function frameOf(
  context: StepContext,
  { carrier }: Message,
  payload: Uint8Array,
  { numbers, shift }: FrameNumbers,
  tap: 'before' | 'after',
): MessageFrame {
  if (carrier.kind === 'ethernet') {
    const [src, dst] = [toMac(payload.subarray(6, 12)), toMac(payload.subarray(0, 6))]
    const bytes = keepOctets(payload)
    return { bytes, octets: bytes, ends: { src, dst, flow: `${src}-${dst}` } }
  }
  const end = headerLength[carrier.kind] + payload.length
  if (carrier.kind === 'udp') {
    const bytes = encodeDatagram(carrier.from, carrier.to, payload, numbers.identification)
    const ends = endsBetween(carrier.from, carrier.to)
    return { bytes, octets: bytes.subarray(headerLength.udp, end), ends }
  }
  const { flow } = connectionOf(context, carrier.connection)
  // Telecontrol messages fit one segment: the limits of their protocols ensure it.
  const there = tap === 'before' ? numbers : behindAttacker(numbers, shift)
  const bytes = encodeSegment(flow, carrier.side, there, payload)
  return { bytes, octets: bytes.subarray(headerLength.tcp, end), ends: endsOf(flow, carrier.side) }
}

const noNumbers: SegmentNumbers = { identification: 0, sequence: 0, acknowledgment: 0 }

function withShift(numbers: SegmentNumbers, { flow }: Connection, side: 'client' | 'server'): FrameNumbers {
  const shift = shiftOf(flow, side)
  return shift === undefined ? { numbers } : { numbers, shift }
}

function connectionOf(context: StepContext, id: string): Connection {
  const connection = context.world.connections[id]
  if (connection === undefined) throw new Error(`no connection ${id}`)
  return connection
}
