/** The frames of a capture file in order: retained frames, and the configurations that a dissector needs for them. */

import { decodeFrame, type LinkFrame } from '../link/frame.ts'
import { encodeDatagram, encodeTcpFrame, renumberTcp } from '../link/ip-frame.ts'
import { maximumSegmentSize } from '../link/tcp-flow.ts'
import { encodeC37118 } from '../protocols/c37118.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import type { IncidentStatus, PacketLabel, PacketRecord } from '../types.ts'

/** Configurations by the IDCODE of their stream, for streams whose CFG-2 is no longer retained. */
export type KnownConfigurations = ReadonlyMap<number, C37118Configuration>

/** One frame of a capture file. */
export interface CaptureFrame {
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  readonly bytes: Uint8Array
  readonly tap: 'before' | 'after'
  readonly status: IncidentStatus
  readonly label: PacketLabel | null
  /** Absent for frames that the export adds; for a frame that both sides saw, the record of the receivers' side. */
  readonly record?: PacketRecord
}

/**
 * Yields the frames of a capture; a clean one was seen at both taps and comes twice. A stream of C37.118 data that
 * begins without its CFG-2 gets one of `configurations` in front, over TCP with the sequence numbers before the data
 * and before its first acknowledgment.
 */
export function* captureFrames(
  records: readonly PacketRecord[],
  configurations: KnownConfigurations,
): Generator<CaptureFrame> {
  const streams = { configurations, firstData: findFirstData(records), announced: new Set<string>() }
  for (const record of records) {
    const isOnBoth = record.tap === 'after' && record.status === 'clean'
    if (isOnBoth) {
      for (const frame of sightings(asSent(record), streams))
        yield frame.record === undefined ? frame : { ...frame, record }
    }
    yield* sightings(record, streams)
  }
}

/** Configurations of the streams of C37.118 data in a capture, as far as they are known. */
interface Streams {
  readonly configurations: KnownConfigurations
  /** The IDCODE of each stream that begins with data, by its ends. */
  readonly firstData: ReadonlyMap<string, number>
  /** The streams that have their configuration, by tap and ends. */
  readonly announced: Set<string>
}

/** Finds the streams that begin with data: no record before has their configuration. */
function findFirstData(records: readonly PacketRecord[]): ReadonlyMap<string, number> {
  const seen = new Set<string>()
  const found = new Map<string, number>()
  for (const { protocol, src, dst, bytes } of records) {
    if (protocol !== 'C37.118') continue
    const ends = `${src} ${dst}`
    if (seen.has(ends)) continue
    const outcome = decodeFrame(bytes)
    const head = outcome.ok && 'payload' in outcome.value ? readHead(outcome.value.payload) : undefined
    if (head?.kind !== dataFrame && head?.kind !== configurationFrame) continue
    seen.add(ends)
    if (head.kind === dataFrame) found.set(ends, head.idCode)
  }
  return found
}

/** Yields one frame at one tap, behind the configuration that a dissector needs for it. */
function* sightings(record: PacketRecord, streams: Streams): Generator<CaptureFrame> {
  if (record.protocol === 'C37.118') yield* announce(record, streams)
  else if (record.protocol === 'TCP') yield* announceAcknowledged(record, streams)
  const { timeUs, bytes, tap, status, label } = record
  yield { timeUs, bytes, tap, status, label, record }
}

/** A clean frame as the tap on its sender's side saw it. */
function asSent(record: PacketRecord): PacketRecord {
  const { bytes, shift } = record
  return { ...record, tap: 'before', bytes: shift === undefined ? bytes : renumberTcp(bytes, shift) }
}

/** Yields the configuration of a stream before its first data, unless the stream has sent one. */
function* announce(record: PacketRecord, { configurations, announced }: Streams): Generator<CaptureFrame> {
  const stream = `${record.tap} ${record.src} ${record.dst}`
  if (announced.has(stream)) return
  const outcome = decodeFrame(record.bytes)
  if (!outcome.ok) return
  const frame = outcome.value
  if (frame.carrier !== 'udp' && frame.carrier !== 'tcp') return
  const head = readHead(frame.payload)
  // A command travels towards the PMU and a header says nothing about data: the stream still needs its configuration.
  if (head?.kind !== dataFrame && head?.kind !== configurationFrame) return
  announced.add(stream)
  const { kind, idCode } = head
  const configuration = configurations.get(idCode)
  if (kind === configurationFrame || configuration === undefined) return
  yield* announcement(record, frame, idCode, configuration)
}

/** Yields the configuration of a stream before an acknowledgment of data that comes before the data in the capture. */
function* announceAcknowledged(
  record: PacketRecord,
  { configurations, firstData, announced }: Streams,
): Generator<CaptureFrame> {
  const ends = `${record.dst} ${record.src}`
  const idCode = firstData.get(ends)
  const configuration = idCode === undefined ? undefined : configurations.get(idCode)
  if (idCode === undefined || configuration === undefined || announced.has(`${record.tap} ${ends}`)) return
  const outcome = decodeFrame(record.bytes)
  if (!outcome.ok || outcome.value.carrier !== 'tcp' || outcome.value.segment.control.includes('syn')) return
  announced.add(`${record.tap} ${ends}`)
  yield* announcement(record, toAnswer(outcome.value), idCode, configuration)
}

function* announcement(
  { timeUs, tap }: PacketRecord,
  frame: CarrierFrame,
  idCode: number,
  configuration: C37118Configuration,
): Generator<CaptureFrame> {
  const time = { seconds: Math.floor(timeUs / 1e6), fraction: 0, quality: 0 }
  const message = encodeC37118({ kind: 'configuration_2', idCode, time, configuration })
  for (const bytes of encodeInFront(frame, message)) yield { timeUs, bytes, tap, status: 'clean', label: null }
}

type CarrierFrame = Extract<LinkFrame, { carrier: 'udp' | 'tcp' }>

/** A segment of the other end with the numbers that an acknowledgment expects of it. */
function toAnswer(frame: Extract<LinkFrame, { carrier: 'tcp' }>): CarrierFrame {
  const { source, destination, sourceMac, destinationMac, sourcePort, destinationPort, segment } = frame
  return {
    ...frame,
    source: destination,
    destination: source,
    sourceMac: destinationMac,
    destinationMac: sourceMac,
    sourcePort: destinationPort,
    destinationPort: sourcePort,
    segment: { ...segment, sequence: segment.acknowledgment, acknowledgment: segment.sequence },
  }
}

/** The type and the stream of a C37.118 frame (IEEE C37.118.2 clause 6.2); undefined for other octets. */
function readHead([sync, type, , , high, low]: Uint8Array):
  | { readonly kind: number; readonly idCode: number }
  | undefined {
  if (sync !== 0xaa || type === undefined || high === undefined || low === undefined) return undefined
  return { kind: (type >>> 4) & 7, idCode: high * 256 + low }
}

const dataFrame = 0
const configurationFrame = 3

/** Encodes the frames that carry a message in front of a frame of the same flow. */
function encodeInFront(frame: CarrierFrame, message: Uint8Array): Uint8Array[] {
  const from = { mac: frame.sourceMac, ip: frame.source, port: frame.sourcePort }
  const to = { mac: frame.destinationMac, ip: frame.destination, port: frame.destinationPort }
  const ip = { identification: 0, timeToLive: frame.timeToLive }
  if (frame.carrier === 'udp') return [encodeDatagram(from, to, message, ip)]
  const { sequence, acknowledgment, window } = frame.segment
  // The last segment ends where that of the frame begins.
  const first = sequence - message.length + 2 ** 32
  const frames: Uint8Array[] = []
  for (let at = 0; at < message.length; at += maximumSegmentSize) {
    const payload = message.subarray(at, at + maximumSegmentSize)
    const control = ['ack', 'psh'] as const
    const segment = { sequence: (first + at) % 2 ** 32, acknowledgment, control, window, payload }
    frames.push(encodeTcpFrame(from, to, segment, ip))
  }
  return frames
}
