/** UDP datagrams over IPv4. */

import { internetChecksum, ipProtocol, pseudoHeader } from './ipv4.ts'
import { type Decoded, readOctets, writeOctets } from './octets.ts'

/** One datagram. */
export interface UdpDatagram {
  readonly sourcePort: number
  readonly destinationPort: number
  readonly payload: Uint8Array
}

/**
 * Encodes a datagram with its checksum.
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
 * @throws GridError `malformed_frame` when a field does not fit.
 */
export function encodeUdp(datagram: UdpDatagram, source: string, destination: string): Uint8Array {
  const length = datagram.payload.length + 8
  const bytes = writeOctets('UDP datagram', length)
    .u16(datagram.sourcePort, 'source port')
    .u16(datagram.destinationPort, 'destination port')
    .u16(length, 'length')
    .u16(0, 'checksum')
    .bytes(datagram.payload)
    .done()
  const checksum = internetChecksum(pseudoHeader(source, destination, ipProtocol.udp, length), bytes)
  new DataView(bytes.buffer).setUint16(6, checksum === 0 ? 0xffff : checksum)
  return bytes
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
  if (!reader.failed() && checksum !== 0) {
    const header = pseudoHeader(source, destination, ipProtocol.udp, length)
    if (internetChecksum(header, bytes.subarray(0, length)) !== 0) {
      reader.fail('checksum', 'checksum', 'checksum does not match the datagram', 6)
    }
  }
  return reader.finish({ sourcePort, destinationPort, payload })
}
