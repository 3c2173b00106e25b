/** The Address Resolution Protocol for IPv4 over Ethernet. */

import { parseMac, toMac } from './ethernet.ts'
import { parseIpv4, toIpv4 } from './ipv4.ts'
import { type Decoded, readOctets } from './octet-reader.ts'
import { writeOctets } from './octet-writer.ts'

/** One packet; addresses as text. */
export interface ArpPacket {
  readonly operation: 'request' | 'reply'
  readonly senderMac: string
  readonly senderIp: string
  /** All zeros in a request. */
  readonly targetMac: string
  readonly targetIp: string
}

/** Octets of a packet. */
export const arpLength = 28

/**
 * Encodes one packet, the 28 octets that `decodeArp` draws.
 *
 * @throws GridError malformed_frame when an address is malformed.
 */
export function encodeArp({ operation, senderMac, senderIp, targetMac, targetIp }: ArpPacket): Uint8Array {
  return writeOctets('ARP packet')
    .u16(1, 'hardware type')
    .u16(0x0800, 'protocol type')
    .u16(0x0604, 'address lengths')
    .u16(operation === 'request' ? 1 : 2, 'operation')
    .bytes(parseMac(senderMac))
    .bytes(parseIpv4(senderIp))
    .bytes(parseMac(targetMac))
    .bytes(parseIpv4(targetIp))
    .done()
}

/**
 * Decodes one packet; Ethernet padding after it is ignored.
 *
 * ```
 *  0   2  BE   hardware type 1 (Ethernet)
 *  2   2  BE   protocol type 0800 (IPv4)
 *  4   1       hardware address length 6
 *  5   1       protocol address length 4
 *  6   2  BE   operation: 1 request, 2 reply
 *  8   6       sender MAC
 * 14   4       sender IP
 * 18   6       target MAC
 * 24   4       target IP
 * ```
 *
 * Source: RFC 826.
 * Faults: `truncated`, `protocol`, `length`, `value`.
 */
export function decodeArp(bytes: Uint8Array): Decoded<ArpPacket> {
  const reader = readOctets(bytes, 'ARP packet')
  if (reader.u16('hardware type') !== 1) reader.fail('protocol', 'hardware type', 'expected Ethernet (1)')
  if (reader.u16('protocol type') !== 0x0800) reader.fail('protocol', 'protocol type', 'expected IPv4 (0x0800)')
  if (reader.u16('address lengths') !== 0x0604) reader.fail('length', 'address lengths', 'expected 6 and 4')
  const operation = reader.u16('operation')
  if (operation !== 1 && operation !== 2) {
    reader.fail('value', 'operation', `operation is ${operation}, expected 1 or 2`)
  }
  return reader.result({
    operation: operation === 1 ? 'request' : 'reply',
    senderMac: toMac(reader.take(6, 'sender MAC')),
    senderIp: toIpv4(reader.take(4, 'sender IP')),
    targetMac: toMac(reader.take(6, 'target MAC')),
    targetIp: toIpv4(reader.take(4, 'target IP')),
  })
}
