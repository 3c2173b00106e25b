/** Naming a captured frame: which protocol it carries, between whom, and where its application's octets are. */

import { arpLength } from '../link/arp.ts'
import { ethernetHeaderLength, etherType } from '../link/ethernet.ts'
import { decodeFrame, type LinkFrame } from '../link/frame.ts'
import type { ProtocolName } from '../types.ts'
import { type Protocol, protocolNames, protocols } from './catalogue.ts'
import { ntpPort } from './ntp.ts'

/** Identifies a whole Ethernet frame; undefined when it cannot be decoded or a checksum is wrong. */
export function identifyFrame(bytes: Uint8Array) {
  const decoded = decodeFrame(bytes)
  if (!decoded.ok) return undefined
  const frame = decoded.value
  const protocol = findProtocol(frame)
  const ends = { src: frame.sourceMac, dst: frame.destinationMac }
  if (frame.carrier === 'arp') {
    return { protocol, ...ends, payload: bytes.subarray(ethernetHeaderLength, ethernetHeaderLength + arpLength) }
  }
  if (frame.carrier === 'ethernet') {
    const name = protocol === 'SIM' ? `0x${frame.etherType.toString(16).padStart(4, '0')}` : protocol
    return { protocol: name, ...ends, payload: frame.payload }
  }
  const { source, destination, sourcePort, destinationPort, payload } = frame
  return {
    // A segment without octets only serves its connection, of any protocol.
    protocol: payload.length === 0 ? frame.carrier.toUpperCase() : protocol,
    src: `${source}:${sourcePort}`,
    dst: `${destination}:${destinationPort}`,
    payload,
  }
}

/** Names the protocol of a frame by its EtherType or by the well-known port at either end, the receiver's first. */
export function findProtocol(frame: LinkFrame): ProtocolName {
  if (frame.carrier === 'arp') return 'ARP'
  if (frame.carrier === 'ethernet') return onEthernet.get(frame.etherType) ?? 'SIM'
  const byPort = protocolByPort[frame.carrier]
  const known = byPort.get(frame.destinationPort) ?? byPort.get(frame.sourcePort)
  return known ?? (frame.carrier === 'tcp' ? 'TCP' : 'UDP')
}

const onEthernet: ReadonlyMap<number, ProtocolName> = new Map([
  [etherType.goose, 'GOOSE'],
  [etherType.sampledValues, 'SV'],
])

const protocolByPort = {
  tcp: listPorts('tcp'),
  udp: new Map<number, ProtocolName>([...listPorts('udp'), [ntpPort, 'NTP']]),
} as const

/** Names the protocol of a connection by the port at either end of its segments; undefined for other frames. */
export function findServed({ protocol, src, dst }: Readonly<Record<'protocol' | 'src' | 'dst', string>>) {
  const portOf = (end: string) => Number(end.slice(end.lastIndexOf(':') + 1))
  return protocol === 'TCP' ? (protocolByPort.tcp.get(portOf(dst)) ?? protocolByPort.tcp.get(portOf(src))) : undefined
}

function listPorts(carrier: 'tcp' | 'udp'): ReadonlyMap<number, ProtocolName> {
  return new Map(
    protocolNames.flatMap((name) => {
      const { ports }: Protocol = protocols[name]
      const port = ports[carrier]
      return port === undefined ? [] : [[port, name] as const]
    }),
  )
}
