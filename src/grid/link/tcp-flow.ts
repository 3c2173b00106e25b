/** One TCP connection as its capture shows it: handshake, segments in both directions, teardown. Plain data in and out. */

import { GridError } from '../errors.ts'
import { type Endpoint, startIpFrame } from './ip-frame.ts'
import { type HostIdentifications, ipProtocol, nextIdentification } from './ipv4.ts'
import { putTcp, type TcpControl, tcpHeaderLength } from './tcp.ts'

/** Which end of a flow acts. */
export type FlowSide = 'client' | 'server'

/** A connection between two steps; serialisable as JSON. Sequence numbers are modulo 2^32. */
export interface TcpFlow {
  readonly client: Endpoint
  readonly server: Endpoint
  readonly phase: 'closed' | 'established' | 'finished'
  /** The next sequence number of each side: its initial one before the handshake. */
  readonly clientNext: number
  readonly serverNext: number
}

/** One Ethernet frame of a flow. */
export interface FlowFrame {
  readonly from: FlowSide
  readonly bytes: Uint8Array
}

/** What a step of a flow leaves behind: the next state, the hosts' identification counters, and the frames. */
export interface FlowStep {
  readonly flow: TcpFlow
  readonly hosts: HostIdentifications
  readonly frames: readonly FlowFrame[]
}

/** Octets of payload in one segment: an Ethernet of 1,500 octets less both headers (RFC 879). */
export const maximumSegmentSize = 1460

/** The window that every segment offers: the receivers here never fall behind. */
const window = 64_240

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
 * @throws GridError `malformed_frame` when the connection is open already.
 */
export function connectTcp(flow: TcpFlow, hosts: HostIdentifications): FlowStep {
  expectPhase(flow, flow.phase !== 'established', 'open', 'closed')
  const syn = put({ flow: { ...flow, phase: 'established' }, hosts, frames: [] }, 'client', ['syn'])
  return put(put(syn, 'server', ['ack', 'syn']), 'client', ['ack'])
}

/**
 * Sends a message: segments of at most 1,460 octets, the last one with PSH.
 *
 * @throws GridError `malformed_frame` when the connection is not open.
 */
export function sendTcp(
  flow: TcpFlow,
  from: FlowSide,
  payload: Uint8Array,
  hosts: HostIdentifications,
): FlowStep {
  expectPhase(flow, flow.phase === 'established', 'send on', 'established')
  let step: FlowStep = { flow, hosts, frames: [] }
  for (let at = 0; at < payload.length; at += maximumSegmentSize) {
    const isLast = at + maximumSegmentSize >= payload.length
    step = put(step, from, isLast ? ['ack', 'psh'] : ['ack'], payload.subarray(at, at + maximumSegmentSize))
  }
  return step
}

/** Acknowledges everything that the other side has sent, without data. */
export function acknowledgeTcp(flow: TcpFlow, from: FlowSide, hosts: HostIdentifications): FlowStep {
  expectPhase(flow, flow.phase === 'established', 'acknowledge on', 'established')
  return put({ flow, hosts, frames: [] }, from, ['ack'])
}

/**
 * Closes a connection in both directions: FIN-ACK, FIN-ACK, ACK (RFC 9293 section 3.6).
 *
 * @throws GridError `malformed_frame` when the connection is not open.
 */
export function closeTcp(flow: TcpFlow, from: FlowSide, hosts: HostIdentifications): FlowStep {
  expectPhase(flow, flow.phase === 'established', 'close', 'established')
  const other = from === 'client' ? 'server' : 'client'
  const first = put({ flow: { ...flow, phase: 'finished' }, hosts, frames: [] }, from, ['ack', 'fin'])
  return put(put(first, other, ['ack', 'fin']), from, ['ack'])
}

/** Aborts a connection with RST (RFC 9293 section 3.5.2). */
export function resetTcp(flow: TcpFlow, from: FlowSide, hosts: HostIdentifications): FlowStep {
  return put({ flow: { ...flow, phase: 'finished' }, hosts, frames: [] }, from, ['ack', 'rst'])
}

function expectPhase(flow: TcpFlow, isRight: boolean, action: string, expected: string): void {
  if (isRight) return
  throw new GridError(
    'malformed_frame',
    `Cannot ${action} TCP connection ${flow.client.ip}:${flow.client.port}: it is ${flow.phase}, expected ${expected}`,
  )
}

/** Appends one segment; SYN and FIN each use up one sequence number. */
function put(
  step: FlowStep,
  from: FlowSide,
  control: readonly TcpControl[],
  payload: Uint8Array = new Uint8Array(0),
): FlowStep {
  const { flow } = step
  const [source, destination] = from === 'client' ? [flow.client, flow.server] : [flow.server, flow.client]
  const [sequence, other] =
    from === 'client' ? [flow.clientNext, flow.serverNext] : [flow.serverNext, flow.clientNext]
  const isSyn = control.includes('syn')
  const { identification, hosts } = nextIdentification(step.hosts, source.ip)
  const segment = {
    sourcePort: source.port,
    destinationPort: destination.port,
    sequence,
    acknowledgment: control.includes('ack') ? other : 0,
    control,
    window,
    ...(isSyn ? { maximumSegmentSize } : {}),
    payload,
  }
  const length = tcpHeaderLength(segment) + payload.length
  const { bytes, transport } = startIpFrame(source, destination, identification, ipProtocol.tcp, length)
  putTcp(transport, segment, source.ip, destination.ip)
  const next = (sequence + payload.length + (isSyn || control.includes('fin') ? 1 : 0)) % 2 ** 32
  return {
    flow: from === 'client' ? { ...flow, clientNext: next } : { ...flow, serverNext: next },
    hosts,
    frames: [...step.frames, { from, bytes }],
  }
}
