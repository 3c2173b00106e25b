/** UDP datagrams over IPv4. */

import { ipProtocol, transportChecksum } from './ipv4.ts'
import { type Decoded, readOctets } from './octet-reader.ts'
import { expectField } from './octet-writer.ts'

/** One datagram. */
export interface UdpDatagram {
  readonly sourcePort: number
  readonly destinationPort: number
  readonly payload: Uint8Array
}

/** Octets of a header. */
export const udpHeaderLength = 8

/**
 * Writes a whole datagram with its checksum to `bytes`.
 *
 * ```
 *  0   2  BE   source port
 *  2   2  BE   destination port
 *  4   2  BE   length of header and payload
 *  6   2  BE   checksum over pseudo header, header and payload; a computed 0 is sent as FFFF
 *  8   n       payload
 * ```
 *
 * Source: RFC 768.
 *
 * @throws GridError malformed_frame when a field does not fit.
 */
export function putUdp(bytes: Uint8Array, datagram: UdpDatagram, source: string, destination: string): void {
  const { sourcePort, destinationPort, payload } = datagram
  expectField('UDP datagram', 'source port', sourcePort, 0xffff)
  expectField('UDP datagram', 'destination port', destinationPort, 0xffff)
  expectField('UDP datagram', 'length', bytes.length, 0xffff)
  const view = new DataView(bytes.buffer, bytes.byteOffset, udpHeaderLength)
  view.setUint16(0, sourcePort)
  view.setUint16(2, destinationPort)
  view.setUint16(4, bytes.length)
  view.setUint16(6, 0)
  bytes.set(payload, udpHeaderLength)
  const checksum = transportChecksum(source, destination, ipProtocol.udp, bytes)
  view.setUint16(6, checksum === 0 ? 0xffff : checksum)
}

/** Decodes a datagram between two addresses. Faults: `truncated`, `length`, `checksum`, `trailing`. */
export function decodeUdp(bytes: Uint8Array, source: string, destination: string): Decoded<UdpDatagram> {
  const reader = readOctets(bytes, 'UDP datagram')
  const sourcePort = reader.u16('source port')
  const destinationPort = reader.u16('destination port')
  const length = reader.u16('length')
  const checksum = reader.u16('checksum')
  if (length < 8) reader.fail('length', 'length', `length is ${length}, expected at least 8`)
  const payload = reader.take(length - 8, 'payload')
  // A checksum of 0 means that the sender computed none.
  const octets = bytes.subarray(0, length)
  if (!reader.failed() && checksum !== 0 && transportChecksum(source, destination, ipProtocol.udp, octets) !== 0) {
    reader.fail('checksum', 'checksum', 'checksum does not match the datagram', 6)
  }
  return reader.finish({ sourcePort, destinationPort, payload })
}
