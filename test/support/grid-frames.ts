/** Whole frames for tests: one datagram, one TCP segment with data; and the layers by themselves. */

import { type Endpoint, encodeDatagram } from '#grid/link/ip-frame.ts'
import { findStack, type Hosts, takeIdentification } from '#grid/link/ip-stack.ts'
import { type Ipv4Packet, ipv4HeaderLength, putIpv4Header } from '#grid/link/ipv4.ts'
import { putTcp, type TcpSegment, tcpHeaderLength } from '#grid/link/tcp.ts'
import { encodeSegment, type FlowSide, type FlowStep, type TcpFlow, takeNumbers } from '#grid/link/tcp-flow.ts'
import { putUdp, type UdpDatagram, udpHeaderLength } from '#grid/link/udp.ts'

/** Encodes one datagram with the sender's next IP identification. */
export function encodeUdpFrame(from: Endpoint, to: Endpoint, payload: Uint8Array, hosts: Hosts): Uint8Array {
  const { timeToLive } = findStack(hosts, from.ip)
  return encodeDatagram(from, to, payload, { identification: takeIdentification(hosts, from.ip), timeToLive })
}

/** Hosts of a seed of which none has sent yet. */
export function newHosts(): Hosts {
  return { seed: 1, identifications: {} }
}

/** Sends a message that fits one segment on an open connection. */
export function sendSegment(flow: TcpFlow, from: FlowSide, payload: Uint8Array, hosts: Hosts): FlowStep {
  const taken = takeNumbers(flow, from, payload.length, hosts)
  const bytes = encodeSegment(flow, from, { numbers: taken.numbers, payload }, hosts)
  return { flow: taken.flow, frames: [{ from, bytes }] }
}

/** Encodes an IPv4 packet by itself. */
export function encodeIpv4(packet: Ipv4Packet): Uint8Array {
  const bytes = new Uint8Array(ipv4HeaderLength + packet.payload.length)
  putIpv4Header(bytes, packet, packet.payload.length)
  bytes.set(packet.payload, ipv4HeaderLength)
  return bytes
}

/** Encodes a TCP segment by itself. */
export function encodeTcp(segment: TcpSegment, source: string, destination: string): Uint8Array {
  const bytes = new Uint8Array(tcpHeaderLength(segment) + segment.payload.length)
  putTcp(bytes, segment, source, destination)
  return bytes
}

/** Encodes a UDP datagram by itself. */
export function encodeUdp(datagram: UdpDatagram, source: string, destination: string): Uint8Array {
  const bytes = new Uint8Array(udpHeaderLength + datagram.payload.length)
  putUdp(bytes, datagram, source, destination)
  return bytes
}
