/** Sampled values of IEC 61850-9-2, as the guideline 9-2LE uses them: whole frames, encoded and decoded. */

import { GridError } from '../errors.ts'
import { etherType } from '../link/ethernet.ts'
import { type Decoded, decoded, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { fromIntegerOctets, putElement, takeTagged, toIntegerOctets } from './ber.ts'
import { tagged, text, type UtcTime, utcTime } from './mms-data.ts'
import { decodeProcessBus, encodeProcessBus, type ProcessBusFrame, type ProcessBusKind } from './process-bus.ts'

/** One value of a data set. */
export interface SampledValue {
  /** A signed integer of 32 bits: milliamperes, or hundredths of a volt. */
  readonly value: number
  /** Quality of IEC 61850-7-3 as 32 bits; 2000 (hex) marks a value that is derived, as a neutral is. */
  readonly quality: number
}

/** One sample of every channel. */
export interface SampledAsdu {
  readonly id: string
  readonly dataSet?: string
  /** Counts samples of a second, from 0. */
  readonly sampleCount: number
  readonly configurationRevision: number
  readonly refreshTime?: UtcTime
  /** 0 not synchronised, 1 by a local clock, 2 by a global one. */
  readonly synchronization: number
  readonly sampleRate?: number
  /** Of 9-2LE: currents of phases A, B, C and neutral, then the voltages. */
  readonly values: readonly SampledValue[]
  /** 0 samples a period, 1 samples a second, 2 seconds a sample. */
  readonly sampleMode?: number
  /** Identity of the clock that all follow, 8 octets (IEC 61869-9). */
  readonly clockIdentity?: Uint8Array
}

/** A message in its frame. */
export interface SampledValuesMessage extends ProcessBusFrame {
  readonly asdus: readonly SampledAsdu[]
}

const kind: ProcessBusKind = { name: 'sampled values', etherType: etherType.sampledValues, tag: 0x60 }

/** The most ASDUs that one message may have (IEC 61869-9 uses up to 6; the field has room for more). */
const mostAsdus = 16

/** A field of fixed length, as an element of its tag. */
function fixed(tag: number, field: string, octets: 1 | 2 | 4) {
  const kinds = { 1: 'u8', 2: 'u16', 4: 'u32' } as const
  return {
    put: (writer: OctetWriter, value: number) =>
      putElement(writer, tag, writeOctets('sampled values')[kinds[octets]](value, field).done()),
    take(reader: OctetReader) {
      const contents = takeTagged(reader, tag, field)
      if (!reader.failed() && contents.length !== octets) {
        reader.fail('length', field, `${field} takes ${contents.length} octets, expected ${octets}`)
      }
      return contents.reduce((value, octet) => value * 256 + octet, 0)
    },
  }
}

/** The fields of an ASDU by their tags. */
const asduFields = {
  id: tagged(0x80, 'svID', text),
  dataSet: tagged(0x81, 'datSet', text),
  sampleCount: fixed(0x82, 'smpCnt', 2),
  configurationRevision: fixed(0x83, 'confRev', 4),
  refreshTime: tagged(0x84, 'refrTm', utcTime),
  synchronization: fixed(0x85, 'smpSynch', 1),
  sampleRate: fixed(0x86, 'smpRate', 2),
  sampleMode: fixed(0x88, 'smpMod', 2),
} as const

/**
 * Encodes a message as a whole Ethernet frame.
 *
 * ```
 *  .   .       Ethernet, APPID, length, reserved: as `encodeProcessBus`, EtherType 88BA
 *  .   .       PDU 60: 80 noASDU integer, A2 sequence of ASDUs 30, in each
 *              80 svID text, 81 datSet text *, 82 smpCnt 2 BE, 83 confRev 4 BE, 84 refrTm 8 *, 85 smpSynch 1,
 *              86 smpRate 2 BE *, 87 values: 4 BE signed and quality 4 BE for each channel, 88 smpMod 2 BE *,
 *              89 gmIdentity 8 *
 * ```
 *
 * Fields with a star may be absent. Source: IEC 61850-9-2 clause 8.5, guideline 9-2LE (UCA, 2004) clause 7.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeSampledValues({ asdus, ...frame }: SampledValuesMessage): Uint8Array {
  if (asdus.length < 1 || asdus.length > mostAsdus) {
    const state = `${asdus.length} ASDUs, expected 1 to ${mostAsdus}`
    throw new GridError('malformed_frame', `Cannot encode sampled values: ${state}`)
  }
  const sequence = writeOctets('sampled values')
  for (const asdu of asdus) putElement(sequence, 0x30, encodeAsdu(asdu))
  const contents = writeOctets('sampled values')
  putElement(contents, 0x80, toIntegerOctets(asdus.length))
  putElement(contents, 0xa2, sequence.done())
  return encodeProcessBus(kind, frame, contents.done())
}

function encodeAsdu(asdu: SampledAsdu): Uint8Array {
  const writer = writeOctets('sampled values')
  asduFields.id.put(writer, asdu.id)
  if (asdu.dataSet !== undefined) asduFields.dataSet.put(writer, asdu.dataSet)
  asduFields.sampleCount.put(writer, asdu.sampleCount)
  asduFields.configurationRevision.put(writer, asdu.configurationRevision)
  if (asdu.refreshTime !== undefined) asduFields.refreshTime.put(writer, asdu.refreshTime)
  asduFields.synchronization.put(writer, asdu.synchronization)
  if (asdu.sampleRate !== undefined) asduFields.sampleRate.put(writer, asdu.sampleRate)
  const values = writeOctets('sampled values')
  for (const { value, quality } of asdu.values) values.i32(value, 'value').u32(quality, 'quality')
  putElement(writer, 0x87, values.done())
  if (asdu.sampleMode !== undefined) asduFields.sampleMode.put(writer, asdu.sampleMode)
  if (asdu.clockIdentity !== undefined) putElement(writer, 0x89, asdu.clockIdentity)
  return writer.done()
}

/**
 * Decodes a whole Ethernet frame. Faults: `truncated`, `trailing`, `protocol` (EtherType), `length` (also of values),
 * `value` (a tag); offsets within the PDU count from its contents.
 */
export function decodeSampledValues(bytes: Uint8Array): Decoded<SampledValuesMessage> {
  const outer = decodeProcessBus(kind, bytes)
  if (!outer.ok) return outer
  const { frame, contents } = outer.value
  const reader = readOctets(contents, 'sampled values')
  const count = fromIntegerOctets(takeTagged(reader, 0x80, 'noASDU')) ?? 0
  const whole = reader.finish(takeTagged(reader, 0xa2, 'seqASDU'))
  if (!whole.ok) return whole
  const sequence = readOctets(whole.value, 'sampled values')
  const asdus: SampledAsdu[] = []
  while (sequence.remaining() > 0 && !sequence.failed()) {
    const asdu = decodeAsdu(takeTagged(sequence, 0x30, 'ASDU'))
    if (!asdu.ok) return asdu
    asdus.push(asdu.value)
  }
  if (count !== asdus.length) sequence.fail('length', 'noASDU', `noASDU is ${count}, ${asdus.length} are there`)
  const read = sequence.finish(asdus)
  return read.ok ? decoded({ ...frame, asdus: read.value }) : read
}

function decodeAsdu(contents: Uint8Array): Decoded<SampledAsdu> {
  const reader = readOctets(contents, 'sampled values')
  const isNext = (tag: number) => contents[reader.offset()] === tag
  const asdu = {
    id: asduFields.id.take(reader),
    ...(isNext(0x81) && { dataSet: asduFields.dataSet.take(reader) }),
    sampleCount: asduFields.sampleCount.take(reader),
    configurationRevision: asduFields.configurationRevision.take(reader),
    ...(isNext(0x84) && { refreshTime: asduFields.refreshTime.take(reader) }),
    synchronization: asduFields.synchronization.take(reader),
    ...(isNext(0x86) && { sampleRate: asduFields.sampleRate.take(reader) }),
    values: takeValues(reader),
    ...(isNext(0x88) && { sampleMode: asduFields.sampleMode.take(reader) }),
    ...(isNext(0x89) && { clockIdentity: takeTagged(reader, 0x89, 'gmIdentity') }),
  }
  return reader.finish(asdu)
}

function takeValues(reader: OctetReader): readonly SampledValue[] {
  const contents = takeTagged(reader, 0x87, 'values')
  if (contents.length % 8 !== 0) {
    reader.fail('length', 'values', `the values take ${contents.length} octets, expected eight for each`)
    return []
  }
  const inner = readOctets(contents, 'sampled values')
  const values = Array.from({ length: contents.length / 8 }, () => ({
    value: inner.i32('value'),
    quality: inner.u32('quality'),
  }))
  inner.finish(values)
  return values
}
