/** Naming a captured frame: which protocol it carries, between whom, and where its application's octets are. */

import { etherType } from './link/ethernet.ts'
import { decodeFrame } from './link/frame.ts'
import type { ProtocolName } from './types.ts'

/** Ports by which the protocols are known; C37.118 has one for TCP and one for UDP. */
export const protocolPorts = {
  Modbus: 502,
  DNP3: 20_000,
  IEC104: 2404,
  c37Tcp: 4712,
  c37Udp: 4713,
} as const

const protocolByPort: ReadonlyMap<number, ProtocolName> = new Map([
  [protocolPorts.Modbus, 'Modbus'],
  [protocolPorts.DNP3, 'DNP3'],
  [protocolPorts.IEC104, 'IEC104'],
  [protocolPorts.c37Tcp, 'C37.118'],
  [protocolPorts.c37Udp, 'C37.118'],
])

/** What a frame is, as far as its headers tell. */
export interface IdentifiedFrame {
  readonly protocol: string
  /** `address:port`, or a MAC address for frames without IP. */
  readonly src: string
  readonly dst: string
  /** The application's octets; empty for a segment that only acknowledges. */
  readonly payload: Uint8Array
}

/** Identifies a whole Ethernet frame; undefined when it is none or its checksums do not fit. */
export function identifyFrame(bytes: Uint8Array): IdentifiedFrame | undefined {
  const decoded = decodeFrame(bytes)
  if (!decoded.ok) return undefined
  const frame = decoded.value
  if (frame.carrier === 'arp' || frame.carrier === 'ethernet') {
    const ends = { src: frame.sourceMac, dst: frame.destinationMac }
    if (frame.carrier === 'arp') return { protocol: 'ARP', ...ends, payload: bytes.subarray(14) }
    const protocol = frame.etherType === etherType.goose ? 'GOOSE' : `0x${frame.etherType.toString(16)}`
    return { protocol, ...ends, payload: frame.payload }
  }
  const { source, destination, sourcePort, destinationPort, payload } = frame
  const carrier = frame.carrier === 'tcp' ? 'TCP' : 'UDP'
  const known = protocolByPort.get(destinationPort) ?? protocolByPort.get(sourcePort)
  return {
    protocol: payload.length === 0 || known === undefined ? carrier : known,
    src: `${source}:${sourcePort}`,
    dst: `${destination}:${destinationPort}`,
    payload,
  }
}
