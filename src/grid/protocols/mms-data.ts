/** MMS data in BER, the members of a GOOSE data set, and the primitive fields that the PDU around them shares. */

import { GridError } from '../errors.ts'
import { type Decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { fromIntegerOctets, putElement, takeElement, toIntegerOctets } from './ber.ts'

/** Eight-octet UTC time (IEC 61850-8-1 clause 8.1.3.7). */
export interface UtcTime {
  readonly seconds: number
  /** Units of 2^-24 s, 0 to 16777215. */
  readonly fraction: number
  /** Leap seconds known 80, clock failure 40, not synchronised 20, accuracy in the low 5 bits. */
  readonly quality: number
}

/** One member of the data set, as MMS data (ISO 9506-2 Data, context tags). */
export type MmsData =
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'bit_string'; readonly unusedBits: number; readonly bytes: Uint8Array }
  /** Within 48 bits, with a sign. */
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'unsigned'; readonly value: number }
  /** A 32-bit float. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'octet_string'; readonly bytes: Uint8Array }
  /** Characters 32 to 126. */
  | { readonly kind: 'visible_string'; readonly value: string }
  | { readonly kind: 'utc_time'; readonly value: UtcTime }
  | { readonly kind: 'structure' | 'array'; readonly entries: readonly MmsData[] }

/**
 * Converts a moment to UTC time.
 *
 * @param timeUs - integer microseconds since the Unix epoch.
 */
export function toUtcTime(timeUs: number, quality = 0x0a): UtcTime {
  const seconds = Math.floor(timeUs / 1e6)
  return { seconds, fraction: Math.floor(((timeUs - seconds * 1e6) * 2 ** 24) / 1e6), quality }
}

/**
 * Appends a text of characters 32 to 126.
 *
 * @throws GridError malformed_frame when there are other characters.
 */
export function putText(writer: OctetWriter, tag: number, text: string): void {
  if (!isVisible(text)) {
    throw new GridError('malformed_frame', `Cannot encode GOOSE PDU: text "${text}" holds more than ASCII`)
  }
  putElement(
    writer,
    tag,
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
  )
}

function isVisible(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

/**
 * Appends an integer in the fewest octets.
 *
 * @throws GridError malformed_frame when it is not an integer from 0 to 4294967295.
 */
export function putInteger(writer: OctetWriter, tag: number, value: number, field: string): void {
  putBetween(writer, tag, { value, low: 0, high: 0xffffffff, field })
}

function putBetween(
  writer: OctetWriter,
  tag: number,
  { value, low, high, field }: { value: number; low: number; high: number; field: string },
): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new GridError('malformed_frame', `Cannot encode GOOSE PDU: ${field} is ${value}, expected ${low} to ${high}`)
  }
  putElement(writer, tag, toIntegerOctets(value))
}

/** Integers of 48 bits: the most that `fromIntegerOctets` reads. */
const integerRange = { low: -(2 ** 47), high: 2 ** 47 - 1, field: 'integer' } as const

/** Appends a boolean: one octet, 01 or 00. */
export function putBoolean(writer: OctetWriter, tag: number, value: boolean): void {
  putElement(writer, tag, Uint8Array.of(value ? 1 : 0))
}

/** Encodes UTC time: seconds 4 BE, fraction 3 BE, quality 1. */
export function encodeUtcTime(time: UtcTime): Uint8Array {
  return writeOctets('UTC time')
    .u32(time.seconds, 'seconds')
    .u24(time.fraction, 'fraction')
    .u8(time.quality, 'quality')
    .done()
}

/**
 * Appends one member of a data set, with everything in it.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function putData(writer: OctetWriter, data: MmsData): void {
  switch (data.kind) {
    case 'boolean':
      putBoolean(writer, 0x83, data.value)
      return
    case 'bit_string':
      putElement(writer, 0x84, Uint8Array.of(data.unusedBits, ...data.bytes))
      return
    case 'integer':
      putBetween(writer, 0x85, { value: data.value, ...integerRange })
      return
    case 'unsigned':
      putInteger(writer, 0x86, data.value, 'unsigned')
      return
    case 'float':
      putElement(writer, 0x87, writeOctets('float').u8(8, 'exponent width').f32(data.value).done())
      return
    case 'octet_string':
      putElement(writer, 0x89, data.bytes)
      return
    case 'visible_string':
      putText(writer, 0x8a, data.value)
      return
    case 'utc_time':
      putElement(writer, 0x91, encodeUtcTime(data.value))
      return
    default: {
      const inner = writeOctets('GOOSE data')
      for (const entry of data.entries) putData(inner, entry)
      putElement(writer, data.kind === 'array' ? 0xa1 : 0xa2, inner.done())
    }
  }
}

/** Reads text from the contents of an element. Fault: `value` for other characters than 32 to 126. */
export function toText(reader: OctetReader, octets: Uint8Array, field: string): string {
  const text = String.fromCharCode(...octets)
  if (!isVisible(text)) reader.fail('value', field, `${field} holds more than ASCII`)
  return text
}

/** Reads a boolean from the contents of an element. Fault: `length`. */
export function toBoolean(reader: OctetReader, octets: Uint8Array): boolean {
  if (octets.length !== 1) reader.fail('length', 'boolean', `a boolean takes ${octets.length} octets, expected 1`)
  return (octets[0] ?? 0) !== 0
}

/** Reads UTC time from the contents of an element. Fault: `length`. */
export function toTime(reader: OctetReader, octets: Uint8Array): UtcTime {
  if (octets.length !== 8) reader.fail('length', 't', `UTC time takes ${octets.length} octets, expected 8`)
  const inner = readOctets(octets, 'UTC time')
  return { seconds: inner.u32('seconds'), fraction: inner.u24('fraction'), quality: inner.u8('quality') }
}

/** Data may nest; real data sets nest less deeply, and this bound keeps hostile octets from exhausting the stack. */
const maximumDepth = 8

/**
 * Decodes the members of a data set, or of a structure inside one. Faults: `truncated`, `length`, `value`,
 * `unsupported`.
 *
 * @param depth - Number of structures around them.
 */
export function decodeEntries(contents: Uint8Array, depth: number): Decoded<readonly MmsData[]> {
  const reader = readOctets(contents, 'GOOSE data')
  const entries: MmsData[] = []
  if (depth > maximumDepth) reader.fail('value', 'allData', `data nests deeper than ${maximumDepth}`)
  while (reader.remaining() > 0 && !reader.failed()) {
    const { tag, contents: octets } = takeElement(reader, 'data')
    if (reader.failed()) break
    const entry = toData(reader, tag, octets, depth)
    if (entry !== undefined) entries.push(entry)
  }
  return reader.finish(entries)
}

function toData(reader: OctetReader, tag: number, octets: Uint8Array, depth: number): MmsData | undefined {
  switch (tag) {
    case 0x83:
      return { kind: 'boolean', value: toBoolean(reader, octets) }
    case 0x84: {
      const unusedBits = octets[0] ?? 8
      if (unusedBits > 7) reader.fail('value', 'bit string', `${unusedBits} unused bits, expected 0 to 7`)
      return { kind: 'bit_string', unusedBits, bytes: octets.slice(1) }
    }
    case 0x85:
    case 0x86: {
      const value = fromIntegerOctets(octets)
      if (value === undefined) reader.fail('length', 'integer', `an integer of ${octets.length} octets`)
      if (tag === 0x86 && (value ?? 0) < 0) reader.fail('value', 'unsigned', `an unsigned integer is ${value}`)
      return { kind: tag === 0x85 ? 'integer' : 'unsigned', value: value ?? 0 }
    }
    case 0x87:
      if (octets.length !== 5 || octets[0] !== 8) reader.fail('unsupported', 'float', 'only 32-bit floats are read')
      return { kind: 'float', value: readOctets(octets.subarray(1), 'float').f32('value') }
    case 0x89:
      return { kind: 'octet_string', bytes: octets }
    case 0x8a:
      return { kind: 'visible_string', value: toText(reader, octets, 'visible string') }
    case 0x91:
      return { kind: 'utc_time', value: toTime(reader, octets) }
    case 0xa1:
    case 0xa2: {
      const outcome = decodeEntries(octets, depth + 1)
      if (!outcome.ok) {
        reader.fail(outcome.fault.code, outcome.fault.field, outcome.fault.message.replace(/^.*?: /, ''))
        return undefined
      }
      return { kind: tag === 0xa1 ? 'array' : 'structure', entries: outcome.value }
    }
    default:
      reader.fail('unsupported', 'data', `data with tag 0x${tag.toString(16)} is not one that we read`)
      return undefined
  }
}
