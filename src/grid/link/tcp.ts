/** TCP segments over IPv4, with the one option that a handshake needs: the maximum segment size. */

import { ipProtocol, transportChecksum } from './ipv4.ts'
import { type Decoded, readOctets } from './octet-reader.ts'
import { expectField } from './octet-writer.ts'

/** Control bits in the order of the header, high to low (RFC 9293 section 3.1). */
const controlBits = { urg: 0x20, ack: 0x10, psh: 0x08, rst: 0x04, syn: 0x02, fin: 0x01 } as const

/** The name of a control bit. */
export type TcpControl = keyof typeof controlBits

const controlNames = Object.keys(controlBits) as TcpControl[] // the keys of the table

/** One segment. */
export interface TcpSegment {
  readonly sourcePort: number
  readonly destinationPort: number
  /** Modulo 2^32. */
  readonly sequence: number
  /** Modulo 2^32; 0 without `ack`. */
  readonly acknowledgment: number
  /** The control bits that are set, in the order urg, ack, psh, rst, syn, fin. */
  readonly control: readonly TcpControl[]
  readonly window: number
  /** Only in segments with `syn`. */
  readonly maximumSegmentSize?: number
  readonly payload: Uint8Array
}

/** Octets of a segment's header: 24 with the option, else 20. */
export function tcpHeaderLength({ maximumSegmentSize }: Pick<TcpSegment, 'maximumSegmentSize'>): number {
  return maximumSegmentSize === undefined ? 20 : 24
}

/**
 * Writes a whole segment with its checksum to `bytes`.
 *
 * ```
 *  0   2  BE   source port
 *  2   2  BE   destination port
 *  4   4  BE   sequence number
 *  8   4  BE   acknowledgment number
 * 12   1       data offset in words (high nibble): 5, or 6 with the option
 * 13   1       control bits
 * 14   2  BE   window
 * 16   2  BE   checksum over pseudo header, header and payload
 * 18   2  BE   urgent pointer 0
 * 20   4       only with the option: kind 2, length 4, maximum segment size BE
 *  .   n       payload
 * ```
 *
 * Source: RFC 9293 section 3.1.
 *
 * @throws GridError malformed_frame when a field does not fit.
 */
export function putTcp(bytes: Uint8Array, segment: TcpSegment, source: string, destination: string): void {
  const { maximumSegmentSize: size, payload } = segment
  const headerLength = tcpHeaderLength(segment)
  expectField('TCP segment', 'source port', segment.sourcePort, 0xffff)
  expectField('TCP segment', 'destination port', segment.destinationPort, 0xffff)
  expectField('TCP segment', 'sequence number', segment.sequence, 0xffffffff)
  expectField('TCP segment', 'acknowledgment number', segment.acknowledgment, 0xffffffff)
  expectField('TCP segment', 'window', segment.window, 0xffff)
  expectField('TCP segment', 'length', bytes.length, 0xffff - 20)
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerLength)
  view.setUint16(0, segment.sourcePort)
  view.setUint16(2, segment.destinationPort)
  view.setUint32(4, segment.sequence)
  view.setUint32(8, segment.acknowledgment)
  view.setUint8(12, headerLength * 4)
  let bits = 0
  for (const name of segment.control) bits |= controlBits[name]
  view.setUint8(13, bits)
  view.setUint16(14, segment.window)
  view.setUint32(16, 0)
  if (size !== undefined) {
    expectField('TCP segment', 'maximum segment size', size, 0xffff)
    view.setUint16(20, 0x0204)
    view.setUint16(22, size)
  }
  bytes.set(payload, headerLength)
  view.setUint16(16, transportChecksum(source, destination, ipProtocol.tcp, bytes))
}

/** Decodes a segment between two addresses; unknown options are skipped. Faults: `truncated`, `length`, `checksum`. */
export function decodeTcp(bytes: Uint8Array, source: string, destination: string): Decoded<TcpSegment> {
  const reader = readOctets(bytes, 'TCP segment')
  const sourcePort = reader.u16('source port')
  const destinationPort = reader.u16('destination port')
  const sequence = reader.u32('sequence number')
  const acknowledgment = reader.u32('acknowledgment number')
  const headerLength = (reader.u8('data offset') >>> 4) * 4
  const bits = reader.u8('control bits')
  const window = reader.u16('window')
  reader.u32('checksum and urgent pointer')
  if (headerLength < 20) reader.fail('length', 'data offset', `header of ${headerLength} octets, expected 20 or more`)
  const options = reader.take(headerLength - 20, 'options')
  const payload = reader.take(reader.remaining(), 'payload')
  if (!reader.failed() && transportChecksum(source, destination, ipProtocol.tcp, bytes) !== 0) {
    reader.fail('checksum', 'checksum', 'checksum does not match the segment', 16)
  }
  const maximumSegmentSize = findMaximumSegmentSize(options)
  return reader.result({
    sourcePort,
    destinationPort,
    sequence,
    acknowledgment,
    control: controlNames.filter((name) => bits & controlBits[name]),
    window,
    ...(maximumSegmentSize === undefined ? {} : { maximumSegmentSize }),
    payload,
  })
}

/** Walks the options: kind 0 ends them, kind 1 is one octet of padding, all others carry their length. */
function findMaximumSegmentSize(options: Uint8Array): number | undefined {
  for (let at = 0; at < options.length; ) {
    const [kind, length = 0, high, low] = options.subarray(at)
    if (kind === 2 && length === 4 && high !== undefined && low !== undefined) return high * 256 + low
    if (kind === 0 || (kind !== 1 && length < 2)) return undefined
    at += kind === 1 ? 1 : length
  }
  return undefined
}
