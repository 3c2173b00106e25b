/** Basic Encoding Rules with one-octet tags and definite lengths: all that IEC 61850 needs. */

import { concatBytes } from '../../base/bytes.ts'
import { adopt, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'

/**
 * Appends one element.
 *
 * ```
 * 0   1       tag
 * 1   .       length: below 128 in 1; else 81 and 1, or 82 and 2 BE
 * .   n       contents
 * ```
 *
 * Source: ITU-T X.690 clauses 8.1.2 and 8.1.3.
 *
 * @throws GridError malformed_frame when the contents exceed 65535 octets.
 */
export function putElement(writer: OctetWriter, tag: number, contents: Uint8Array): OctetWriter {
  writer.u8(tag, 'tag')
  if (contents.length < 0x80) writer.u8(contents.length, 'length')
  else if (contents.length < 0x100) writer.u16(0x8100 + contents.length, 'length')
  else writer.u8(0x82, 'length').u16(contents.length, 'length')
  return writer.bytes(contents)
}

/**
 * Encodes one element around contents that follow each other.
 *
 * @throws GridError malformed_frame when the contents exceed 65535 octets.
 */
export function encodeElement(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  return putElement(writeOctets('BER element'), tag, concatBytes(...contents)).done()
}

/** Encodes an integer of 48 bits as an element. */
export function encodeInteger(tag: number, value: number): Uint8Array {
  return encodeElement(tag, toIntegerOctets(value))
}

/** Encodes a part that may be absent, as a list of contents. */
export function encodeOptional<Value>(
  value: Value | undefined,
  encode: (value: Value) => Uint8Array,
): readonly Uint8Array[] {
  return value === undefined ? [] : [encode(value)]
}

/** One element as it was found; `offset` is where its contents start. */
export interface BerElement {
  readonly tag: number
  readonly contents: Uint8Array
  readonly offset: number
}

/** Takes the next element. Faults: `truncated`, `length` (indefinite, or longer than the octets). */
export function takeElement(reader: OctetReader, field: string): BerElement {
  const tag = reader.u8(`${field} tag`)
  const first = reader.u8(`${field} length`)
  let length = first
  if (first === 0x81) length = reader.u8(`${field} length`)
  else if (first === 0x82) length = reader.u16(`${field} length`)
  else if (first >= 0x80) reader.fail('length', field, `${field} has length octet 0x${first.toString(16)}`)
  if (length > reader.remaining()) {
    reader.fail('length', field, `${field} claims ${length} octets, ${reader.remaining()} are left`)
  }
  const offset = reader.offset()
  return { tag, contents: reader.take(length, field), offset }
}

/** Takes the contents of the next element, whose tag must be this one. Faults: as `takeElement`, and `value`. */
export function takeTagged(reader: OctetReader, tag: number, field: string): Uint8Array {
  const offset = reader.offset()
  const element = takeElement(reader, field)
  if (element.tag !== tag) {
    reader.fail(
      'value',
      field,
      `${field} has tag 0x${element.tag.toString(16)}, expected 0x${tag.toString(16)}`,
      offset,
    )
  }
  return element.contents
}

/** Lists the elements in some octets, up to the first fault, which goes to the reader of the whole. */
export function listElements(whole: OctetReader, octets: Uint8Array, field: string): readonly BerElement[] {
  const reader = readOctets(octets, field)
  const found: BerElement[] = []
  while (reader.remaining() > 0 && !reader.failed()) found.push(takeElement(reader, field))
  return adopt(whole, reader.finish(found)) ?? []
}

/** Lists the elements inside one; none where it is missing. */
export function listInside(whole: OctetReader, outer: BerElement | undefined, field: string): readonly BerElement[] {
  return outer === undefined ? [] : listElements(whole, outer.contents, field)
}

/** Finds the first element with a tag. */
export function findTag(elements: readonly BerElement[], tag: number): BerElement | undefined {
  return elements.find((element) => element.tag === tag)
}

/** Reads an element as an integer. Fault: `value` (missing, or another length); then 0. */
export function readInteger(whole: OctetReader, element: BerElement | undefined, field: string): number {
  const value = element && fromIntegerOctets(element.contents)
  if (value === undefined) whole.fail('value', field, `${field} is missing or is not an integer`)
  return value ?? 0
}

/** Writes an integer of 48 bits in the fewest octets of two's complement, so that 128 takes two (X.690 clause 8.3). */
export function toIntegerOctets(value: number): Uint8Array {
  const octets: number[] = []
  let rest = value
  do {
    octets.unshift(((rest % 256) + 256) % 256)
    rest = Math.floor(rest / 256)
    // Done when the sign bit of the leading octet says the same as what is left.
  } while (!(rest === 0 && (octets[0] ?? 0) < 0x80) && !(rest === -1 && (octets[0] ?? 0) >= 0x80))
  return Uint8Array.from(octets)
}

/** Reads an integer of 1 to 6 octets in two's complement; undefined for other lengths. */
export function fromIntegerOctets(octets: Uint8Array): number | undefined {
  if (octets.length < 1 || octets.length > 6) return undefined
  const magnitude = octets.reduce((value, octet) => value * 256 + octet, 0)
  return (octets[0] ?? 0) >= 0x80 ? magnitude - 256 ** octets.length : magnitude
}
