/** Whole frames of one UDP datagram or one TCP segment: written in one pass into octets that are kept, or renumbered. */

import { ethernetHeaderLength, etherType, startEthernet } from './ethernet.ts'
import { type Ipv4Packet, ipProtocol, ipv4HeaderLength, putIpv4Header, toIpv4, transportChecksum } from './ipv4.ts'
import { putTcp, type TcpSegment, tcpHeaderLength } from './tcp.ts'
import { putUdp, udpHeaderLength } from './udp.ts'

/** The fields of an IPv4 header that the sender's stack chooses. */
export type IpChoice = Pick<Ipv4Packet, 'identification' | 'timeToLive'>

/** One end of a flow. */
export interface Endpoint {
  readonly mac: string
  readonly ip: string
  readonly port: number
}

/** Octets in front of the transport header. */
const transportAt = ethernetHeaderLength + ipv4HeaderLength

/**
 * Encodes one datagram as a whole frame, with the fields of its IP header that the stack of its sender chose.
 *
 * @throws GridError malformed_frame when a field does not fit.
 */
export function encodeDatagram(from: Endpoint, to: Endpoint, payload: Uint8Array, ip: IpChoice): Uint8Array {
  const length = udpHeaderLength + payload.length
  const bytes = startFrame(from, to, { ...ip, protocol: ipProtocol.udp }, length)
  const datagram = { sourcePort: from.port, destinationPort: to.port, payload }
  putUdp(bytes.subarray(transportAt, transportAt + length), datagram, from.ip, to.ip)
  return bytes
}

/**
 * Encodes one TCP segment as a whole frame, with the fields of its IP header that the stack of its sender chose.
 *
 * @throws GridError malformed_frame when a field does not fit.
 */
export function encodeTcpFrame(
  from: Endpoint,
  to: Endpoint,
  fields: Omit<TcpSegment, 'sourcePort' | 'destinationPort'>,
  ip: IpChoice,
): Uint8Array {
  const length = tcpHeaderLength(fields) + fields.payload.length
  const bytes = startFrame(from, to, { ...ip, protocol: ipProtocol.tcp }, length)
  const segment = { ...fields, sourcePort: from.port, destinationPort: to.port }
  putTcp(bytes.subarray(transportAt, transportAt + length), segment, from.ip, to.ip)
  return bytes
}

/** Makes a frame with its Ethernet and IPv4 headers and with room for `length` octets behind them. */
function startFrame(
  from: Endpoint,
  to: Endpoint,
  ip: IpChoice & Pick<Ipv4Packet, 'protocol'>,
  length: number,
): Uint8Array {
  const bytes = startEthernet(to.mac, from.mac, etherType.ipv4, ipv4HeaderLength + length)
  const packet = { ...ip, source: from.ip, destination: to.ip, dontFragment: true }
  putIpv4Header(bytes.subarray(ethernetHeaderLength), packet, length)
  return bytes
}

/** Offsets in the header of a segment. */
const tcpOffset = { sequence: 4, acknowledgment: 8, checksum: 16 } as const

/** Adds to the TCP numbers of a frame of `encodeTcpFrame`, in a copy with the checksum that they need. */
export function renumberTcp(bytes: Uint8Array, shift: Pick<TcpSegment, 'sequence' | 'acknowledgment'>): Uint8Array {
  const copy = bytes.slice()
  const length = new DataView(copy.buffer).getUint16(ethernetHeaderLength + 2) - ipv4HeaderLength
  const segment = copy.subarray(transportAt, transportAt + length)
  const view = new DataView(segment.buffer, segment.byteOffset, length)
  view.setUint32(tcpOffset.sequence, view.getUint32(tcpOffset.sequence) + shift.sequence)
  view.setUint32(tcpOffset.acknowledgment, view.getUint32(tcpOffset.acknowledgment) + shift.acknowledgment)
  view.setUint16(tcpOffset.checksum, 0)
  const source = toIpv4(copy.subarray(transportAt - 8, transportAt - 4))
  const destination = toIpv4(copy.subarray(transportAt - 4, transportAt))
  view.setUint16(tcpOffset.checksum, transportChecksum(source, destination, ipProtocol.tcp, segment))
  return copy
}
