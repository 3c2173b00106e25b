/** The points of DNP3 objects as octets: how each kind lies, behind a range or behind indices. */

import { GridError } from '../errors.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import type { Dnp3Object, Dnp3PointQualifier } from './dnp3-objects.ts'
import { putRange, qualifierCodes, takeRange } from './dnp3-range.ts'

/** The layout of one kind of point on the wire, after its index. */
interface PointCodec<Point> {
  readonly group: number
  readonly variation: number
  readonly put: (writer: OctetWriter, point: Point) => void
  readonly take: (reader: OctetReader, index: number) => Point
}

type PointKind = 'binary_input' | 'binary_input_event' | 'control' | 'analog_input' | 'analog_input_event'

/** An object whose header is followed by points. */
export type Dnp3PointObject = Extract<Dnp3Object, { kind: PointKind }>

const pointCodecs: {
  readonly [Kind in PointKind]: PointCodec<Extract<Dnp3PointObject, { kind: Kind }>['points'][number]>
} = {
  binary_input: {
    group: 1,
    variation: 2,
    put: (writer, point) => writer.u8(point.flags, 'flags'),
    take: (reader, index) => ({ index, flags: reader.u8('flags') }),
  },
  binary_input_event: {
    group: 2,
    variation: 2,
    put: (writer, point) => writer.u8(point.flags, 'flags').u48le(point.time, 'time'),
    take: (reader, index) => ({ index, flags: reader.u8('flags'), time: reader.u48le('time') }),
  },
  control: {
    group: 12,
    variation: 1,
    put: (writer, point) =>
      writer
        .u8(point.code, 'control code')
        .u8(point.count, 'count')
        .u32le(point.onTimeMs, 'on-time')
        .u32le(point.offTimeMs, 'off-time')
        .u8(point.status, 'status'),
    take: (reader, index) => ({
      index,
      code: reader.u8('control code'),
      count: reader.u8('count'),
      onTimeMs: reader.u32le('on-time'),
      offTimeMs: reader.u32le('off-time'),
      status: reader.u8('status'),
    }),
  },
  analog_input: {
    group: 30,
    variation: 5,
    put: (writer, point) => writer.u8(point.flags, 'flags').f32le(point.value),
    take: (reader, index) => ({ index, flags: reader.u8('flags'), value: reader.f32le('value') }),
  },
  analog_input_event: {
    group: 32,
    variation: 7,
    put: (writer, point) => writer.u8(point.flags, 'flags').f32le(point.value).u48le(point.time, 'time'),
    take: (reader, index) => ({
      index,
      flags: reader.u8('flags'),
      value: reader.f32le('value'),
      time: reader.u48le('time'),
    }),
  },
}

/**
 * Appends the header of an object and its points.
 *
 * @throws GridError malformed_frame when a value does not fit, or points of a range do not follow each other.
 */
export function putPoints(writer: OctetWriter, object: Dnp3PointObject): void {
  switch (object.kind) {
    case 'binary_input':
      putPointList(writer, object, pointCodecs.binary_input)
      return
    case 'binary_input_event':
      putPointList(writer, object, pointCodecs.binary_input_event)
      return
    case 'control':
      putPointList(writer, object, pointCodecs.control)
      return
    case 'analog_input':
      putPointList(writer, object, pointCodecs.analog_input)
      return
    case 'analog_input_event':
      putPointList(writer, object, pointCodecs.analog_input_event)
  }
}

function putPointList<Point extends { readonly index: number }>(
  writer: OctetWriter,
  object: { readonly qualifier: Dnp3PointQualifier; readonly points: readonly Point[] },
  codec: PointCodec<Point>,
): void {
  const { qualifier, points } = object
  writer.u8(codec.group, 'group').u8(codec.variation, 'variation')
  if (qualifier === 'range8' || qualifier === 'range16') putSequence(writer, qualifier, points, codec)
  else putIndexed(writer, qualifier, points, codec)
}

/** Appends points that follow each other behind the range of their indices. */
function putSequence<Point extends { readonly index: number }>(
  writer: OctetWriter,
  qualifier: 'range8' | 'range16',
  points: readonly Point[],
  codec: PointCodec<Point>,
): void {
  const start = points[0]?.index ?? 0
  if (points.length === 0 || points.some((point, at) => point.index !== start + at)) {
    throw new GridError(
      'malformed_frame',
      'Cannot encode DNP3 object: the points of a range do not follow each other, expected an index qualifier',
    )
  }
  putRange(writer, qualifier, start, start + points.length - 1)
  for (const point of points) codec.put(writer, point)
}

/** Appends the number of points, and each behind its index. */
function putIndexed<Point extends { readonly index: number }>(
  writer: OctetWriter,
  qualifier: 'index8' | 'index16',
  points: readonly Point[],
  codec: PointCodec<Point>,
): void {
  const isShort = qualifier === 'index8'
  writer.u8(qualifierCodes[qualifier], 'qualifier')
  if (isShort) writer.u8(points.length, 'count')
  else writer.u16le(points.length, 'count')
  for (const point of points) {
    if (isShort) writer.u8(point.index, 'index')
    else writer.u16le(point.index, 'index')
    codec.put(writer, point)
  }
}

function findKind(group: number, variation: number): PointKind | undefined {
  switch (group * 256 + variation) {
    case 0x0102:
      return 'binary_input'
    case 0x0202:
      return 'binary_input_event'
    case 0x0c01:
      return 'control'
    case 0x1e05:
      return 'analog_input'
    case 0x2007:
      return 'analog_input_event'
    default:
      return undefined
  }
}

/**
 * Takes the points behind a header; undefined for a group, variation or qualifier that we do not read.
 *
 * Faults: `truncated`, `length` of a range.
 */
export function takePoints(
  reader: OctetReader,
  { group, variation, qualifier }: { readonly group: number; readonly variation: number; readonly qualifier: number },
): Dnp3PointObject | undefined {
  const kind = findKind(group, variation)
  switch (kind) {
    case undefined:
      return undefined
    case 'binary_input':
      return withKind(kind, takePointList(reader, qualifier, pointCodecs[kind]))
    case 'binary_input_event':
      return withKind(kind, takePointList(reader, qualifier, pointCodecs[kind]))
    case 'control':
      return withKind(kind, takePointList(reader, qualifier, pointCodecs[kind]))
    case 'analog_input':
      return withKind(kind, takePointList(reader, qualifier, pointCodecs[kind]))
    case 'analog_input_event':
      return withKind(kind, takePointList(reader, qualifier, pointCodecs[kind]))
  }
}

function withKind<Kind extends PointKind, List extends object>(
  kind: Kind,
  list: List | undefined,
): ({ readonly kind: Kind } & List) | undefined {
  return list === undefined ? undefined : { kind, ...list }
}

function takePointList<Point>(
  reader: OctetReader,
  qualifier: number,
  codec: PointCodec<Point>,
): { readonly qualifier: Dnp3PointQualifier; readonly points: readonly Point[] } | undefined {
  const points: Point[] = []
  const range = takeRange(reader, qualifier)
  if (range !== undefined) {
    for (let index = range.start; index <= range.stop && !reader.failed(); index++) {
      points.push(codec.take(reader, index))
    }
    return { qualifier: range.qualifier, points }
  }
  if (qualifier !== qualifierCodes.index8 && qualifier !== qualifierCodes.index16) return undefined
  const isShort = qualifier === qualifierCodes.index8
  const count = isShort ? reader.u8('count') : reader.u16le('count')
  while (points.length < count && !reader.failed()) {
    points.push(codec.take(reader, isShort ? reader.u8('index') : reader.u16le('index')))
  }
  return { qualifier: isShort ? 'index8' : 'index16', points }
}
