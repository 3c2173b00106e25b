/** The application data of IEC 60870-5-104: types, causes and information objects (IEC 60870-5-101 clause 7). */

import { GridError } from '../errors.ts'
import { type Codec, type CodecValue, fields, namesByCode, number } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import { type Cp56Time, putTime, takeTime } from './iec104-time.ts'

/** Causes of transmission (clause 7.2.3). */
export const iec104Cause = {
  periodic: 1,
  spontaneous: 3,
  request: 5,
  activation: 6,
  activationConfirmation: 7,
  deactivation: 8,
  deactivationConfirmation: 9,
  activationTermination: 10,
  interrogatedByStation: 20,
  requestedByCounter: 37,
  unknownType: 44,
  unknownCause: 45,
  unknownCommonAddress: 46,
  unknownObjectAddress: 47,
} as const

/** A double point as its two bits say: 0 intermediate, 1 off, 2 on, 3 indeterminate. */
type DoublePoint = 0 | 1 | 2 | 3

const doublePoints: readonly DoublePoint[] = [0, 1, 2, 3]

function toDoublePoint(octet: number): DoublePoint {
  return doublePoints[octet & 3] ?? 0
}

/** Takes one octet with a point in its low bits, of which `reserved` must be 0, and its quality in the high ones. */
function takePoint(reader: OctetReader, field: string, reserved: number) {
  const octet = reader.u8(field)
  if ((octet & reserved) !== 0) reader.fail('value', field, 'reserved bits are set')
  return { octet, quality: octet & 0xf0 }
}

const single: Codec<{ readonly isOn: boolean; readonly quality: number }> = {
  put: (writer, { isOn, quality }) => writer.u8(quality | (isOn ? 1 : 0), 'SIQ'),
  take(reader) {
    const { octet, quality } = takePoint(reader, 'SIQ', 0x0e)
    return { isOn: (octet & 1) === 1, quality }
  },
}

const double: Codec<{ readonly state: DoublePoint; readonly quality: number }> = {
  put: (writer, { state, quality }) => writer.u8(quality | state, 'DIQ'),
  take(reader) {
    const { octet, quality } = takePoint(reader, 'DIQ', 0x0c)
    return { state: toDoublePoint(octet), quality }
  },
}

const measured: Codec<{ readonly value: number; readonly quality: number }> = {
  put: (writer, { value, quality }) => writer.f32le(value).u8(quality, 'QDS'),
  take(reader) {
    const value = reader.f32le('value')
    const quality = reader.u8('QDS')
    if ((quality & 0x0e) !== 0) reader.fail('value', 'QDS', 'reserved bits are set')
    return { value, quality }
  },
}

const time: Codec<Cp56Time> = { put: putTime, take: takeTime }

/** An element with the time at which it was true. */
function timed<Element extends object>(element: Codec<Element>): Codec<Element & { readonly time: Cp56Time }> {
  return {
    put(writer, value) {
      element.put(writer, value)
      putTime(writer, value.time)
    },
    take: (reader) => ({ ...element.take(reader), time: takeTime(reader) }),
  }
}

/** The part of a command that is the same for single and double ones. */
interface Command {
  /** True where it only selects. */
  readonly select: boolean
  /** 0 none, 1 short pulse, 2 long pulse, 3 persistent. */
  readonly qualifier: number
}

/** Appends one octet: the bit that selects, the qualifier, and the state in the low two bits. */
function putCommand(writer: OctetWriter, field: string, state: number, command: Command): void {
  writer.u8((command.select ? 0x80 : 0) + command.qualifier * 4 + state, field)
}

function toCommand(octet: number): Command {
  return { select: (octet & 0x80) !== 0, qualifier: (octet >>> 2) & 0x1f }
}

const singleCommand: Codec<{ readonly isOn: boolean } & Command> = {
  put: (writer, command) => putCommand(writer, 'SCO', command.isOn ? 1 : 0, command),
  take(reader) {
    const octet = reader.u8('SCO')
    if ((octet & 0x02) !== 0) reader.fail('value', 'SCO', 'the reserved bit is set')
    return { isOn: (octet & 1) === 1, ...toCommand(octet) }
  },
}

const doubleCommand: Codec<{ readonly state: DoublePoint } & Command> = {
  put: (writer, command) => putCommand(writer, 'DCO', command.state, command),
  take(reader) {
    const octet = reader.u8('DCO')
    return { state: toDoublePoint(octet), ...toCommand(octet) }
  },
}

const setPoint: Codec<{ readonly value: number; readonly select: boolean; readonly qualifier: number }> = {
  put: (writer, { value, select, qualifier }) => writer.f32le(value).u8((select ? 0x80 : 0) + qualifier, 'QOS'),
  take(reader) {
    const value = reader.f32le('value')
    const octet = reader.u8('QOS')
    return { value, select: (octet & 0x80) !== 0, qualifier: octet & 0x7f }
  },
}

const total: Codec<{ readonly count: number; readonly sequence: number; readonly quality: number }> = {
  put: (writer, { count, sequence, quality }) => writer.u32le(count, 'counter').u8(quality | sequence, 'BCR'),
  take(reader) {
    const count = reader.u32le('counter')
    const octet = reader.u8('BCR')
    return { count, sequence: octet & 0x1f, quality: octet & 0xe0 }
  },
}

/** The object without an information element. */
const nothing: Codec<object> = { put: () => undefined, take: () => ({}) }

/** Each type by its name: its identification (clause 7.2.1), and the octets and the form of its information element. */
export const iec104Types = {
  M_SP_NA_1: { code: 1, octets: 1, element: single },
  M_DP_NA_1: { code: 3, octets: 1, element: double },
  M_ME_NC_1: { code: 13, octets: 5, element: measured },
  /** An integrated total: `quality` is IV 80, CA 40, CY 20. */
  M_IT_NA_1: { code: 15, octets: 5, element: total },
  M_SP_TB_1: { code: 30, octets: 8, element: timed(single) },
  M_DP_TB_1: { code: 31, octets: 8, element: timed(double) },
  M_ME_TF_1: { code: 36, octets: 12, element: timed(measured) },
  C_SC_NA_1: { code: 45, octets: 1, element: singleCommand },
  C_DC_NA_1: { code: 46, octets: 1, element: doubleCommand },
  C_SE_NC_1: { code: 50, octets: 5, element: setPoint },
  /** `qualifier`: 20 asks the whole station. */
  C_IC_NA_1: { code: 100, octets: 1, element: fields({ qualifier: number('u8', 'QOI') }) },
  /** `qualifier`: 5 asks for all counters; the bits 40 and 80 freeze and reset them. */
  C_CI_NA_1: { code: 101, octets: 1, element: fields({ qualifier: number('u8', 'QCC') }) },
  C_RD_NA_1: { code: 102, octets: 0, element: nothing },
  C_CS_NA_1: { code: 103, octets: 7, element: fields({ time }) },
  /** `pattern`: 55AA. */
  C_TS_NA_1: { code: 104, octets: 2, element: fields({ pattern: number('u16le', 'FBP') }) },
  C_TS_TA_1: { code: 107, octets: 9, element: fields({ pattern: number('u16le', 'TSC'), time }) },
} as const

/** The common address of all stations, which only interrogations, clocks and tests may carry (clause 7.2.4). */
export const iec104Broadcast = 0xffff

/** The name of a type. */
export type Iec104TypeName = keyof typeof iec104Types

/** Information objects of a type; `address` is the information object address, 0 to 16777215. */
type ObjectsOf<Type extends Iec104TypeName> = {
  readonly type: Type
  readonly objects: readonly ({ readonly address: number } & CodecValue<(typeof iec104Types)[Type]['element']>)[]
}

/** Information objects by type. */
export type Iec104Objects = { [Type in Iec104TypeName]: ObjectsOf<Type> }[Iec104TypeName]

/** One application service data unit. */
export type Iec104Asdu = Iec104Objects & {
  /** True when one address is sent and the others follow from it (SQ). */
  readonly isSequence: boolean
  readonly cause: number
  /** True when the cause is a refusal (P/N). */
  readonly isNegative: boolean
  readonly isTest: boolean
  readonly originator: number
  readonly commonAddress: number
}

/**
 * Writes an ASDU.
 *
 * @throws GridError malformed_frame when a value does not fit, or addresses of a sequence do not follow.
 */
export function putAsdu(writer: OctetWriter, asdu: Iec104Asdu): void {
  const { isSequence } = asdu
  const { code, element } = iec104Types[asdu.type]
  // The objects of an ASDU have the elements of its type.
  const codec = element as Codec<unknown>
  const objects: readonly { readonly address: number }[] = asdu.objects
  if (objects.length < 1 || objects.length > 127) throw refuseAsdu(`${objects.length} objects, expected 1 to 127`)
  writer
    .u8(code, 'type')
    .u8((isSequence ? 0x80 : 0) | objects.length, 'variable structure')
    .u8((asdu.isTest ? 0x80 : 0) | (asdu.isNegative ? 0x40 : 0) | (asdu.cause & 0x3f), 'cause')
    .u8(asdu.originator, 'originator')
    .u16le(asdu.commonAddress, 'common address')
  const start = objects[0]?.address ?? 0
  for (const [at, object] of objects.entries()) {
    if (isSequence && object.address !== start + at) throw refuseAsdu(`address ${object.address} breaks the sequence`)
    if (!isSequence || at === 0) writer.u24le(object.address, 'object address')
    codec.put(writer, object)
  }
}

function refuseAsdu(state: string): GridError {
  return new GridError('malformed_frame', `Cannot encode IEC 104 ASDU: ${state}`)
}

/** Reads an ASDU; undefined after a fault, which the reader keeps. */
export function takeAsdu(reader: OctetReader): Iec104Asdu | undefined {
  const code = reader.u8('type')
  const structure = reader.u8('variable structure')
  const cause = reader.u8('cause')
  const header = {
    isSequence: (structure & 0x80) !== 0,
    cause: cause & 0x3f,
    isNegative: (cause & 0x40) !== 0,
    isTest: (cause & 0x80) !== 0,
    originator: reader.u8('originator'),
    commonAddress: reader.u16le('common address'),
  }
  const type = typeNames.get(code)
  if (type === undefined) {
    reader.fail('unsupported', 'type', `type identification ${code} is not one that we read`, 6)
    return undefined
  }
  const objects = takeObjects(reader, iec104Types[type], structure & 0x7f, header.isSequence)
  // The elements were read as the type has them.
  return objects && ({ ...header, type, objects } as Iec104Asdu)
}

/** Takes the information objects of a type, whose octets must be all that is left; undefined after a fault. */
function takeObjects(
  reader: OctetReader,
  { octets, element }: { readonly octets: number; readonly element: Codec<object> },
  count: number,
  isSequence: boolean,
) {
  const expected = isSequence ? 3 + count * octets : count * (3 + octets)
  if (count === 0 || expected !== reader.remaining()) {
    const state = `${count} objects take ${expected} octets, ${reader.remaining()} follow`
    reader.fail('length', 'variable structure', state, 7)
  }
  if (reader.failed()) return undefined
  const start = isSequence ? reader.u24le('object address') : 0
  return Array.from({ length: count }, (_, at) => ({
    address: isSequence ? start + at : reader.u24le('object address'),
    ...element.take(reader),
  }))
}

const typeNames = namesByCode(iec104Types, ({ code }) => code)
