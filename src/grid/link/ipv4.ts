/** IPv4 packets without options, and the Internet checksum. */

import { memoBounded } from '../../base/memo.ts'
import { GridError } from '../errors.ts'
import { type Decoded, readOctets } from './octet-reader.ts'
import { expectField } from './octet-writer.ts'

/** IP protocol numbers that the simulation emits. */
export const ipProtocol = { tcp: 6, udp: 17 } as const

/** One packet; addresses as dotted decimals. */
export interface Ipv4Packet {
  readonly source: string
  readonly destination: string
  readonly identification: number
  readonly dontFragment: boolean
  readonly timeToLive: number
  readonly protocol: number
  readonly payload: Uint8Array
}

/** Addresses that are remembered: the same few devices send every frame. */
const mostKnown = 4096

/**
 * Converts an IPv4 address from text to its four octets, which are shared: do not change them.
 *
 * @throws GridError malformed_frame when the text is not four decimals from 0 to 255.
 */
export const parseIpv4 = memoBounded(mostKnown, (text: string): Uint8Array => {
  const parts = text.split('.')
  const octets = parts.map(Number)
  if (octets.length !== 4 || !parts.every((part, at) => /^\d{1,3}$/.test(part) && (octets[at] ?? 256) <= 255)) {
    const state = `"${text}" is not four decimals such as "10.20.1.10"`
    throw new GridError('malformed_frame', `Cannot encode IPv4 address: ${state}`)
  }
  return Uint8Array.from(octets)
})

/** Converts four octets to the text of an IPv4 address. */
export function toIpv4(bytes: Uint8Array): string {
  return bytes.join('.')
}

/** Computes the Internet checksum (RFC 1071) from a sum to begin with; 0 over octets that contain their right one. */
export function internetChecksum(bytes: Uint8Array, start = 0): number {
  let sum = start
  const even = bytes.length - (bytes.length % 2)
  for (let at = 0; at < even; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  if (even < bytes.length) sum += (bytes[even] ?? 0) << 8
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000)
  return ~sum & 0xffff
}

/** Computes the checksum of a whole segment or datagram, pseudo header included (RFC 9293 section 3.1, RFC 768). */
export function transportChecksum(source: string, destination: string, protocol: number, bytes: Uint8Array): number {
  const pseudo = sumWords(parseIpv4(source)) + sumWords(parseIpv4(destination)) + protocol + bytes.length
  return internetChecksum(bytes, pseudo)
}

function sumWords([a = 0, b = 0, c = 0, d = 0]: Uint8Array): number {
  return ((a + c) << 8) + b + d
}

/** Octets of a header without options. */
export const ipv4HeaderLength = 20

/**
 * Writes the header of a packet with its checksum at the start of `bytes`.
 *
 * ```
 *  0   1       version 4, header length 5 words
 *  1   1       DSCP, ECN: 0
 *  2   2  BE   total length
 *  4   2  BE   identification
 *  6   2  BE   flags: 4000 don't fragment; fragment offset 0
 *  8   1       time to live
 *  9   1       protocol
 * 10   2  BE   header checksum
 * 12   4       source
 * 16   4       destination
 * ```
 *
 * Source: RFC 791 section 3.1.
 *
 * @throws GridError malformed_frame when a field does not fit.
 */
export function putIpv4Header(bytes: Uint8Array, packet: Omit<Ipv4Packet, 'payload'>, payloadLength: number): void {
  const length = payloadLength + ipv4HeaderLength
  expectField('IPv4 packet', 'total length', length, 0xffff)
  expectField('IPv4 packet', 'identification', packet.identification, 0xffff)
  expectField('IPv4 packet', 'time to live', packet.timeToLive, 0xff)
  expectField('IPv4 packet', 'protocol', packet.protocol, 0xff)
  const view = new DataView(bytes.buffer, bytes.byteOffset, ipv4HeaderLength)
  view.setUint16(0, 0x4500)
  view.setUint16(2, length)
  view.setUint16(4, packet.identification)
  view.setUint16(6, packet.dontFragment ? 0x4000 : 0)
  view.setUint8(8, packet.timeToLive)
  view.setUint8(9, packet.protocol)
  view.setUint16(10, 0)
  bytes.set(parseIpv4(packet.source), 12)
  bytes.set(parseIpv4(packet.destination), 16)
  view.setUint16(10, internetChecksum(bytes.subarray(0, ipv4HeaderLength)))
}

/** Decodes a packet but its options. Faults: `truncated`, `protocol`, `length`, `checksum`, `unsupported`. */
export function decodeIpv4(bytes: Uint8Array): Decoded<Ipv4Packet> {
  const reader = readOctets(bytes, 'IPv4 packet')
  const start = reader.u8('version')
  const headerLength = (start & 0x0f) * 4
  if (start >>> 4 !== 4) reader.fail('protocol', 'version', `version is ${start >>> 4}, expected 4`)
  reader.u8('DSCP')
  const totalLength = reader.u16('total length')
  const identification = reader.u16('identification')
  const flags = reader.u16('flags')
  const timeToLive = reader.u8('time to live')
  const protocol = reader.u8('protocol')
  reader.u16('header checksum')
  const source = toIpv4(reader.take(4, 'source'))
  const destination = toIpv4(reader.take(4, 'destination'))
  if (headerLength < 20 || totalLength < headerLength) {
    reader.fail('length', 'total length', `header takes ${headerLength} of ${totalLength} octets`)
  }
  reader.take(headerLength - 20, 'options')
  if (!reader.failed() && internetChecksum(bytes.subarray(0, headerLength)) !== 0) {
    reader.fail('checksum', 'header checksum', 'header checksum does not match the header', 10)
  }
  if ((flags & 0x3fff) !== 0) reader.fail('unsupported', 'flags', 'fragments are not reassembled', 6)
  const payload = reader.take(totalLength - headerLength, 'payload')
  const dontFragment = (flags & 0x4000) !== 0
  return reader.result({ source, destination, identification, dontFragment, timeToLive, protocol, payload })
}
