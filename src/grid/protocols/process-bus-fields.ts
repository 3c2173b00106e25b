/** Primitive fields of the PDUs of GOOSE and sampled values, and of the data in them: what an element holds. */

import { GridError } from '../errors.ts'
import { decodeAscii, encodeAscii } from '../link/ascii.ts'
import type { Codec } from '../link/codec.ts'
import { type OctetReader, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { fromIntegerOctets, putElement, takeTagged, toIntegerOctets } from './ber.ts'

/** The contents of an element: made of a value, and read back; faults go to the reader of the element. */
export interface Contents<Value> {
  /** @throws GridError malformed_frame when the value does not fit. */
  encode(value: Value, field: string): Uint8Array
  decode(reader: OctetReader, octets: Uint8Array, field: string): Value
}

/** A field of the PDU: an element with a fixed tag. */
export function tagged<Value>(tag: number, field: string, contents: Contents<Value>): Codec<Value> {
  return {
    put: (writer, value) => putElement(writer, tag, contents.encode(value, field)),
    take: (reader) => contents.decode(reader, takeTagged(reader, tag, field), field),
  }
}

/** Characters 32 to 126. Fault: `value`. */
export const text: Contents<string> = { encode: (value) => encodeAscii(value, 'GOOSE PDU'), decode: decodeAscii }

/**
 * Encodes an integer in the fewest octets.
 *
 * @throws GridError malformed_frame when it is not one from `low` to `high`.
 */
export function encodeBetween(value: number, low: number, high: number, field: string): Uint8Array {
  if (Number.isInteger(value) && value >= low && value <= high) return toIntegerOctets(value)
  const state = `${field} is ${value}, expected ${low} to ${high}`
  throw new GridError('malformed_frame', `Cannot encode GOOSE PDU: ${state}`)
}

/** 0 to 4294967295, in the fewest octets. Fault: `value`. */
export const integer: Contents<number> = {
  encode: (value, field) => encodeBetween(value, 0, 0xffffffff, field),
  decode(reader, octets, field) {
    const value = fromIntegerOctets(octets)
    if (value !== undefined && value >= 0 && value <= 0xffffffff) return value
    reader.fail('value', field, `${field} is not an integer from 0 to 4294967295`)
    return 0
  },
}

/** One octet, 01 or 00. Fault: `length`. */
export const boolean: Contents<boolean> = {
  encode: (value) => Uint8Array.of(value ? 1 : 0),
  decode(reader, octets) {
    if (octets.length !== 1) reader.fail('length', 'boolean', `a boolean takes ${octets.length} octets, expected 1`)
    return (octets[0] ?? 0) !== 0
  },
}

/** Eight-octet UTC time (IEC 61850-8-1 clause 8.1.3.7). */
export interface UtcTime {
  readonly seconds: number
  /** Units of 2^-24 s, 0 to 16777215. */
  readonly fraction: number
  /** Leap seconds known 80, clock failure 40, not synchronised 20, accuracy in the low 5 bits. */
  readonly quality: number
}

/** Converts integer microseconds since the Unix epoch to UTC time. */
export function toUtcTime(timeUs: number, quality = 0x0a): UtcTime {
  const seconds = Math.floor(timeUs / 1e6)
  return { seconds, fraction: Math.floor(((timeUs - seconds * 1e6) * 2 ** 24) / 1e6), quality }
}

/** Seconds 4 BE, fraction 3 BE, quality 1. Fault: `length`. */
export const utcTime: Contents<UtcTime> = {
  encode: ({ seconds, fraction, quality }) =>
    writeOctets('UTC time').u32(seconds, 'seconds').u24(fraction, 'fraction').u8(quality, 'quality').done(),
  decode(reader, octets) {
    if (octets.length !== 8) reader.fail('length', 't', `UTC time takes ${octets.length} octets, expected 8`)
    const inner = readOctets(octets, 'UTC time')
    return { seconds: inner.u32('seconds'), fraction: inner.u24('fraction'), quality: inner.u8('quality') }
  },
}
