/** The frames of a capture file in order: retained frames, and the configurations that a dissector needs for them. */

import { encodeEthernet, etherType } from '../link/ethernet.ts'
import { decodeFrame, type LinkFrame, renumberTcp } from '../link/frame.ts'
import { encodeIpv4, ipProtocol } from '../link/ipv4.ts'
import { encodeTcp, type TcpSegment } from '../link/tcp.ts'
import { maximumSegmentSize } from '../link/tcp-flow.ts'
import { encodeUdp } from '../link/udp.ts'
import { encodeC37118 } from '../protocols/c37118.ts'
import type { C37118Configuration } from '../protocols/c37118-configuration.ts'
import type { IncidentStatus, PacketLabel, PacketRecord } from '../types.ts'

/** Configurations by the IDCODE of their stream, for streams whose own configuration is no longer retained. */
export type KnownConfigurations = ReadonlyMap<number, C37118Configuration>

/** One frame of a capture file. */
export interface CaptureFrame {
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  readonly bytes: Uint8Array
  readonly tap: 'before' | 'after'
  readonly status: IncidentStatus
  readonly label: PacketLabel | null
  /** Absent for frames that the export adds. */
  readonly record?: PacketRecord
}

/**
 * Yields the frames of a capture, those that no attacker touched once for each tap: both sides saw them. Each stream of
 * C37.118 data that begins without its CFG-2 gets one in front of it, on the same flow and with fitting TCP sequence
 * numbers, because the data cannot be read without it.
 *
 * @param configurations - what the sessions' PMUs would announce, by IDCODE.
 */
export function* captureFrames(
  records: Iterable<PacketRecord>,
  configurations: KnownConfigurations,
): Generator<CaptureFrame> {
  const announced = new Set<string>()
  for (const record of records) {
    const isOnBoth = record.tap === 'after' && record.status === 'clean'
    if (isOnBoth) yield* sightings(asSent(record), configurations, announced)
    yield* sightings(record, configurations, announced)
  }
}

/** One frame at one tap, after the configuration that it needs. */
function* sightings(
  record: PacketRecord,
  configurations: KnownConfigurations,
  announced: Set<string>,
): Generator<CaptureFrame> {
  if (record.protocol === 'C37.118') yield* announce(record, configurations, announced)
  const { timeUs, bytes, tap, status, label } = record
  yield { timeUs, bytes, tap, status, label, record }
}

/** A clean frame as the tap on its sender's side saw it. */
function asSent(record: PacketRecord): PacketRecord {
  const { bytes, shift } = record
  return { ...record, tap: 'before', bytes: shift === undefined ? bytes : renumberTcp(bytes, shift) }
}

function* announce(
  record: PacketRecord,
  configurations: KnownConfigurations,
  announced: Set<string>,
): Generator<CaptureFrame> {
  const stream = `${record.tap} ${record.src} ${record.dst}`
  if (announced.has(stream)) return
  const outcome = decodeFrame(record.bytes)
  if (!outcome.ok) return
  const frame = outcome.value
  if (frame.carrier !== 'udp' && frame.carrier !== 'tcp') return
  const head = readHead(frame.payload)
  // Commands travel towards the PMU and headers say nothing about data: neither settles the stream.
  if (head?.kind !== dataFrame && head?.kind !== configurationFrame) return
  announced.add(stream)
  const { kind, idCode } = head
  const configuration = configurations.get(idCode)
  if (kind === configurationFrame || configuration === undefined) return
  const time = { seconds: Math.floor(record.timeUs / 1e6), fraction: 0, quality: 0 }
  const bytes = encodeC37118({ kind: 'configuration_2', idCode, time, configuration })
  for (const added of inFrontOf(frame, bytes)) {
    yield { timeUs: record.timeUs, bytes: added, tap: record.tap, status: 'clean', label: null }
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

/** Builds the frames that carry a message right before another one on the same flow. */
function inFrontOf(frame: Extract<LinkFrame, { carrier: 'udp' | 'tcp' }>, message: Uint8Array): Uint8Array[] {
  const { source, destination, sourcePort, destinationPort } = frame
  const toBytes = (protocol: number, payload: Uint8Array) =>
    encodeEthernet({
      source: frame.sourceMac,
      destination: frame.destinationMac,
      etherType: etherType.ipv4,
      payload: encodeIpv4({
        source,
        destination,
        identification: 0,
        dontFragment: true,
        timeToLive: 64,
        protocol,
        payload,
      }),
    })
  if (frame.carrier === 'udp') {
    const datagram = encodeUdp({ sourcePort, destinationPort, payload: message }, source, destination)
    return [toBytes(ipProtocol.udp, datagram)]
  }
  return segmentsBefore(frame, message).map((segment) =>
    toBytes(ipProtocol.tcp, encodeTcp(segment, source, destination)),
  )
}

/** Cuts a message into segments whose sequence numbers end where those of a frame begin. */
function segmentsBefore(
  { sourcePort, destinationPort, segment }: Extract<LinkFrame, { carrier: 'tcp' }>,
  message: Uint8Array,
): TcpSegment[] {
  const { sequence, acknowledgment, window } = segment
  const first = (sequence - message.length + 2 ** 32) % 2 ** 32
  const segments: TcpSegment[] = []
  for (let at = 0; at < message.length; at += maximumSegmentSize) {
    segments.push({
      sourcePort,
      destinationPort,
      sequence: (first + at) % 2 ** 32,
      acknowledgment,
      control: ['ack', 'psh'],
      window,
      payload: message.subarray(at, at + maximumSegmentSize),
    })
  }
  return segments
}
