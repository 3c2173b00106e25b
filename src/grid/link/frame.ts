/** Whole frames, decoded down to the application's octets. */

import { type ArpPacket, decodeArp } from './arp.ts'
import { decodeEthernet, etherType, type VlanTag } from './ethernet.ts'
import { decodeIpv4, type Ipv4Packet, ipProtocol } from './ipv4.ts'
import { type Decoded, decoded, faulty } from './octet-reader.ts'
import { decodeTcp, type TcpSegment } from './tcp.ts'
import { decodeUdp, type UdpDatagram } from './udp.ts'

/** The layers of a frame, down to the application's octets. */
export type LinkFrame = { readonly sourceMac: string; readonly destinationMac: string; readonly vlan?: VlanTag } & (
  | { readonly carrier: 'arp'; readonly arp: ArpPacket }
  | { readonly carrier: 'ethernet'; readonly etherType: number; readonly payload: Uint8Array }
  | (IpFrame & ({ readonly carrier: 'udp' } | { readonly carrier: 'tcp'; readonly segment: TcpSegment }))
)

type IpFrame = UdpDatagram & Pick<Ipv4Packet, 'source' | 'destination' | 'identification' | 'timeToLive'>

/** Decodes a whole frame, checksums included; offsets of faults are within the layer that failed. */
export function decodeFrame(bytes: Uint8Array): Decoded<LinkFrame> {
  const ethernet = decodeEthernet(bytes)
  if (!ethernet.ok) return ethernet
  const { source: sourceMac, destination: destinationMac, vlan, etherType: type, payload } = ethernet.value
  const link = { sourceMac, destinationMac, ...(vlan === undefined ? {} : { vlan }) }
  if (type === etherType.arp) {
    const arp = decodeArp(payload)
    return arp.ok ? decoded({ ...link, carrier: 'arp', arp: arp.value }) : arp
  }
  if (type !== etherType.ipv4) return decoded({ ...link, carrier: 'ethernet', etherType: type, payload })
  return decodeIpFrame(link, payload)
}

type LinkEnds = Pick<LinkFrame, 'sourceMac' | 'destinationMac' | 'vlan'>

function decodeIpFrame(link: LinkEnds, octets: Uint8Array): Decoded<LinkFrame> {
  const packet = decodeIpv4(octets)
  if (!packet.ok) return packet
  const { source, destination, identification, timeToLive, protocol } = packet.value
  const addresses = { ...link, source, destination, identification, timeToLive }
  if (protocol === ipProtocol.udp) {
    const datagram = decodeUdp(packet.value.payload, source, destination)
    return datagram.ok ? decoded({ ...addresses, carrier: 'udp', ...datagram.value }) : datagram
  }
  if (protocol !== ipProtocol.tcp) {
    const fault = { code: 'unsupported', offset: 9, field: 'protocol' } as const
    return faulty('IPv4 packet', fault, `protocol is ${protocol}, expected 6 or 17`)
  }
  const segment = decodeTcp(packet.value.payload, source, destination)
  if (!segment.ok) return segment
  const { sourcePort, destinationPort, payload: data } = segment.value
  const ports = { sourcePort, destinationPort }
  return decoded({ ...addresses, carrier: 'tcp', ...ports, segment: segment.value, payload: data })
}
