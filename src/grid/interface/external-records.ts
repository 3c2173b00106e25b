/** Packets and captures of an outside simulator as records like those of the engine. */

import { decodeBase64 } from '../../base/base64.ts'
import type { ReadFrame } from '../export/read-capture.ts'
import { type IdentifiedFrame, identifyFrame } from '../protocols/identify.ts'
import { describe, severityByStatus, summarizePacket, toIsoTime, toSeconds } from '../records/incident.ts'
import type { NewRecords } from '../records/records.ts'
import type { IncidentRecord, IncidentStatus, PacketRecord, PacketSummary } from '../types.ts'
import { type IngestedPacket, toIncidentStatus } from './ingest-requests.ts'

/** Turns the frames of a capture file into records: clean ones, because a capture does not say what was done to it. */
export function recordCaptured(read: readonly ReadFrame[], numbering: Numbering): NewRecords {
  const incidents: IncidentRecord[] = []
  const packets: PacketSummary[] = []
  const frames = read.map((captured, index): PacketRecord => {
    const identified = identifyFrame(captured.bytes)
    const frame = capturedFrame(captured, identified, numbering.nextFrameNo + index)
    // Segments that only serve TCP are frames and no messages, as in a session of our own.
    if (identified === undefined || identified.protocol !== 'TCP') {
      packets.push(summarizePacket(frame))
      incidents.push(capturedIncident(frame, numbering.newId()))
    }
    return frame
  })
  return { incidents, packets, frames }
}

function capturedFrame(
  { timeUs, bytes }: ReadFrame,
  identified: IdentifiedFrame | undefined,
  frameNo: number,
): PacketRecord {
  const { src = '', dst = '' } = identified ?? {}
  return {
    frameNo,
    timeUs,
    bytes,
    protocol: identified?.protocol ?? 'unknown',
    status: identified === undefined ? 'invalid' : 'clean',
    src,
    dst,
    flow: [src, dst].sort().join('-'),
    payloadLength: identified?.payload.length ?? 0,
    latencyMs: 0,
    tap: 'after',
    label: null,
  }
}

function capturedIncident({ frameNo, timeUs, protocol, status, src, dst }: PacketRecord, id: string): IncidentRecord {
  const [source, destination] = [splitEnd(src), splitEnd(dst)]
  return {
    id,
    timestamp: toSeconds(timeUs),
    timestamp_iso: toIsoTime(timeUs),
    protocol,
    ...(source.host === '' ? {} : { src_ip: source.host, dst_ip: destination.host }),
    attack_type: 'NONE',
    status,
    severity: severityByStatus[status],
    description: describe(protocol, status, 'NONE'),
    frame_no: frameNo,
  }
}

/** The numbers and ids that the session gives to new records. */
export interface Numbering {
  /** The number of the next captured frame. */
  readonly nextFrameNo: number
  /** Gives eight random hex characters. */
  readonly newId: () => string
}

/**
 * Turns ingested messages into records: each becomes an incident and a packet, and a frame of the capture when
 * `raw_b64` holds a whole Ethernet frame.
 */
export function recordIngested(packets: readonly IngestedPacket[], numbering: Numbering): NewRecords {
  const incidents: IncidentRecord[] = []
  const summaries: PacketSummary[] = []
  const frames: PacketRecord[] = []
  for (const packet of packets) {
    const read = readPacket(packet, numbering.nextFrameNo + frames.length)
    incidents.push(toIncident(packet, read, numbering.newId()))
    summaries.push(toSummary(packet, read))
    if (read.raw !== undefined && read.identified !== undefined) {
      frames.push(toFrame(packet, read, read.raw, read.identified))
    }
  }
  return { incidents, packets: summaries, frames }
}

/** Fields that the records of one ingested message have in common. */
interface ReadPacket {
  readonly status: IncidentStatus
  /** The type of the attack, `NONE` without one. */
  readonly attack: string
  readonly timeUs: number
  readonly raw: Uint8Array | undefined
  /** Undefined where there is no whole Ethernet frame. */
  readonly identified: IdentifiedFrame | undefined
  /** The number of its frame, if it has one. */
  readonly frameNo: number
  readonly src: string
  readonly dst: string
}

function readPacket(packet: IngestedPacket, frameNo: number): ReadPacket {
  const raw = packet.raw_b64 === undefined ? undefined : decodeBase64(packet.raw_b64)
  const identified = raw === undefined ? undefined : identifyFrame(raw)
  return {
    status: toIncidentStatus(packet.status),
    attack: packet.attack_type?.trim() || 'NONE',
    timeUs: Math.round(packet.timestamp * 1_000_000),
    raw,
    identified,
    frameNo,
    src: packet.src ?? identified?.src ?? '',
    dst: packet.dst ?? identified?.dst ?? '',
  }
}

function toIncident(packet: IngestedPacket, read: ReadPacket, id: string): IncidentRecord {
  const { status, attack, timeUs, identified, frameNo } = read
  const [source, destination] = [splitEnd(read.src), splitEnd(read.dst)]
  return {
    id,
    timestamp: toSeconds(timeUs),
    timestamp_iso: toIsoTime(timeUs),
    protocol: packet.protocol,
    ...(source.host === '' ? {} : { src_ip: source.host }),
    ...(destination.host === '' ? {} : { dst_ip: destination.host }),
    attack_type: attack,
    status,
    severity: severityByStatus[status],
    description: packet.description ?? describe(packet.protocol, status, attack),
    ...(packet.original_val === undefined ? {} : { original_val: packet.original_val }),
    ...(packet.modified_val === undefined ? {} : { modified_val: packet.modified_val }),
    ...(source.port === undefined ? {} : { src_port: source.port }),
    ...(destination.port === undefined ? {} : { dst_port: destination.port }),
    ...(identified === undefined ? {} : { frame_no: frameNo }),
  }
}

function toFrame(
  { protocol }: IngestedPacket,
  { status, attack, timeUs, frameNo, src, dst }: ReadPacket,
  bytes: Uint8Array,
  { payload }: IdentifiedFrame,
): PacketRecord {
  const isLabelled = status !== 'clean' && attack !== 'NONE'
  return {
    frameNo,
    timeUs,
    bytes,
    protocol,
    status,
    src,
    dst,
    flow: [src, dst].sort().join('-'),
    payloadLength: payload.length,
    latencyMs: 0,
    tap: status === 'dropped' ? 'before' : 'after',
    label: isLabelled ? { attack_id: attack, attack_type: attack, technique: null, changes: [] } : null,
  }
}

function toSummary({ protocol }: IngestedPacket, read: ReadPacket): PacketSummary {
  const { status, attack, timeUs, raw, identified, frameNo, src, dst } = read
  return {
    timestamp: toSeconds(timeUs),
    protocol,
    status,
    attack,
    src,
    dst,
    len: identified?.payload.length ?? raw?.length ?? 0,
    forwarded: status !== 'dropped',
    latency_ms: 0,
    frame_no: identified === undefined ? 0 : frameNo,
  }
}

/** Splits `192.0.2.1:502`; any other text, such as one with a port beyond 65535, is a name. */
function splitEnd(end: string): { readonly host: string; readonly port?: number } {
  const match = /^(\d+\.\d+\.\d+\.\d+):(\d{1,5})$/.exec(end)
  const port = Number(match?.[2])
  return match?.[1] === undefined || port > 65_535 ? { host: end } : { host: match[1], port }
}
