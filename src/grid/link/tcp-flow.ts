/** One TCP connection as a capture shows it, as plain data: handshake, segments in both directions, teardown. */

import { GridError } from '../errors.ts'
import { type Endpoint, encodeTcpFrame } from './ip-frame.ts'
import { findStack, type Hosts, takeIdentification } from './ip-stack.ts'
import type { TcpControl } from './tcp.ts'

/** The end of a flow that acts. */
export type FlowSide = 'client' | 'server'

/** The side that a segment of a side goes to. */
export function otherSide(side: FlowSide): FlowSide {
  return side === 'client' ? 'server' : 'client'
}

/** A connection between two steps; serialisable as JSON. Sequence numbers are modulo 2^32. */
export interface TcpFlow {
  readonly client: Endpoint
  readonly server: Endpoint
  readonly phase: 'closed' | 'established' | 'finished'
  /** The next sequence number of each side: its initial one before the handshake. */
  readonly clientNext: number
  readonly serverNext: number
  /** The number that the receiver of a side expects next, where segments are missing. */
  readonly received?: Partial<Record<FlowSide, number>>
  /** Octets that an attacker removed of those that a side sent: by as many its numbers are smaller behind the attacker. */
  readonly removed?: Partial<Record<FlowSide, number>>
}

/** The numbers in the headers of one segment, on its sender's side. */
export interface SegmentNumbers {
  readonly identification: number
  readonly sequence: number
  readonly acknowledgment: number
}

/** The amounts to add to the numbers of a segment behind an attacker to get those before the attacker. */
export type NumberShift = Omit<SegmentNumbers, 'identification'>

/** One Ethernet frame of a flow. */
export interface FlowFrame {
  readonly from: FlowSide
  readonly bytes: Uint8Array
}

/** The output of a step of a flow: the next state, and the frames. */
export interface FlowStep {
  readonly flow: TcpFlow
  readonly frames: readonly FlowFrame[]
}

/** Octets of payload in one segment: an Ethernet of 1,500 octets less both headers (RFC 879). */
export const maximumSegmentSize = 1460

/** Makes a connection that is not open yet; the initial sequence numbers come from the caller's generator. */
export function newTcpFlow(
  client: Endpoint,
  server: Endpoint,
  initial: { readonly client: number; readonly server: number },
): TcpFlow {
  return { client, server, phase: 'closed', clientNext: initial.client, serverNext: initial.server }
}

/**
 * Opens a connection: SYN with the segment size, SYN-ACK with it, ACK (RFC 9293 section 3.5).
 *
 * @throws GridError malformed_frame when the connection is open already.
 */
export function connectTcp(flow: TcpFlow, hosts: Hosts): FlowStep {
  expectPhase(flow, flow.phase !== 'established', 'open', 'closed')
  const syn = appendSegment({ flow: { ...flow, phase: 'established' }, frames: [] }, hosts, 'client', ['syn'])
  return appendSegment(appendSegment(syn, hosts, 'server', ['ack', 'syn']), hosts, 'client', ['ack'])
}

/**
 * Takes the numbers of the next segment of a side; they are used up whether it arrives or not.
 *
 * @throws GridError malformed_frame when the connection is not open.
 */
export function takeNumbers(
  flow: TcpFlow,
  from: FlowSide,
  length: number,
  hosts: Hosts,
): { readonly numbers: SegmentNumbers; readonly flow: TcpFlow } {
  expectPhase(flow, flow.phase === 'established', 'send on', 'established')
  return { numbers: retakeNumbers(flow, from, nextOf(flow, from), hosts), flow: advance(flow, from, length) }
}

/** Takes the numbers with which a segment that was sent before is sent again. */
export function retakeNumbers(flow: TcpFlow, from: FlowSide, sequence: number, hosts: Hosts): SegmentNumbers {
  const identification = takeIdentification(hosts, flow[from].ip)
  return { identification, sequence, acknowledgment: acknowledgedBy(flow, from) }
}

/** The shift of the numbers of what a side sends; undefined where no attacker changed a length. */
export function findShift({ removed }: TcpFlow, from: FlowSide): NumberShift | undefined {
  if (removed === undefined) return undefined
  return { sequence: removed[from] ?? 0, acknowledgment: -(removed[otherSide(from)] ?? 0) }
}

/** The numbers that a segment has behind the attacker. */
export function behindAttacker(numbers: SegmentNumbers, shift: NumberShift | undefined): SegmentNumbers {
  if (shift === undefined) return numbers
  const [sequence, acknowledgment] = [numbers.sequence - shift.sequence, numbers.acknowledgment - shift.acknowledgment]
  return { ...numbers, sequence: wrap(sequence), acknowledgment: wrap(acknowledgment) }
}

/** A segment with numbers that were taken for it; `control` is `ack` and `psh` unless stated. */
export interface NumberedSegment {
  readonly numbers: SegmentNumbers
  readonly control?: readonly TcpControl[]
  readonly payload: Uint8Array
}

/** Writes a segment of one side into a frame. */
export function encodeSegment(
  flow: TcpFlow,
  from: FlowSide,
  { numbers, control = ['ack', 'psh'], payload }: NumberedSegment,
  hosts: Pick<Hosts, 'seed'>,
): Uint8Array {
  const { identification, sequence, acknowledgment } = numbers
  const { timeToLive, window } = findStack(hosts, flow[from].ip)
  const segment = {
    sequence,
    acknowledgment: control.includes('ack') ? acknowledgment : 0,
    control,
    window,
    ...(control.includes('syn') ? { maximumSegmentSize } : {}),
    payload,
  }
  return encodeTcpFrame(flow[from], flow[otherSide(from)], segment, { identification, timeToLive })
}

/**
 * Acknowledges everything that has arrived from the other side, without data.
 *
 * @throws GridError malformed_frame when the connection is not open.
 */
export function acknowledgeTcp(flow: TcpFlow, from: FlowSide, hosts: Hosts): FlowStep {
  expectPhase(flow, flow.phase === 'established', 'acknowledge on', 'established')
  return appendSegment({ flow, frames: [] }, hosts, from, ['ack'])
}

/**
 * Closes a connection in both directions: FIN-ACK, FIN-ACK, ACK (RFC 9293 section 3.6).
 *
 * @throws GridError malformed_frame when the connection is not open.
 */
export function closeTcp(flow: TcpFlow, from: FlowSide, hosts: Hosts): FlowStep {
  expectPhase(flow, flow.phase === 'established', 'close', 'established')
  const other = otherSide(from)
  const first = appendSegment({ flow: { ...flow, phase: 'finished' }, frames: [] }, hosts, from, ['ack', 'fin'])
  return appendSegment(appendSegment(first, hosts, other, ['ack', 'fin']), hosts, from, ['ack'])
}

/** Aborts a connection with RST (RFC 9293 section 3.5.2). */
export function resetTcp(flow: TcpFlow, from: FlowSide, hosts: Hosts): FlowStep {
  return appendSegment({ flow: { ...flow, phase: 'finished' }, frames: [] }, hosts, from, ['ack', 'rst'])
}

function expectPhase(flow: TcpFlow, isRight: boolean, action: string, expected: string): void {
  if (isRight) return
  throw new GridError(
    'malformed_frame',
    `Cannot ${action} TCP connection ${flow.client.ip}:${flow.client.port}: it is ${flow.phase}, expected ${expected}`,
  )
}

/** Appends one segment without data; SYN and FIN each use up one sequence number. */
function appendSegment(
  { flow, frames }: FlowStep,
  hosts: Hosts,
  from: FlowSide,
  control: readonly TcpControl[],
): FlowStep {
  const numbers = retakeNumbers(flow, from, nextOf(flow, from), hosts)
  const bytes = encodeSegment(flow, from, { numbers, control, payload: new Uint8Array(0) }, hosts)
  const counted = control.includes('syn') || control.includes('fin') ? 1 : 0
  return { flow: advance(flow, from, counted), frames: [...frames, { from, bytes }] }
}

function nextOf({ clientNext, serverNext }: TcpFlow, side: FlowSide): number {
  return side === 'client' ? clientNext : serverNext
}

function advance(flow: TcpFlow, side: FlowSide, count: number): TcpFlow {
  const next = wrap(nextOf(flow, side) + count)
  return side === 'client' ? { ...flow, clientNext: next } : { ...flow, serverNext: next }
}

/** The number that a side acknowledges: all that has arrived of the other one's octets, by the numbers that it has seen. */
function acknowledgedBy(flow: TcpFlow, side: FlowSide): number {
  const other = otherSide(side)
  return wrap((flow.received?.[other] ?? nextOf(flow, other)) - (flow.removed?.[other] ?? 0))
}

function wrap(number: number): number {
  return (number + 2 ** 32) % 2 ** 32
}
