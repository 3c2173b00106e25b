/** The points of DNP3 objects: one row for each kind, behind a range of indices or each behind its own. */

import { GridError } from '../errors.ts'
import { type Codec, type CodecValue, fields, namesByCode, number, takeEach } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Flag octet of points (IEEE 1815 clause 11.6): bit 7 is the state of a binary. */
export const dnp3Flag = { online: 0x01, state: 0x80 } as const

/** Control codes of a control relay output block (clause A.8.1): operation in bits 0 to 3, trip or close in 6 and 7. */
export const dnp3ControlCode = { pulseOn: 0x01, latchOn: 0x03, latchOff: 0x04, close: 0x41, trip: 0x81 } as const

/** Status octet that answers a control (clause A.8.1). */
export const dnp3ControlStatus = { success: 0, timeout: 1, noSelect: 2, notSupported: 4 } as const

/** Codes of the ways in which a header names points: by a range or by indices, of one octet or of two. */
const qualifiers = {
  range8: { code: 0x00, size: 'u8' },
  range16: { code: 0x01, size: 'u16le' },
  index8: { code: 0x17, size: 'u8' },
  index16: { code: 0x28, size: 'u16le' },
} as const

/** The way in which a header names points. */
export type Dnp3PointQualifier = keyof typeof qualifiers

const flags = number('u8', 'flags')
const value = number('f32le', 'value')
/** Milliseconds since the Unix epoch, UTC. */
const time = number('u48le', 'time')

/** Each kind of point: group and variation of its object, and what follows its index. */
const pointKinds = {
  binary_input: { group: 1, variation: 2, point: fields({ flags }) },
  binary_input_event: { group: 2, variation: 2, point: fields({ flags, time }) },
  /** A control relay output block; times in milliseconds. */
  control: {
    group: 12,
    variation: 1,
    point: fields({
      code: number('u8', 'control code'),
      count: number('u8', 'count'),
      onTimeMs: number('u32le', 'on-time'),
      offTimeMs: number('u32le', 'off-time'),
      status: number('u8', 'status'),
    }),
  },
  counter: { group: 20, variation: 1, point: fields({ flags, count: number('u32le', 'count') }) },
  analog_input: { group: 30, variation: 5, point: fields({ flags, value }) },
  analog_input_event: { group: 32, variation: 7, point: fields({ flags, value, time }) },
} as const

type PointKind = keyof typeof pointKinds

/** A point of a kind, with its index. */
export type Dnp3Point<Kind extends PointKind> = { readonly index: number } & CodecValue<
  (typeof pointKinds)[Kind]['point']
>

/** An object whose header is followed by points. */
export type Dnp3PointObject = {
  [Kind in PointKind]: {
    readonly kind: Kind
    readonly qualifier: Dnp3PointQualifier
    readonly points: readonly Dnp3Point<Kind>[]
  }
}[PointKind]

const kindNames = namesByCode(pointKinds, ({ group, variation }) => group * 256 + variation)

/**
 * Appends the header of an object and its points.
 *
 * @throws GridError malformed_frame when a value does not fit, or points of a range do not follow each other.
 */
export function putPoints(writer: OctetWriter, object: Dnp3PointObject): void {
  const { group, variation, point } = pointKinds[object.kind]
  // The points of an object have the fields of its kind.
  const codec = point as Codec<unknown>
  const points: readonly { readonly index: number }[] = object.points
  const { qualifier } = object
  writer.u8(group, 'group').u8(variation, 'variation')
  if (qualifier === 'range8' || qualifier === 'range16') {
    const start = points[0]?.index ?? 0
    if (points.length === 0 || points.some(({ index }, at) => index !== start + at)) {
      const state = 'the points of a range do not follow each other, expected an index qualifier'
      throw new GridError('malformed_frame', `Cannot encode DNP3 object: ${state}`)
    }
    putRange(writer, { qualifier, start, stop: start + points.length - 1 })
    for (const one of points) codec.put(writer, one)
    return
  }
  const { code, size } = qualifiers[qualifier]
  writer.u8(code, 'qualifier')[size](points.length, 'count')
  for (const one of points) codec.put(writer[size](one.index, 'index'), one)
}

/** Takes the points behind a header; undefined for an unknown one. Faults: `truncated`, `length` of a range. */
export function takePoints(
  reader: OctetReader,
  header: { readonly group: number; readonly variation: number; readonly qualifier: number },
): Dnp3PointObject | undefined {
  const kind = kindNames.get(header.group * 256 + header.variation)
  const list = kind && takePointList(reader, header.qualifier, pointKinds[kind].point)
  // The points were read as the kind has them.
  return list && ({ kind, ...list } as unknown as Dnp3PointObject)
}

function takePointList(reader: OctetReader, code: number, point: Codec<object>) {
  const range = takeRange(reader, code)
  if (range !== undefined) {
    let index = range.start
    const points = takeEach(reader, range.stop - range.start + 1, () => ({ index: index++, ...point.take(reader) }))
    return { qualifier: range.qualifier, points }
  }
  const qualifier = (['index8', 'index16'] as const).find((name) => qualifiers[name].code === code)
  if (qualifier === undefined) return undefined
  const { size } = qualifiers[qualifier]
  const count = reader[size]('count')
  return { qualifier, points: takeEach(reader, count, () => ({ index: reader[size]('index'), ...point.take(reader) })) }
}

/** The first and the last index of a range, in one octet or in two. */
export interface Dnp3Range {
  readonly qualifier: 'range8' | 'range16'
  readonly start: number
  readonly stop: number
}

/**
 * Appends the qualifier of a range with its first and last index.
 *
 * @throws GridError malformed_frame when an index does not fit.
 */
export function putRange(writer: OctetWriter, { qualifier, start, stop }: Dnp3Range): void {
  const { code, size } = qualifiers[qualifier]
  writer.u8(code, 'qualifier')[size](start, 'start')[size](stop, 'stop')
}

/** Takes a range behind its qualifier; undefined for other qualifiers. Faults: `truncated`, `length`. */
export function takeRange(reader: OctetReader, code: number): Dnp3Range | undefined {
  const qualifier = (['range8', 'range16'] as const).find((name) => qualifiers[name].code === code)
  if (qualifier === undefined) return undefined
  const { size } = qualifiers[qualifier]
  const [start, stop] = [reader[size]('start'), reader[size]('stop')]
  if (stop < start) reader.fail('length', 'stop', `range runs from ${start} to ${stop}`)
  return { qualifier, start, stop }
}
