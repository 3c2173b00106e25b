/** MMS data in BER (ISO 9506-2 Data): the members of GOOSE data sets, and the values of MMS. */

import { namesByCode } from '../link/codec.ts'
import { adopt, type Decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { fromIntegerOctets, putElement, takeElement } from './ber.ts'
import { boolean, type Contents, encodeBetween, integer, text, type UtcTime, utcTime } from './process-bus-fields.ts'

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
  /** Milliseconds of a day 4 BE, and for six octets days since 1984 2 BE. */
  | { readonly kind: 'binary_time'; readonly bytes: Uint8Array }
  /** UTF-8 as its octets. */
  | { readonly kind: 'mms_string'; readonly bytes: Uint8Array }
  | { readonly kind: 'utc_time'; readonly value: UtcTime }
  | { readonly kind: 'structure'; readonly entries: readonly MmsData[] }
  | { readonly kind: 'array'; readonly entries: readonly MmsData[] }

/** One kind of data: its tag, and its contents, undefined after a fault. */
interface DataForm<Data> {
  readonly tag: number
  encode(data: Data): Uint8Array
  decode(reader: OctetReader, octets: Uint8Array, depth: number): Omit<Data, 'kind'> | undefined
}

/** A kind whose value is that of a field of the PDU; `name` is its field in faults. */
function plain<Value>(tag: number, name: string, contents: Contents<Value>): DataForm<{ readonly value: Value }> {
  return {
    tag,
    encode: ({ value }) => contents.encode(value, name),
    decode: (reader, octets) => ({ value: contents.decode(reader, octets, name) }),
  }
}

/** A kind that is kept as its octets. */
function raw(tag: number): DataForm<{ readonly bytes: Uint8Array }> {
  return { tag, encode: ({ bytes }) => bytes, decode: (_, bytes) => ({ bytes }) }
}

function decodeInteger(reader: OctetReader, octets: Uint8Array): number {
  const value = fromIntegerOctets(octets)
  if (value === undefined) reader.fail('length', 'integer', `an integer of ${octets.length} octets`)
  return value ?? 0
}

/** Data in data: the same for both kinds of containers. */
function container(tag: number): DataForm<{ readonly entries: readonly MmsData[] }> {
  return {
    tag,
    encode: ({ entries }) => encodeEntries(entries),
    decode(reader, octets, depth) {
      const entries = takeEntries(reader, octets, depth + 1)
      return entries && { entries }
    },
  }
}

const forms: { readonly [Kind in MmsData['kind']]: DataForm<Extract<MmsData, { readonly kind: Kind }>> } = {
  boolean: plain(0x83, 'boolean', boolean),
  bit_string: {
    tag: 0x84,
    encode: ({ unusedBits, bytes }) => Uint8Array.of(unusedBits, ...bytes),
    decode(reader, octets) {
      const unusedBits = octets[0] ?? 8
      if (unusedBits > 7) reader.fail('value', 'bit string', `${unusedBits} unused bits, expected 0 to 7`)
      return { unusedBits, bytes: octets.slice(1) }
    },
  },
  integer: {
    tag: 0x85,
    // Integers of 48 bits: the most that `fromIntegerOctets` reads.
    encode: ({ value }) => encodeBetween(value, -(2 ** 47), 2 ** 47 - 1, 'integer'),
    decode: (reader, octets) => ({ value: decodeInteger(reader, octets) }),
  },
  unsigned: {
    tag: 0x86,
    encode: ({ value }) => integer.encode(value, 'unsigned'),
    decode(reader, octets) {
      const value = decodeInteger(reader, octets)
      if (value < 0) reader.fail('value', 'unsigned', `an unsigned integer is ${value}`)
      return { value }
    },
  },
  float: {
    tag: 0x87,
    encode: ({ value }) => writeOctets('float').u8(8, 'exponent width').f32(value).done(),
    decode(reader, octets) {
      if (octets.length !== 5 || octets[0] !== 8) reader.fail('unsupported', 'float', 'only 32-bit floats are read')
      return { value: readOctets(octets.subarray(1), 'float').f32('value') }
    },
  },
  octet_string: raw(0x89),
  visible_string: plain(0x8a, 'visible string', text),
  binary_time: raw(0x8c),
  mms_string: raw(0x90),
  utc_time: plain(0x91, 't', utcTime),
  array: container(0xa1),
  structure: container(0xa2),
}

const kindsByTag = namesByCode(forms, ({ tag }) => tag)

/**
 * Appends one member of a data set, with everything in it.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function putData(writer: OctetWriter, data: MmsData): void {
  // The form of its kind.
  const { tag, encode } = forms[data.kind] as DataForm<MmsData>
  putElement(writer, tag, encode(data))
}

/** Encodes the members of a data set, or of a structure inside one. */
export function encodeEntries(entries: readonly MmsData[]): Uint8Array {
  const writer = writeOctets('GOOSE data')
  for (const entry of entries) putData(writer, entry)
  return writer.done()
}

/** Data may nest; real data sets nest less deeply, and this bound keeps hostile octets from exhausting the stack. */
const maximumDepth = 8

/** Decodes the members of a data set or structure inside an element; undefined after a fault, which its reader gets. */
export function takeEntries(reader: OctetReader, contents: Uint8Array, depth: number): readonly MmsData[] | undefined {
  return adopt(reader, decodeEntries(contents, depth))
}

/**
 * Decodes members of a data set or structure, `depth` structures deep. Faults: `truncated`, `length`, `value`,
 * `unsupported`.
 */
export function decodeEntries(contents: Uint8Array, depth: number): Decoded<readonly MmsData[]> {
  const reader = readOctets(contents, 'GOOSE data')
  const entries: MmsData[] = []
  if (depth > maximumDepth) reader.fail('value', 'allData', `data nests deeper than ${maximumDepth}`)
  while (reader.remaining() > 0 && !reader.failed()) {
    const { tag, contents: octets } = takeElement(reader, 'data')
    if (reader.failed()) break
    const kind = kindsByTag.get(tag)
    if (kind === undefined) {
      reader.fail('unsupported', 'data', `data with tag 0x${tag.toString(16)} is not one that we read`)
      break
    }
    const data = forms[kind].decode(reader, octets, depth)
    // The form gives the fields of its kind.
    if (data !== undefined) entries.push({ kind, ...data } as MmsData)
  }
  return reader.finish(entries)
}
