/** ASDUs of IEC 60870-5-104 as octets: the header, and the information elements of each type (IEC 60870-5-101 clause 7). */

import { GridError } from '../errors.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import {
  type DoublePoint,
  type Iec104Asdu,
  type Iec104Objects,
  type Iec104TypeName,
  iec104Type,
} from './iec104-asdu.ts'
import { putTime, takeTime } from './iec104-time.ts'

/**
 * Writes an ASDU.
 *
 * @throws GridError malformed_frame when a value does not fit, or addresses of a sequence do not follow.
 */
export function putAsdu(writer: OctetWriter, asdu: Iec104Asdu): void {
  const { isSequence } = asdu
  const count = asdu.objects.length
  if (count < 1 || count > 127) {
    throw new GridError('malformed_frame', `Cannot encode IEC 104 ASDU: ${count} objects, expected 1 to 127`)
  }
  writer
    .u8(iec104Type[asdu.type], 'type')
    .u8((isSequence ? 0x80 : 0) | count, 'variable structure')
    .u8((asdu.isTest ? 0x80 : 0) | (asdu.isNegative ? 0x40 : 0) | (asdu.cause & 0x3f), 'cause')
    .u8(asdu.originator, 'originator')
    .u16le(asdu.commonAddress, 'common address')
  const elements = toElements(writer, asdu)
  const start = elements[0]?.address ?? 0
  for (const [at, { address, put }] of elements.entries()) {
    if (isSequence && address !== start + at) {
      throw new GridError('malformed_frame', `Cannot encode IEC 104 ASDU: address ${address} breaks the sequence`)
    }
    if (!isSequence || at === 0) writer.u24le(address, 'object address')
    put()
  }
}

/** One object: its address, and how to append what follows it. */
interface Element {
  readonly address: number
  readonly put: () => void
}

function toElements(writer: OctetWriter, asdu: Iec104Objects): readonly Element[] {
  const each = <Item extends { readonly address: number }>(
    objects: readonly Item[],
    put: (item: Item) => void,
  ): Element[] => objects.map((item) => ({ address: item.address, put: () => put(item) }))
  const putSingle = (item: { readonly isOn: boolean; readonly quality: number }) =>
    writer.u8(item.quality | (item.isOn ? 1 : 0), 'SIQ')
  const putDouble = (item: { readonly state: number; readonly quality: number }) =>
    writer.u8(item.quality | item.state, 'DIQ')
  const putMeasured = (item: { readonly value: number; readonly quality: number }) =>
    writer.f32le(item.value).u8(item.quality, 'QDS')
  const toCommand = (item: { readonly select: boolean; readonly qualifier: number }) =>
    (item.select ? 0x80 : 0) + item.qualifier * 4
  switch (asdu.type) {
    case 'M_SP_NA_1':
      return each(asdu.objects, putSingle)
    case 'M_SP_TB_1':
      return each(asdu.objects, (item) => putTime(putSingle(item), item.time))
    case 'M_DP_NA_1':
      return each(asdu.objects, putDouble)
    case 'M_DP_TB_1':
      return each(asdu.objects, (item) => putTime(putDouble(item), item.time))
    case 'M_ME_NC_1':
      return each(asdu.objects, putMeasured)
    case 'M_ME_TF_1':
      return each(asdu.objects, (item) => putTime(putMeasured(item), item.time))
    case 'C_SC_NA_1':
      return each(asdu.objects, (item) => writer.u8(toCommand(item) + (item.isOn ? 1 : 0), 'SCO'))
    case 'C_DC_NA_1':
      return each(asdu.objects, (item) => writer.u8(toCommand(item) + item.state, 'DCO'))
    case 'C_SE_NC_1':
      return each(asdu.objects, (item) => writer.f32le(item.value).u8((item.select ? 0x80 : 0) + item.qualifier, 'QOS'))
    case 'C_IC_NA_1':
      return each(asdu.objects, (item) => writer.u8(item.qualifier, 'QOI'))
    case 'C_CS_NA_1':
      return each(asdu.objects, (item) => putTime(writer, item.time))
  }
}

/** Reads an ASDU; undefined after a fault, which the reader keeps. */
export function takeAsdu(reader: OctetReader): Iec104Asdu | undefined {
  const typeId = reader.u8('type')
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
  const type = typeNames.get(typeId)
  if (type === undefined) {
    reader.fail('unsupported', 'type', `type identification ${typeId} is not one that we read`, 6)
    return undefined
  }
  const count = structure & 0x7f
  const each = elementLength[type]
  const expected = header.isSequence ? 3 + count * each : count * (3 + each)
  if (count === 0 || expected !== reader.remaining()) {
    reader.fail(
      'length',
      'variable structure',
      `${count} objects take ${expected} octets, ${reader.remaining()} follow`,
      7,
    )
  }
  if (reader.failed()) return undefined
  const start = header.isSequence ? reader.u24le('object address') : 0
  const list = <Element>(take: () => Element) =>
    Array.from({ length: count }, (_, at) => ({
      address: header.isSequence ? start + at : reader.u24le('object address'),
      ...take(),
    }))
  return takeObjects(reader, type, header, list)
}

const elementLength = {
  M_SP_NA_1: 1,
  M_DP_NA_1: 1,
  M_ME_NC_1: 5,
  M_SP_TB_1: 8,
  M_DP_TB_1: 8,
  M_ME_TF_1: 12,
  C_SC_NA_1: 1,
  C_DC_NA_1: 1,
  C_SE_NC_1: 5,
  C_IC_NA_1: 1,
  C_CS_NA_1: 7,
} as const satisfies Record<Iec104TypeName, number>

type AsduHeader = Omit<Iec104Asdu, 'type' | 'objects'>

type ListOf = <Element>(take: () => Element) => ({ readonly address: number } & Element)[]

function takeObjects(reader: OctetReader, type: Iec104TypeName, header: AsduHeader, list: ListOf): Iec104Asdu {
  switch (type) {
    case 'M_SP_NA_1':
      return { ...header, type, objects: list(() => takeSingle(reader)) }
    case 'M_SP_TB_1':
      return { ...header, type, objects: list(() => ({ ...takeSingle(reader), time: takeTime(reader) })) }
    case 'M_DP_NA_1':
      return { ...header, type, objects: list(() => takeDouble(reader)) }
    case 'M_DP_TB_1':
      return { ...header, type, objects: list(() => ({ ...takeDouble(reader), time: takeTime(reader) })) }
    case 'M_ME_NC_1':
      return { ...header, type, objects: list(() => takeMeasured(reader)) }
    case 'M_ME_TF_1':
      return { ...header, type, objects: list(() => ({ ...takeMeasured(reader), time: takeTime(reader) })) }
    case 'C_SC_NA_1':
      return { ...header, type, objects: list(() => takeSingleCommand(reader)) }
    case 'C_DC_NA_1':
      return { ...header, type, objects: list(() => takeDoubleCommand(reader)) }
    case 'C_SE_NC_1':
      return { ...header, type, objects: list(() => takeSetPoint(reader)) }
    case 'C_IC_NA_1':
      return { ...header, type, objects: list(() => ({ qualifier: reader.u8('QOI') })) }
    case 'C_CS_NA_1':
      return { ...header, type, objects: list(() => ({ time: takeTime(reader) })) }
  }
}

function takeSingle(reader: OctetReader) {
  const octet = reader.u8('SIQ')
  if ((octet & 0x0e) !== 0) reader.fail('value', 'SIQ', 'reserved bits are set')
  return { isOn: (octet & 1) === 1, quality: octet & 0xf0 }
}

function takeDouble(reader: OctetReader) {
  const octet = reader.u8('DIQ')
  if ((octet & 0x0c) !== 0) reader.fail('value', 'DIQ', 'reserved bits are set')
  return { state: toDoublePoint(octet), quality: octet & 0xf0 }
}

function takeMeasured(reader: OctetReader) {
  const value = reader.f32le('value')
  const quality = reader.u8('QDS')
  if ((quality & 0x0e) !== 0) reader.fail('value', 'QDS', 'reserved bits are set')
  return { value, quality }
}

function takeSingleCommand(reader: OctetReader) {
  const octet = reader.u8('SCO')
  if ((octet & 0x02) !== 0) reader.fail('value', 'SCO', 'the reserved bit is set')
  return { isOn: (octet & 1) === 1, select: (octet & 0x80) !== 0, qualifier: (octet >>> 2) & 0x1f }
}

function takeDoubleCommand(reader: OctetReader) {
  const octet = reader.u8('DCO')
  return { state: toDoublePoint(octet), select: (octet & 0x80) !== 0, qualifier: (octet >>> 2) & 0x1f }
}

function takeSetPoint(reader: OctetReader) {
  const value = reader.f32le('value')
  const octet = reader.u8('QOS')
  return { value, select: (octet & 0x80) !== 0, qualifier: octet & 0x7f }
}

function toDoublePoint(octet: number): DoublePoint {
  const points: readonly DoublePoint[] = [0, 1, 2, 3]
  return points[octet & 3] ?? 0
}

// Object.entries widens keys to string; the tables above have no others.
const typeNames = new Map(Object.entries(iec104Type).map(([name, code]) => [code as number, name as Iec104TypeName]))
