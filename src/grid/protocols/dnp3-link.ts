/** The data link layer of DNP3: frames with their CRCs (IEEE 1815 clause 9). */

import { GridError } from '../errors.ts'
import { namedBits } from '../link/codec.ts'
import { type Decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { crcDnp3 } from './crc.ts'

/** Link function codes that a primary station sends (clause 9.2.4.1.3). */
export const dnp3LinkFunction = { resetLink: 0, unconfirmedUserData: 4, requestLinkStatus: 9 } as const

/** Link function codes that a secondary station answers with (clause 9.2.4.1.3). */
export const dnp3LinkAnswer = { ack: 0, linkStatus: 11 } as const

/** Addresses of all stations: with a confirmation that is mandatory, optional or not wanted (clause 9.2.5.2.2). */
export const dnp3Broadcasts: readonly number[] = [0xfffd, 0xfffe, 0xffff]

/** One data link frame. */
export interface Dnp3LinkFrame {
  /** True from the master. */
  readonly fromMaster: boolean
  /** True from the station that opens the exchange: all user data here. */
  readonly isPrimary: boolean
  /** Frame count bit. */
  readonly frameCount: boolean
  /** Frame count valid bit, or data flow control from a secondary station. */
  readonly frameCountValid: boolean
  readonly functionCode: number
  readonly destination: number
  readonly source: number
  /** At most 250 octets. */
  readonly userData: Uint8Array
}

const controlBits = namedBits({ fromMaster: 0x80, isPrimary: 0x40, frameCount: 0x20, frameCountValid: 0x10 })

/**
 * Encodes one data link frame.
 *
 * ```
 *  0   2       start 05 64
 *  2   1       length: 5 + octets of user data, CRCs not counted
 *  3   1       control: DIR 80, PRM 40, FCB 20, FCV or DFC 10, function code in the low nibble
 *  4   2  LE   destination
 *  6   2  LE   source
 *  8   2  LE   CRC of octets 0 to 7
 * 10   .       blocks: up to 16 octets of user data, CRC 2 LE of each
 * ```
 *
 * Source: IEEE 1815 clause 9.2.4.
 *
 * @throws GridError malformed_frame when there are more than 250 octets or an address does not fit.
 */
export function encodeDnp3Link(frame: Dnp3LinkFrame): Uint8Array {
  const data = frame.userData
  if (data.length > 250) {
    throw new GridError('malformed_frame', `Cannot encode DNP3 frame: ${data.length} octets of user data, at most 250`)
  }
  const header = writeOctets('DNP3 frame')
    .u16(0x0564, 'start')
    .u8(5 + data.length, 'length')
    .u8(controlBits.join(frame) | (frame.functionCode & 0x0f), 'control')
    .u16le(frame.destination, 'destination')
    .u16le(frame.source, 'source')
    .done()
  const writer = writeOctets('DNP3 frame').bytes(header).u16le(crcDnp3(header), 'CRC')
  for (let at = 0; at < data.length; at += 16) {
    const block = data.subarray(at, at + 16)
    writer.bytes(block).u16le(crcDnp3(block), 'CRC')
  }
  return writer.done()
}

/**
 * Decodes the frame at the start of a stream, with the octets that it took. Faults: `truncated`, `protocol` (start),
 * `length`, `checksum` (header or block).
 */
export function decodeDnp3Link(bytes: Uint8Array): Decoded<{ readonly frame: Dnp3LinkFrame; readonly length: number }> {
  const reader = readOctets(bytes, 'DNP3 frame')
  if (reader.u16('start') !== 0x0564) reader.fail('protocol', 'start', 'start octets are not 05 64', 0)
  const length = reader.u8('length')
  if (length < 5) reader.fail('length', 'length', `length is ${length}, expected at least 5`, 2)
  const control = reader.u8('control')
  const destination = reader.u16le('destination')
  const source = reader.u16le('source')
  const crc = reader.u16le('header CRC')
  if (crc !== crcDnp3(bytes.subarray(0, 8))) {
    const meant = findMeantLength(bytes, crc)
    if (meant === undefined) reader.fail('checksum', 'header CRC', 'CRC of the header does not match', 8)
    else {
      const state = `length is ${length}, expected ${meant}, for which CRC and octets are right`
      reader.fail('length', 'length', state, 2)
    }
  }
  const userData = takeBlocks(reader, length - 5)
  const frame = { ...controlBits.split(control), functionCode: control & 0x0f, destination, source, userData }
  return reader.result({ frame, length: reader.offset() })
}

/** Takes user data in blocks of 16 octets, each with its CRC. */
function takeBlocks(reader: OctetReader, length: number): Uint8Array {
  const writer = writeOctets('DNP3 user data')
  for (let left = length; left > 0 && !reader.failed(); left -= 16) {
    const offset = reader.offset()
    const block = reader.take(Math.min(16, left), 'block')
    if (reader.u16le('block CRC') !== crcDnp3(block)) {
      reader.fail('checksum', 'block CRC', `CRC of the block at ${offset} does not match`, offset + block.length)
    }
    writer.bytes(block)
  }
  return writer.done()
}

/** Finds the length for which the CRC of a header is right, where only the length was changed; undefined if none. */
function findMeantLength(bytes: Uint8Array, crc: number): number | undefined {
  // Each block of 16 octets or fewer has a CRC of two octets.
  const behind = bytes.length - 10
  const data = behind - Math.ceil(behind / 18) * 2
  if (data < 0 || data > 250) return undefined
  const header = bytes.slice(0, 8)
  header[2] = 5 + data
  return crcDnp3(header) === crc ? 5 + data : undefined
}
