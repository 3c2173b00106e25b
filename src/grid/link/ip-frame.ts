/** The headers in front of every TCP segment and UDP datagram, written in one pass into the frame that is kept. */

import { ethernetHeaderLength, etherType, startEthernet } from './ethernet.ts'
import { ipv4HeaderLength, putIpv4Header } from './ipv4.ts'

/** One end of a flow. */
export interface Endpoint {
  readonly mac: string
  readonly ip: string
  readonly port: number
}

const timeToLive = 64

/** Octets in front of the transport header. */
const transportAt = ethernetHeaderLength + ipv4HeaderLength

/**
 * Gives room for a frame with its Ethernet and IPv4 headers written.
 *
 * @param length - Octets of the transport header and its payload.
 * @returns the whole frame, and the part of it that the transport writes.
 * @throws GridError malformed_frame when a field does not fit.
 */
export function startIpFrame(
  from: Endpoint,
  to: Endpoint,
  identification: number,
  protocol: number,
  length: number,
): { readonly bytes: Uint8Array; readonly transport: Uint8Array } {
  const bytes = startEthernet(to.mac, from.mac, etherType.ipv4, ipv4HeaderLength + length)
  const packet = {
    source: from.ip,
    destination: to.ip,
    identification,
    dontFragment: true,
    timeToLive,
    protocol,
  }
  putIpv4Header(bytes.subarray(ethernetHeaderLength), packet, length)
  return { bytes, transport: bytes.subarray(transportAt, transportAt + length) }
}
