/** DNP3 object headers and the object variations that telecontrol uses, encoded and decoded. */

import { GridError } from '../errors.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Flag octet of points (IEEE 1815 clause 11.6): bit 7 is the state of a binary. */
export const dnp3Flag = {
  online: 0x01,
  restart: 0x02,
  communicationLost: 0x04,
  remoteForced: 0x08,
  localForced: 0x10,
  state: 0x80,
} as const

/** Control codes of a control relay output block (clause A.8.1): operation in bits 0 to 3, trip or close in 6 and 7. */
export const dnp3ControlCode = {
  pulseOn: 0x01,
  latchOn: 0x03,
  latchOff: 0x04,
  close: 0x41,
  trip: 0x81,
} as const

/** Status octet that answers a control (clause A.8.1). */
export const dnp3ControlStatus = {
  success: 0,
  timeout: 1,
  noSelect: 2,
  formatError: 3,
  notSupported: 4,
  alreadyActive: 5,
  hardwareError: 6,
  local: 7,
  tooManyObjects: 8,
  notAuthorized: 9,
} as const

/** How a header names points: a range in one or two octets, or an index before each point in one or two octets. */
export type Dnp3PointQualifier = 'range8' | 'range16' | 'index8' | 'index16'

/** A binary with its flag octet; bit 7 of `flags` is the state. */
export interface Dnp3Binary {
  readonly index: number
  readonly flags: number
}

/** An event: `time` in milliseconds since the Unix epoch, UTC. */
export interface Dnp3BinaryEvent extends Dnp3Binary {
  readonly time: number
}

/** An analogue as a 32-bit float with its flag octet. */
export interface Dnp3Analog {
  readonly index: number
  readonly flags: number
  readonly value: number
}

/** An analogue event: `time` in milliseconds since the Unix epoch, UTC. */
export interface Dnp3AnalogEvent extends Dnp3Analog {
  readonly time: number
}

/** A control relay output block; times in milliseconds. */
export interface Dnp3Control {
  readonly index: number
  readonly code: number
  readonly count: number
  readonly onTimeMs: number
  readonly offTimeMs: number
  readonly status: number
}

/** One object header and what follows it. */
export type Dnp3Object =
  /** All points of a group, qualifier 06: class polls (g60), or any group and variation. */
  | { readonly kind: 'all'; readonly group: number; readonly variation: number }
  /** A range of points without their values, as a read asks for them. */
  | {
      readonly kind: 'range'
      readonly group: number
      readonly variation: number
      readonly qualifier: 'range8' | 'range16'
      readonly start: number
      readonly stop: number
    }
  /** g1v2 */
  | {
      readonly kind: 'binary_input'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Binary[]
    }
  /** g2v2 */
  | {
      readonly kind: 'binary_input_event'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3BinaryEvent[]
    }
  /** g12v1 */
  | {
      readonly kind: 'control'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Control[]
    }
  /** g30v5 */
  | {
      readonly kind: 'analog_input'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Analog[]
    }
  /** g32v7 */
  | {
      readonly kind: 'analog_input_event'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3AnalogEvent[]
    }
  /** g50v1, qualifier 07: milliseconds since the Unix epoch */
  | { readonly kind: 'time'; readonly time: number }
  /** g52v2, qualifier 07: milliseconds */
  | { readonly kind: 'time_delay'; readonly delayMs: number }
  /** g80v1, qualifier 00, one bit: the master clears an indication, usually 7, device restart */
  | { readonly kind: 'internal_indication'; readonly index: number; readonly isSet: boolean }

/** How one kind of point lies on the wire after its index. */
interface PointCodec<Point> {
  readonly group: number
  readonly variation: number
  readonly put: (writer: OctetWriter, point: Point) => void
  readonly take: (reader: OctetReader, index: number) => Point
}

type PointKind = 'binary_input' | 'binary_input_event' | 'control' | 'analog_input' | 'analog_input_event'

const pointCodecs: {
  readonly [Kind in PointKind]: PointCodec<Extract<Dnp3Object, { kind: Kind }>['points'][number]>
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

const qualifierCodes = { range8: 0x00, range16: 0x01, index8: 0x17, index16: 0x28 } as const

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
 *             g30v5  flags 1, IEEE 754 single 4 LE
 *             g32v7  flags 1, IEEE 754 single 4 LE, time 6 LE ms
 *             g50v1  time 6 LE ms
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
      putRange(writer, object.qualifier, object.start, object.stop)
      return
    case 'time':
      writer.bytes(Uint8Array.of(50, 1, 0x07, 1)).u48le(object.time, 'time')
      return
    case 'time_delay':
      writer.bytes(Uint8Array.of(52, 2, 0x07, 1)).u16le(object.delayMs, 'delay')
      return
    case 'internal_indication':
      writer
        .bytes(Uint8Array.of(80, 1, 0x00))
        .u8(object.index, 'index')
        .u8(object.index, 'index')
      writer.u8(object.isSet ? 1 : 0, 'state')
      return
    case 'binary_input':
      putPoints(writer, object, pointCodecs.binary_input)
      return
    case 'binary_input_event':
      putPoints(writer, object, pointCodecs.binary_input_event)
      return
    case 'control':
      putPoints(writer, object, pointCodecs.control)
      return
    case 'analog_input':
      putPoints(writer, object, pointCodecs.analog_input)
      return
    case 'analog_input_event':
      putPoints(writer, object, pointCodecs.analog_input_event)
  }
}

function putPoints<Point extends { readonly index: number }>(
  writer: OctetWriter,
  object: { readonly qualifier: Dnp3PointQualifier; readonly points: readonly Point[] },
  codec: PointCodec<Point>,
): void {
  const { qualifier, points } = object
  writer.u8(codec.group, 'group').u8(codec.variation, 'variation')
  if (qualifier === 'range8' || qualifier === 'range16') {
    const start = points[0]?.index ?? 0
    if (points.length === 0 || points.some((point, at) => point.index !== start + at)) {
      throw new GridError(
        'malformed_frame',
        'Cannot encode DNP3 object: the points of a range do not follow each other, expected an index qualifier',
      )
    }
    putRange(writer, qualifier, start, start + points.length - 1)
    for (const point of points) codec.put(writer, point)
    return
  }
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

function putRange(writer: OctetWriter, qualifier: 'range8' | 'range16', start: number, stop: number): void {
  writer.u8(qualifierCodes[qualifier], 'qualifier')
  if (qualifier === 'range8') writer.u8(start, 'start').u8(stop, 'stop')
  else writer.u16le(start, 'start').u16le(stop, 'stop')
}

/**
 * Takes one object header and, unless the function carries headers alone (`withoutValues`), its points.
 *
 * Undefined after a recorded fault: `unsupported` group, variation or qualifier, `length` of a range or count.
 */
export function takeObject(reader: OctetReader, withoutValues: boolean): Dnp3Object | undefined {
  const start = reader.offset()
  const group = reader.u8('group')
  const variation = reader.u8('variation')
  const qualifier = reader.u8('qualifier')
  if (reader.failed()) return undefined
  const name = `g${group}v${variation} with qualifier 0x${qualifier.toString(16).padStart(2, '0')}`
  if (qualifier === 0x06) return { kind: 'all', group, variation }
  if (qualifier === 0x07) return takeCounted(reader, group, variation, name, start)
  if (group === 80 && variation === 1 && qualifier === 0x00) return takeIndication(reader)
  if (withoutValues) {
    const range = takeRange(reader, qualifier)
    if (range === undefined) return unsupported(reader, name, start)
    return { kind: 'range', group, variation, ...range }
  }
  const kind = kindOf(group, variation)
  if (kind === undefined) return unsupported(reader, name, start)
  const outcome = takePoints(reader, qualifier, kind)
  return outcome ?? unsupported(reader, name, start)
}

function unsupported(reader: OctetReader, name: string, offset: number): undefined {
  reader.fail('unsupported', 'object', `object ${name} is not one that we read`, offset)
  return undefined
}

function kindOf(group: number, variation: number): PointKind | undefined {
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

function takeCounted(
  reader: OctetReader,
  group: number,
  variation: number,
  name: string,
  start: number,
): Dnp3Object | undefined {
  const count = reader.u8('count')
  if (count !== 1) reader.fail('length', 'count', `object ${name} counts ${count}, expected 1`, start + 3)
  if (group === 50 && variation === 1) return { kind: 'time', time: reader.u48le('time') }
  if (group === 52 && variation === 2) return { kind: 'time_delay', delayMs: reader.u16le('delay') }
  return unsupported(reader, name, start)
}

function takeIndication(reader: OctetReader): Dnp3Object {
  const index = reader.u8('start')
  const stop = reader.u8('stop')
  if (stop !== index)
    reader.fail('length', 'stop', `g80v1 names ${index} to ${stop}, expected one indication`)
  const state = reader.u8('state')
  if (state > 1) reader.fail('value', 'state', `indication state is ${state}, expected 0 or 1`)
  return { kind: 'internal_indication', index, isSet: state === 1 }
}

function takeRange(
  reader: OctetReader,
  qualifier: number,
): { readonly qualifier: 'range8' | 'range16'; readonly start: number; readonly stop: number } | undefined {
  if (qualifier !== qualifierCodes.range8 && qualifier !== qualifierCodes.range16) return undefined
  const isShort = qualifier === qualifierCodes.range8
  const start = isShort ? reader.u8('start') : reader.u16le('start')
  const stop = isShort ? reader.u8('stop') : reader.u16le('stop')
  if (stop < start) reader.fail('length', 'stop', `range runs from ${start} to ${stop}`)
  return { qualifier: isShort ? 'range8' : 'range16', start, stop }
}

function takePoints(reader: OctetReader, qualifier: number, kind: PointKind): Dnp3Object | undefined {
  switch (kind) {
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
