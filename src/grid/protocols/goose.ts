/** GOOSE: the messages that trip breakers over Ethernet, and the curve on which they are repeated. */

import { GridError } from '../errors.ts'
import { decodeEthernet, encodeEthernet, etherType, type VlanTag } from '../link/ethernet.ts'
import {
  type Decoded,
  decoded,
  faulty,
  type OctetReader,
  type OctetWriter,
  readOctets,
  writeOctets,
} from '../link/octets.ts'
import { fromIntegerOctets, putElement, takeElement, takeTagged, toIntegerOctets } from './ber.ts'

/** Eight-octet UTC time (IEC 61850-8-1 clause 8.1.3.7). */
export interface UtcTime {
  readonly seconds: number
  /** Units of 2^-24 s, 0 to 16777215. */
  readonly fraction: number
  /** Leap seconds known 80, clock failure 40, not synchronised 20, accuracy in the low 5 bits. */
  readonly quality: number
}

/** One member of the data set, as MMS data (ISO 9506-2 Data, context tags). */
export type MmsData =
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'bit_string'; readonly unusedBits: number; readonly bytes: Uint8Array }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'unsigned'; readonly value: number }
  /** A 32-bit float. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'octet_string'; readonly bytes: Uint8Array }
  /** Characters 32 to 126. */
  | { readonly kind: 'visible_string'; readonly value: string }
  | { readonly kind: 'utc_time'; readonly value: UtcTime }
  | { readonly kind: 'structure' | 'array'; readonly entries: readonly MmsData[] }

/** The PDU of a message. */
export interface GoosePdu {
  readonly controlBlockReference: string
  readonly timeAllowedToLiveMs: number
  readonly dataSet: string
  readonly id: string
  /** When the state number last changed. */
  readonly time: UtcTime
  /** stNum: counts changes of the data, from 1. */
  readonly stateNumber: number
  /** sqNum: counts repetitions of one state, from 0. */
  readonly sequenceNumber: number
  readonly simulation: boolean
  readonly configurationRevision: number
  readonly needsCommissioning: boolean
  readonly entries: readonly MmsData[]
}

/** A message in its frame. */
export interface GooseMessage {
  /** A multicast address from 01:0c:cd:01:00:00 to 01:0c:cd:01:01:ff. */
  readonly destination: string
  readonly source: string
  readonly vlan?: VlanTag
  readonly appId: number
  /** Bit 15 of reserved 1; honest publishers set it as they set `pdu.simulation`. */
  readonly isSimulated: boolean
  readonly pdu: GoosePdu
}

/** The counters of a publisher. Plain data: it travels in snapshots. */
export interface GoosePublisher {
  readonly stateNumber: number
  readonly sequenceNumber: number
}

/** The tag that GOOSE travels with: priority 4 (IEC 61850-8-1 annex C). */
export const gooseVlan: VlanTag = { priority: 4, dropEligible: false, id: 0 }

/** A publisher's counters at its first message. */
export const newGoosePublisher: GoosePublisher = { stateNumber: 1, sequenceNumber: 0 }

/** Milliseconds from a change to its first repetition. */
const firstRepetitionMs = 4

/**
 * Tells how long after one message the next is sent: 4, 8, 16 ... ms after a change, up to the heartbeat.
 *
 * Source: IEC 61850-8-1 clause 18.1 (the curve is the publisher's choice).
 *
 * @param sequenceNumber - of the message just sent: 0 for the one that tells of the change.
 */
export function gooseDelayMs(sequenceNumber: number, heartbeatMs: number): number {
  return Math.min(firstRepetitionMs * 2 ** sequenceNumber, heartbeatMs)
}

/** Counts a change of the data: next state, first of its sequence. The state number wraps to 1. */
export function gooseChanged(publisher: GoosePublisher): GoosePublisher {
  return {
    stateNumber: publisher.stateNumber >= 0xffffffff ? 1 : publisher.stateNumber + 1,
    sequenceNumber: 0,
  }
}

/** Counts a repetition. The sequence number wraps to 1, because 0 tells of a change. */
export function gooseRepeated(publisher: GoosePublisher): GoosePublisher {
  const { stateNumber, sequenceNumber } = publisher
  return { stateNumber, sequenceNumber: sequenceNumber >= 0xffffffff ? 1 : sequenceNumber + 1 }
}

/** What a subscriber makes of a message after the last one it accepted. */
export type GooseVerdict = 'changed' | 'repeated' | 'lost' | 'stale'

/**
 * Judges a message by its counters: a new state, the next repetition, a later one (some were lost), or an old one.
 *
 * A subscriber that has heard nothing yet takes any message as a change.
 */
export function judgeGoose(last: GoosePublisher | undefined, next: GoosePublisher): GooseVerdict {
  if (last === undefined || next.stateNumber > last.stateNumber) return 'changed'
  if (next.stateNumber < last.stateNumber || next.sequenceNumber <= last.sequenceNumber) return 'stale'
  return next.sequenceNumber === last.sequenceNumber + 1 ? 'repeated' : 'lost'
}

/** Converts a moment to UTC time. @param timeUs - integer microseconds since the Unix epoch. */
export function toUtcTime(timeUs: number, quality = 0x0a): UtcTime {
  const seconds = Math.floor(timeUs / 1e6)
  return { seconds, fraction: Math.floor(((timeUs - seconds * 1e6) * 2 ** 24) / 1e6), quality }
}

/**
 * Encodes a message as a whole Ethernet frame.
 *
 * ```
 *  0  14/18    Ethernet header, tagged when `vlan` is given, EtherType 88B8
 *  .   2  BE   APPID
 *  .   2  BE   length: 8 + PDU
 *  .   2  BE   reserved 1: simulated 8000
 *  .   2  BE   reserved 2: 0
 *  .   .       PDU 61, in it: 80 gocbRef text, 81 timeAllowedtoLive integer, 82 datSet text, 83 goID text,
 *              84 t 8, 85 stNum integer, 86 sqNum integer, 87 simulation boolean, 88 confRev integer,
 *              89 ndsCom boolean, 8A numDatSetEntries integer, AB allData: one element per entry
 *              (83 boolean 1, 84 bit string 1 + n, 85 integer, 86 unsigned, 87 float 08 + 4, 89 octets,
 *              8A text, 91 UTC time 8, A1 array, A2 structure)
 * ```
 *
 * Integers are signed and minimal. Source: IEC 61850-8-1 annexes A and C.
 *
 * @throws GridError `malformed_frame` when a value does not fit.
 */
export function encodeGoose(message: GooseMessage): Uint8Array {
  const { destination, source, vlan } = message
  const pdu = encodePdu(message.pdu)
  const payload = writeOctets('GOOSE message')
    .u16(message.appId, 'APPID')
    .u16(pdu.length + 8, 'length')
    .u16(message.isSimulated ? 0x8000 : 0, 'reserved 1')
    .u16(0, 'reserved 2')
    .bytes(pdu)
    .done()
  const link = { destination, source, etherType: etherType.goose, payload }
  return encodeEthernet(vlan === undefined ? link : { ...link, vlan })
}

/**
 * Decodes a whole Ethernet frame.
 *
 * Faults: `truncated`, `trailing`, `protocol` (EtherType), `length` (length field, element lengths, number of
 * entries), `value` (an unexpected tag or malformed contents), `unsupported` (a kind of data). Offsets of the
 * PDU's faults count from the APPID.
 */
export function decodeGoose(bytes: Uint8Array): Decoded<GooseMessage> {
  const link = decodeEthernet(bytes)
  if (!link.ok) return link
  const { destination, source, vlan, payload } = link.value
  if (link.value.etherType !== etherType.goose) {
    return faulty('GOOSE message', 'protocol', 12, 'EtherType', 'EtherType is not 88B8')
  }
  const length = payload.length < 4 ? 0 : (payload[2] ?? 0) * 256 + (payload[3] ?? 0)
  if (payload.length >= 4 && (length < 8 || length > payload.length)) {
    const state = `length is ${length}, ${payload.length} octets are there`
    return faulty('GOOSE message', 'length', 2, 'length', state)
  }
  const reader = readOctets(payload.subarray(0, Math.max(length, 4)), 'GOOSE message')
  const appId = reader.u16('APPID')
  reader.u16('length')
  const isSimulated = (reader.u16('reserved 1') & 0x8000) !== 0
  reader.u16('reserved 2')
  const contents = takeTagged(reader, 0x61, 'goosePdu')
  const outer = reader.finish(contents)
  if (!outer.ok) return outer
  const pdu = decodePdu(contents)
  if (!pdu.ok) return pdu
  return decoded({
    destination,
    source,
    ...(vlan === undefined ? {} : { vlan }),
    appId,
    isSimulated,
    pdu: pdu.value,
  })
}

function encodePdu(pdu: GoosePdu): Uint8Array {
  const entries = writeOctets('GOOSE data')
  for (const entry of pdu.entries) putData(entries, entry)
  const writer = writeOctets('GOOSE PDU')
  putText(writer, 0x80, pdu.controlBlockReference)
  putInteger(writer, 0x81, pdu.timeAllowedToLiveMs, 'timeAllowedtoLive')
  putText(writer, 0x82, pdu.dataSet)
  putText(writer, 0x83, pdu.id)
  putElement(writer, 0x84, encodeUtcTime(pdu.time))
  putInteger(writer, 0x85, pdu.stateNumber, 'stNum')
  putInteger(writer, 0x86, pdu.sequenceNumber, 'sqNum')
  putBoolean(writer, 0x87, pdu.simulation)
  putInteger(writer, 0x88, pdu.configurationRevision, 'confRev')
  putBoolean(writer, 0x89, pdu.needsCommissioning)
  putInteger(writer, 0x8a, pdu.entries.length, 'numDatSetEntries')
  putElement(writer, 0xab, entries.done())
  return putElement(writeOctets('GOOSE PDU'), 0x61, writer.done()).done()
}

function putText(writer: OctetWriter, tag: number, text: string): void {
  if (!isVisible(text)) {
    throw new GridError('malformed_frame', `Cannot encode GOOSE PDU: text "${text}" holds more than ASCII`)
  }
  putElement(
    writer,
    tag,
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
  )
}

function isVisible(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function putInteger(writer: OctetWriter, tag: number, value: number, field: string): void {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new GridError(
      'malformed_frame',
      `Cannot encode GOOSE PDU: ${field} is ${value}, expected 0 to 4294967295`,
    )
  }
  putElement(writer, tag, toIntegerOctets(value))
}

function putBoolean(writer: OctetWriter, tag: number, value: boolean): void {
  putElement(writer, tag, Uint8Array.of(value ? 1 : 0))
}

function encodeUtcTime(time: UtcTime): Uint8Array {
  return writeOctets('UTC time')
    .u32(time.seconds, 'seconds')
    .u24(time.fraction, 'fraction')
    .u8(time.quality, 'quality')
    .done()
}

function putData(writer: OctetWriter, data: MmsData): void {
  switch (data.kind) {
    case 'boolean':
      putBoolean(writer, 0x83, data.value)
      return
    case 'bit_string':
      putElement(writer, 0x84, Uint8Array.of(data.unusedBits, ...data.bytes))
      return
    case 'integer':
      putElement(writer, 0x85, toIntegerOctets(data.value))
      return
    case 'unsigned':
      putInteger(writer, 0x86, data.value, 'unsigned')
      return
    case 'float':
      putElement(writer, 0x87, writeOctets('float').u8(8, 'exponent width').f32(data.value).done())
      return
    case 'octet_string':
      putElement(writer, 0x89, data.bytes)
      return
    case 'visible_string':
      putText(writer, 0x8a, data.value)
      return
    case 'utc_time':
      putElement(writer, 0x91, encodeUtcTime(data.value))
      return
    default: {
      const inner = writeOctets('GOOSE data')
      for (const entry of data.entries) putData(inner, entry)
      putElement(writer, data.kind === 'array' ? 0xa1 : 0xa2, inner.done())
    }
  }
}

function decodePdu(contents: Uint8Array): Decoded<GoosePdu> {
  const reader = readOctets(contents, 'GOOSE PDU')
  const controlBlockReference = takeText(reader, 0x80, 'gocbRef')
  const timeAllowedToLiveMs = takeInteger(reader, 0x81, 'timeAllowedtoLive')
  const dataSet = takeText(reader, 0x82, 'datSet')
  const id = takeText(reader, 0x83, 'goID')
  const time = toTime(reader, takeTagged(reader, 0x84, 't'))
  const stateNumber = takeInteger(reader, 0x85, 'stNum')
  const sequenceNumber = takeInteger(reader, 0x86, 'sqNum')
  const simulation = toBoolean(reader, takeTagged(reader, 0x87, 'simulation'))
  const configurationRevision = takeInteger(reader, 0x88, 'confRev')
  const needsCommissioning = toBoolean(reader, takeTagged(reader, 0x89, 'ndsCom'))
  const count = takeInteger(reader, 0x8a, 'numDatSetEntries')
  const outcome = decodeEntries(takeTagged(reader, 0xab, 'allData'), 0)
  if (!outcome.ok) {
    const { code, field, message } = outcome.fault
    reader.fail(code, field, message.replace(/^.*?: /, ''))
  }
  const entries = outcome.ok ? outcome.value : []
  if (count !== entries.length) {
    reader.fail('length', 'numDatSetEntries', `numDatSetEntries is ${count}, ${entries.length} are there`)
  }
  return reader.finish({
    controlBlockReference,
    timeAllowedToLiveMs,
    dataSet,
    id,
    time,
    stateNumber,
    sequenceNumber,
    simulation,
    configurationRevision,
    needsCommissioning,
    entries,
  })
}

function takeText(reader: OctetReader, tag: number, field: string): string {
  return toText(reader, takeTagged(reader, tag, field), field)
}

function toText(reader: OctetReader, octets: Uint8Array, field: string): string {
  const text = String.fromCharCode(...octets)
  if (!isVisible(text)) reader.fail('value', field, `${field} holds more than ASCII`)
  return text
}

function takeInteger(reader: OctetReader, tag: number, field: string): number {
  const value = fromIntegerOctets(takeTagged(reader, tag, field))
  if (value === undefined || value < 0 || value > 0xffffffff) {
    reader.fail('value', field, `${field} is not an integer from 0 to 4294967295`)
    return 0
  }
  return value
}

function toBoolean(reader: OctetReader, octets: Uint8Array): boolean {
  if (octets.length !== 1)
    reader.fail('length', 'boolean', `a boolean takes ${octets.length} octets, expected 1`)
  return (octets[0] ?? 0) !== 0
}

function toTime(reader: OctetReader, octets: Uint8Array): UtcTime {
  if (octets.length !== 8) reader.fail('length', 't', `UTC time takes ${octets.length} octets, expected 8`)
  const inner = readOctets(octets, 'UTC time')
  return { seconds: inner.u32('seconds'), fraction: inner.u24('fraction'), quality: inner.u8('quality') }
}

/** Data may nest; real data sets nest less deeply, and this bound keeps hostile octets from exhausting the stack. */
const maximumDepth = 8

function decodeEntries(contents: Uint8Array, depth: number): Decoded<readonly MmsData[]> {
  const reader = readOctets(contents, 'GOOSE data')
  const entries: MmsData[] = []
  if (depth > maximumDepth) reader.fail('value', 'allData', `data nests deeper than ${maximumDepth}`)
  while (reader.remaining() > 0 && !reader.failed()) {
    const { tag, contents: octets } = takeElement(reader, 'data')
    if (reader.failed()) break
    const entry = toData(reader, tag, octets, depth)
    if (entry !== undefined) entries.push(entry)
  }
  return reader.finish(entries)
}

function toData(reader: OctetReader, tag: number, octets: Uint8Array, depth: number): MmsData | undefined {
  switch (tag) {
    case 0x83:
      return { kind: 'boolean', value: toBoolean(reader, octets) }
    case 0x84: {
      const unusedBits = octets[0] ?? 8
      if (unusedBits > 7) reader.fail('value', 'bit string', `${unusedBits} unused bits, expected 0 to 7`)
      return { kind: 'bit_string', unusedBits, bytes: octets.slice(1) }
    }
    case 0x85:
    case 0x86: {
      const value = fromIntegerOctets(octets)
      if (value === undefined) reader.fail('length', 'integer', `an integer of ${octets.length} octets`)
      if (tag === 0x86 && (value ?? 0) < 0)
        reader.fail('value', 'unsigned', `an unsigned integer is ${value}`)
      return { kind: tag === 0x85 ? 'integer' : 'unsigned', value: value ?? 0 }
    }
    case 0x87:
      if (octets.length !== 5 || octets[0] !== 8)
        reader.fail('unsupported', 'float', 'only 32-bit floats are read')
      return { kind: 'float', value: readOctets(octets.subarray(1), 'float').f32('value') }
    case 0x89:
      return { kind: 'octet_string', bytes: octets }
    case 0x8a:
      return { kind: 'visible_string', value: toText(reader, octets, 'visible string') }
    case 0x91:
      return { kind: 'utc_time', value: toTime(reader, octets) }
    case 0xa1:
    case 0xa2: {
      const outcome = decodeEntries(octets, depth + 1)
      if (!outcome.ok) {
        reader.fail(outcome.fault.code, outcome.fault.field, outcome.fault.message.replace(/^.*?: /, ''))
        return undefined
      }
      return { kind: tag === 0xa1 ? 'array' : 'structure', entries: outcome.value }
    }
    default:
      reader.fail('unsupported', 'data', `data with tag 0x${tag.toString(16)} is not one that we read`)
      return undefined
  }
}
