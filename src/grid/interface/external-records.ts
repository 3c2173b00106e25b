/** Packets and captures of an outside simulator as records like those of the engine. */

import { decodeBase64 } from '../../base/base64.ts'
import { snapLength } from '../export/pcap.ts'
import type { ReadFrame } from '../export/read-frames.ts'
import { identifyFrame } from '../protocols/identify.ts'
import { describe, severityByStatus, toIsoTime, toSeconds } from '../records/incident.ts'
import type { NewRecords } from '../records/records.ts'
import type { IncidentRecord, IncidentStatus, PacketRecord, PacketSummary } from '../types.ts'
import { type IngestedPacket, toIncidentStatus } from './ingest-requests.ts'

/** The numbers and ids that the session gives to new records. */
export interface Numbering {
  readonly nextFrameNo: number
  /** Gives eight random hex characters. */
  readonly newId: () => string
}

/** Protocols of frames that serve the network only: frames and no messages, as in a session of our own. */
const serving: ReadonlySet<string> = new Set(['TCP', 'ARP', 'NTP'])

/** Turns the frames of a capture file into records: clean ones, because a capture does not say what was done to it. */
export function recordCaptured(read: readonly ReadFrame[], { nextFrameNo, newId }: Numbering): NewRecords {
  const incidents: IncidentRecord[] = []
  const packets: PacketSummary[] = []
  const frames = read.map(({ timeUs, bytes }, index): PacketRecord => {
    const identified = identifyFrame(bytes)
    const { protocol = 'unknown', src = '', dst = '', payload } = identified ?? {}
    const status = identified === undefined ? 'invalid' : 'clean'
    const payloadLength = payload?.length ?? 0
    const sighting = { timeUs, protocol, status, attack: 'NONE', src, dst, payloadLength } as const
    const frame = toFrame(sighting, nextFrameNo + index, bytes)
    if (!serving.has(protocol)) {
      packets.push(toSummary(sighting, frame.frameNo))
      incidents.push(toIncident(sighting, newId(), frame.frameNo))
    }
    return frame
  })
  return { incidents, packets, frames }
}

/** Turns ingested messages into records: an incident, a packet, and a frame of the capture for a whole frame. */
export function recordIngested(ingested: readonly IngestedPacket[], { nextFrameNo, newId }: Numbering): NewRecords {
  const incidents: IncidentRecord[] = []
  const packets: PacketSummary[] = []
  const frames: PacketRecord[] = []
  for (const packet of ingested) {
    const raw = packet.raw_b64 === undefined ? undefined : decodeBase64(packet.raw_b64)
    // A capture has no room for longer ones.
    const identified = raw === undefined || raw.length > snapLength ? undefined : identifyFrame(raw)
    const sighting = {
      timeUs: Math.round(packet.timestamp * 1_000_000),
      protocol: packet.protocol,
      status: toIncidentStatus(packet.status),
      attack: packet.attack_type?.trim() || 'NONE',
      src: packet.src ?? identified?.src ?? '',
      dst: packet.dst ?? identified?.dst ?? '',
      payloadLength: (identified?.payload ?? raw)?.length ?? 0,
    }
    const frameNo = identified === undefined ? undefined : nextFrameNo + frames.length
    incidents.push(toIncident(sighting, newId(), frameNo, packet))
    packets.push(toSummary(sighting, frameNo))
    if (raw !== undefined && frameNo !== undefined) frames.push(toFrame(sighting, frameNo, raw))
  }
  return { incidents, packets, frames }
}

/** The common part of the records of one message. */
interface Sighting {
  readonly timeUs: number
  readonly protocol: string
  readonly status: IncidentStatus
  /** The type of the attack, `NONE` without one. */
  readonly attack: string
  readonly src: string
  readonly dst: string
  readonly payloadLength: number
}

/** @param packet - what an ingested message says of itself; incidents of captures have no ports. */
function toIncident(
  { timeUs, protocol, status, attack, src, dst }: Sighting,
  id: string,
  frameNo: number | undefined,
  packet?: IngestedPacket,
): IncidentRecord {
  const [source, destination] = [splitEnd(src), splitEnd(dst)]
  return {
    id,
    timestamp: toSeconds(timeUs),
    timestamp_iso: toIsoTime(timeUs),
    protocol,
    ...(source.host === '' ? {} : { src_ip: source.host }),
    ...(destination.host === '' ? {} : { dst_ip: destination.host }),
    attack_type: attack,
    status,
    severity: severityByStatus[status],
    description: packet?.description ?? describe(protocol, status, attack),
    ...(packet?.original_val === undefined ? {} : { original_val: packet.original_val }),
    ...(packet?.modified_val === undefined ? {} : { modified_val: packet.modified_val }),
    ...(packet === undefined || source.port === undefined ? {} : { src_port: source.port }),
    ...(packet === undefined || destination.port === undefined ? {} : { dst_port: destination.port }),
    ...(frameNo === undefined ? {} : { frame_no: frameNo }),
  }
}

function toFrame(sighting: Sighting, frameNo: number, bytes: Uint8Array): PacketRecord {
  const { timeUs, protocol, status, attack, src, dst, payloadLength } = sighting
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
    payloadLength,
    latencyMs: 0,
    tap: status === 'dropped' ? 'before' : 'after',
    label: isLabelled ? { attack_id: attack, attack_type: attack, technique: null, changes: [] } : null,
  }
}

function toSummary(sighting: Sighting, frameNo = 0): PacketSummary {
  const { timeUs, protocol, status, attack, src, dst, payloadLength } = sighting
  return {
    timestamp: toSeconds(timeUs),
    protocol,
    status,
    attack,
    src,
    dst,
    len: payloadLength,
    forwarded: status !== 'dropped',
    latency_ms: 0,
    frame_no: frameNo,
  }
}

/** Splits `192.0.2.1:502`; any other text, such as one with a port beyond 65535, is a name. */
function splitEnd(end: string): { readonly host: string; readonly port?: number } {
  const match = /^(\d+\.\d+\.\d+\.\d+):(\d{1,5})$/.exec(end)
  const port = Number(match?.[2])
  return match?.[1] === undefined || port > 65_535 ? { host: end } : { host: match[1], port }
}
