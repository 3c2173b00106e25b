/** DNP3 object headers and what follows them, encoded and decoded. */

import { type Codec, type CodecValue, fields, namesByCode, number } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import { type Dnp3PointObject, type Dnp3Range, putPoints, putRange, takePoints, takeRange } from './dnp3-points.ts'

/** Objects of one value, behind a count of 1 (qualifier 07). */
const singles = {
  /** Milliseconds since the Unix epoch. */
  time: { group: 50, variation: 1, value: fields({ time: number('u48le', 'time') }) },
  /** The time at the last request to record it. */
  recorded_time: { group: 50, variation: 3, value: fields({ time: number('u48le', 'time') }) },
  time_delay: { group: 52, variation: 2, value: fields({ delayMs: number('u16le', 'delay') }) },
} as const

type SingleKind = keyof typeof singles

type Dnp3Single = {
  [Kind in SingleKind]: { readonly kind: Kind } & CodecValue<(typeof singles)[Kind]['value']>
}[SingleKind]

const singleKinds = namesByCode(singles, ({ group, variation }) => group * 256 + variation)

/** One object header and what follows it. */
export type Dnp3Object =
  | Dnp3PointObject
  /** All points of a group, qualifier 06: class polls (g60), or any group and variation. */
  | { readonly kind: 'all'; readonly group: number; readonly variation: number }
  /** A range of points without their values, as a read asks for them. */
  | ({ readonly kind: 'range'; readonly group: number; readonly variation: number } & Dnp3Range)
  | Dnp3Single
  /** g80v1, qualifier 00, one bit: the master clears an indication, usually 7, device restart. */
  | { readonly kind: 'internal_indication'; readonly index: number; readonly isSet: boolean }

/**
 * Appends one object header and its points.
 *
 * ```
 * 0   1       group
 * 1   1       variation
 * 2   1       qualifier: 00, 01 range; 06 all; 07 count; 17, 28 count with an index before each point
 * 3   .       00: start 1, stop 1           01: start 2 LE, stop 2 LE
 *             07: count 1                   06: nothing
 *             17: count 1, index 1 each     28: count 2 LE, index 2 LE each
 * .   .       per point
 *             g1v2   flags 1
 *             g2v2   flags 1, time 6 LE ms
 *             g12v1  control code 1, count 1, on-time 4 LE ms, off-time 4 LE ms, status 1
 *             g20v1  flags 1, count 4 LE
 *             g30v5  flags 1, IEEE 754 single 4 LE
 *             g32v7  flags 1, IEEE 754 single 4 LE, time 6 LE ms
 *             g50v1, g50v3  time 6 LE ms
 *             g52v2  delay 2 LE ms
 *             g80v1  bits, first point in bit 0
 * ```
 *
 * Source: IEEE 1815 clauses 4.2.2.7 and annex A.
 *
 * @throws GridError malformed_frame when a value does not fit, or points of a range do not follow each other.
 */
export function putObject(writer: OctetWriter, object: Dnp3Object): void {
  switch (object.kind) {
    case 'all':
      writer.u8(object.group, 'group').u8(object.variation, 'variation').u8(0x06, 'qualifier')
      return
    case 'range':
      writer.u8(object.group, 'group').u8(object.variation, 'variation')
      putRange(writer, object)
      return
    case 'time':
    case 'recorded_time':
    case 'time_delay': {
      const { group, variation, value } = singles[object.kind]
      // The object has the field of its kind.
      const codec = value as Codec<unknown>
      codec.put(writer.bytes(Uint8Array.of(group, variation, 0x07, 1)), object)
      return
    }
    case 'internal_indication': {
      const { index, isSet } = object
      writer
        .bytes(Uint8Array.of(80, 1, 0x00))
        .u8(index, 'index')
        .u8(index, 'index')
        .u8(isSet ? 1 : 0, 'state')
      return
    }
    default:
      putPoints(writer, object)
  }
}

/** Takes one object header and its points, if the function has any. Faults: `unsupported`, `length`. */
export function takeObject(reader: OctetReader, withoutValues: boolean): Dnp3Object | undefined {
  const start = reader.offset()
  const group = reader.u8('group')
  const variation = reader.u8('variation')
  const qualifier = reader.u8('qualifier')
  if (reader.failed()) return undefined
  const name = `g${group}v${variation} with qualifier 0x${qualifier.toString(16).padStart(2, '0')}`
  if (qualifier === 0x06) return { kind: 'all', group, variation }
  if (qualifier === 0x07) return takeSingle(reader, group * 256 + variation, name) ?? unsupported(reader, name, start)
  if (group === 80 && variation === 1 && qualifier === 0x00) return takeIndication(reader)
  if (withoutValues) {
    const range = takeRange(reader, qualifier)
    if (range === undefined) return unsupported(reader, name, start)
    return { kind: 'range', group, variation, ...range }
  }
  return takePoints(reader, { group, variation, qualifier }) ?? unsupported(reader, name, start)
}

function unsupported(reader: OctetReader, name: string, offset: number): undefined {
  reader.fail('unsupported', 'object', `object ${name} is not one that we read`, offset)
  return undefined
}

function takeSingle(reader: OctetReader, code: number, name: string): Dnp3Object | undefined {
  const offset = reader.offset()
  const count = reader.u8('count')
  if (count !== 1) reader.fail('length', 'count', `object ${name} counts ${count}, expected 1`, offset)
  const kind = singleKinds.get(code)
  // The field was read as the kind has it.
  return kind && ({ kind, ...singles[kind].value.take(reader) } as Dnp3Single)
}

function takeIndication(reader: OctetReader): Dnp3Object {
  const index = reader.u8('start')
  const stop = reader.u8('stop')
  if (stop !== index) reader.fail('length', 'stop', `g80v1 names ${index} to ${stop}, expected one indication`)
  const state = reader.u8('state')
  if (state > 1) reader.fail('value', 'state', `indication state is ${state}, expected 0 or 1`)
  return { kind: 'internal_indication', index, isSet: state === 1 }
}
