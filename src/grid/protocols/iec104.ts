/** IEC 60870-5-104: APDUs of the three formats, and the parameters of a connection. */

import { GridError } from '../errors.ts'
import { namesByCode } from '../link/codec.ts'
import { type Decoded, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { type Iec104Asdu, iec104Cause, putAsdu, takeAsdu } from './iec104-asdu.ts'

/** The controlled station's TCP port. */
export const iec104Port = 2404

/** Unacknowledged I-formats at most (k), received ones after which to acknowledge (w), and timers in seconds (clause 9.6). */
export const iec104Parameter = { k: 12, w: 8, t1: 15, t2: 10, t3: 20 } as const

/** Unnumbered control functions and their first control octet (IEC 60870-5-104 clause 5.1). */
export const iec104Unnumbered = {
  STARTDT_ACT: 0x07,
  STARTDT_CON: 0x0b,
  STOPDT_ACT: 0x13,
  STOPDT_CON: 0x23,
  TESTFR_ACT: 0x43,
  TESTFR_CON: 0x83,
} as const

/** The name of an unnumbered control function. */
export type Iec104UnnumberedName = keyof typeof iec104Unnumbered

/** One APDU. Sequence numbers are modulo 32768. */
export type Iec104Apdu =
  | { readonly format: 'I'; readonly sendSequence: number; readonly receiveSequence: number; readonly asdu: Iec104Asdu }
  | { readonly format: 'S'; readonly receiveSequence: number }
  | { readonly format: 'U'; readonly function: Iec104UnnumberedName }

/**
 * Encodes one APDU.
 *
 * ```
 *  0   1       start 68
 *  1   1       length of what follows, 4 to 253
 *  2   4       control field
 *              I: N(S) << 1 in 2 LE, N(R) << 1 in 2 LE
 *              S: 01 00, N(R) << 1 in 2 LE
 *              U: STARTDT 07/0B, STOPDT 13/23, TESTFR 43/83, then 00 00 00
 *  6   1       I only: type identification
 *  7   1       variable structure: SQ 80, number of objects
 *  8   1       cause in 6 bits, P/N 40, T 80
 *  9   1       originator
 * 10   2  LE   common address
 * 12   3  LE   information object address: before each object, with SQ before the first one only
 *  .   .       M_SP SIQ 1 · M_DP DIQ 1 · M_ME IEEE 754 single 4 LE, QDS 1 · *_TB, *_TF then CP56Time2a 7
 *              M_IT counter 4 LE, BCR 1 · C_SC SCO 1 · C_DC DCO 1 · C_SE IEEE 754 single 4 LE, QOS 1
 *              C_IC QOI 1 · C_CI QCC 1 · C_RD nothing · C_CS CP56Time2a 7 · C_TS FBP 2 LE, TA then CP56Time2a 7
 * ```
 *
 * CP56Time2a: milliseconds 2 LE, minute with IV 80, hour with SU 80, day of month with day of week << 5,
 * month, year.
 *
 * Source: IEC 60870-5-104 clauses 5 and 7, IEC 60870-5-101 clause 7.2.
 *
 * @throws GridError malformed_frame when a value does not fit, or addresses of a sequence do not follow.
 */
export function encodeIec104(apdu: Iec104Apdu): Uint8Array {
  const writer = writeOctets('IEC 104 APDU').u8(0x68, 'start').u8(0, 'length')
  if (apdu.format === 'U') {
    writer.u8(iec104Unnumbered[apdu.function], 'control field').u24(0, 'control field')
  } else if (apdu.format === 'S') {
    writer.u16(0x0100, 'control field').u16le(apdu.receiveSequence * 2, 'N(R)')
  } else {
    writer.u16le(apdu.sendSequence * 2, 'N(S)').u16le(apdu.receiveSequence * 2, 'N(R)')
    putAsdu(writer, apdu.asdu)
  }
  const bytes = writer.done()
  if (bytes.length > 255) {
    throw new GridError('malformed_frame', `Cannot encode IEC 104 APDU: ${bytes.length} octets, expected at most 255`)
  }
  bytes[1] = bytes.length - 2
  return bytes
}

/**
 * Decodes one APDU, the whole of `bytes`. Faults: `truncated`, `trailing`, `protocol` (start), `length`, `unsupported`
 * (control function or type), `value` (reserved bits).
 */
export function decodeIec104(bytes: Uint8Array): Decoded<Iec104Apdu> {
  const reader = readOctets(bytes, 'IEC 104 APDU')
  if (reader.u8('start') !== 0x68) reader.fail('protocol', 'start', 'start octet is not 68', 0)
  const length = reader.u8('length')
  if (length !== reader.remaining() || length < 4) {
    reader.fail('length', 'length', `length is ${length}, ${reader.remaining()} octets follow`, 1)
  }
  const first = reader.u16le('control field')
  const second = reader.u16le('control field')
  if ((first & 1) === 0) {
    if ((second & 1) !== 0) reader.fail('value', 'N(R)', 'lowest bit of N(R) is set', 4)
    const asdu = takeAsdu(reader)
    if (asdu === undefined) return reader.refuse()
    return reader.finish({ format: 'I', sendSequence: first >>> 1, receiveSequence: second >>> 1, asdu })
  }
  if ((first & 2) === 0) {
    if (first !== 1 || (second & 1) !== 0) reader.fail('value', 'control field', 'reserved bits are set', 2)
    return reader.finish({ format: 'S', receiveSequence: second >>> 1 })
  }
  const name = unnumberedNames.get(first)
  if (name === undefined || second !== 0) {
    reader.fail('unsupported', 'control field', `control function 0x${first.toString(16)} is unknown`, 2)
    return reader.refuse()
  }
  return reader.finish({ format: 'U', function: name })
}

const unnumberedNames = namesByCode(iec104Unnumbered, (code) => code)

/** Reads an APDU whose type identification is unknown; undefined for any other fault (IEC 60870-5-101 clause 7.2.3). */
export function readUnknown(bytes: Uint8Array) {
  const outcome = decodeIec104(bytes)
  if (outcome.ok || outcome.fault.code !== 'unsupported' || outcome.fault.field !== 'type') return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length < 12) return undefined
  const refusal = bytes.slice(6)
  refusal[2] = ((refusal[2] ?? 0) & 0x80) | 0x40 | iec104Cause.unknownType
  return { sendSequence: view.getUint16(2, true) >>> 1, receiveSequence: view.getUint16(4, true) >>> 1, refusal }
}

/**
 * Encodes an I-format around the octets of an ASDU.
 *
 * @throws GridError malformed_frame when a number does not fit.
 */
export function encodeRefusal(sendSequence: number, receiveSequence: number, asdu: Uint8Array): Uint8Array {
  return writeOctets('IEC 104 APDU')
    .u8(0x68, 'start')
    .u8(asdu.length + 4, 'length')
    .u16le(sendSequence * 2, 'N(S)')
    .u16le(receiveSequence * 2, 'N(R)')
    .bytes(asdu)
    .done()
}
