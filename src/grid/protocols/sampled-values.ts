/** Sampled values of IEC 61850-9-2, as the guideline 9-2LE uses them: whole frames, encoded and decoded. */

import { GridError } from '../errors.ts'
import { type Codec, type CodecValue, fields, optional } from '../link/codec.ts'
import { etherType } from '../link/ethernet.ts'
import { type Decoded, decoded, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { fromIntegerOctets, putElement, takeTagged, toIntegerOctets } from './ber.ts'
import { decodeProcessBus, encodeProcessBus, type ProcessBusFrame, type ProcessBusKind } from './process-bus.ts'
import { tagged, text, utcTime } from './process-bus-fields.ts'

/** One value of a data set. */
export interface SampledValue {
  /** A signed integer of 32 bits: milliamperes, or hundredths of a volt. */
  readonly value: number
  /** Quality of IEC 61850-7-3 as 32 bits; 2000 (hex) marks a value that is derived, as a neutral is. */
  readonly quality: number
}

const kind: ProcessBusKind = { name: 'sampled values', etherType: etherType.sampledValues, tag: 0x60 }

/** The most ASDUs that one message may have (IEC 61869-9 uses up to 6; the field has room for more). */
const mostAsdus = 16

/** A number of fixed length, as an element of its tag. */
function fixed(tag: number, field: string, octets: 1 | 2 | 4): Codec<number> {
  const kinds = { 1: 'u8', 2: 'u16', 4: 'u32' } as const
  return {
    put: (writer, value) => putElement(writer, tag, writeOctets('sampled values')[kinds[octets]](value, field).done()),
    take(reader) {
      const contents = takeTagged(reader, tag, field)
      if (!reader.failed() && contents.length !== octets) {
        reader.fail('length', field, `${field} takes ${contents.length} octets, expected ${octets}`)
      }
      return contents.reduce((value, octet) => value * 256 + octet, 0)
    },
  }
}

const values: Codec<readonly SampledValue[]> = {
  put(writer, samples) {
    const contents = writeOctets('sampled values')
    for (const { value, quality } of samples) contents.i32(value, 'value').u32(quality, 'quality')
    putElement(writer, 0x87, contents.done())
  },
  take(reader) {
    const contents = takeTagged(reader, 0x87, 'values')
    if (contents.length % 8 !== 0) {
      reader.fail('length', 'values', `the values take ${contents.length} octets, expected eight for each`)
      return []
    }
    const inner = readOctets(contents, 'sampled values')
    const take = () => ({ value: inner.i32('value'), quality: inner.u32('quality') })
    const samples = Array.from({ length: contents.length / 8 }, take)
    inner.finish(samples)
    return samples
  },
}

/** The fields of an ASDU by their tags: one sample of every channel. */
const asduFields = fields({
  id: tagged(0x80, 'svID', text),
  dataSet: optional(0x81, tagged(0x81, 'datSet', text)),
  /** Counts samples of a second, from 0. */
  sampleCount: fixed(0x82, 'smpCnt', 2),
  configurationRevision: fixed(0x83, 'confRev', 4),
  refreshTime: optional(0x84, tagged(0x84, 'refrTm', utcTime)),
  /** 0 not synchronised, 1 by a local clock, 2 by a global one. */
  synchronization: fixed(0x85, 'smpSynch', 1),
  sampleRate: optional(0x86, fixed(0x86, 'smpRate', 2)),
  /** Of 9-2LE: currents of phases A, B, C and neutral, then the voltages. */
  values,
  /** 0 samples a period, 1 samples a second, 2 seconds a sample. */
  sampleMode: optional(0x88, fixed(0x88, 'smpMod', 2)),
  /** Identity of the clock that all follow, 8 octets (IEC 61869-9). */
  clockIdentity: optional<Uint8Array>(0x89, {
    put: (writer, octets) => putElement(writer, 0x89, octets),
    take: (reader) => takeTagged(reader, 0x89, 'gmIdentity'),
  }),
})

/** One sample of every channel. */
export type SampledAsdu = CodecValue<typeof asduFields>

/** A message in its frame. */
export interface SampledValuesMessage extends ProcessBusFrame {
  readonly asdus: readonly SampledAsdu[]
}

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
  for (const asdu of asdus) {
    const contents = writeOctets('sampled values')
    asduFields.put(contents, asdu)
    putElement(sequence, 0x30, contents.done())
  }
  const contents = writeOctets('sampled values')
  putElement(contents, 0x80, toIntegerOctets(asdus.length))
  putElement(contents, 0xa2, sequence.done())
  return encodeProcessBus(kind, frame, contents.done())
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
    const inner = readOctets(takeTagged(sequence, 0x30, 'ASDU'), 'sampled values')
    const asdu = inner.finish(asduFields.take(inner))
    if (!asdu.ok) return asdu
    asdus.push(asdu.value)
  }
  if (count !== asdus.length) sequence.fail('length', 'noASDU', `noASDU is ${count}, ${asdus.length} are there`)
  const read = sequence.finish(asdus)
  return read.ok ? decoded({ ...frame, asdus: read.value }) : read
}
