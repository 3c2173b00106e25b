/** Packets and captures of an outside simulator as records like those of the engine. */

import { decodeBase64 } from '../../base/base64.ts'
import type { ReadFrame } from '../export/read-capture.ts'
import { identifyFrame } from '../protocols/identify.ts'
import { describe, severityByStatus, summarizePacket, toIsoTime, toSeconds } from '../records/incident.ts'
import type { NewRecords } from '../records/records.ts'
import type { IncidentRecord, PacketRecord, PacketSummary } from '../types.ts'
import { type IngestedPacket, toIncidentStatus } from './ingest-requests.ts'

/** Turns the frames of a capture file into records: clean ones, because a capture does not say what was done to it. */
export function recordCaptured(read: readonly ReadFrame[], numbering: Numbering): NewRecords {
  const incidents: IncidentRecord[] = []
  const packets: PacketSummary[] = []
  const frames = read.map(({ timeUs, bytes }, index): PacketRecord => {
    const identified = identifyFrame(bytes)
    const frame: PacketRecord = {
      frameNo: numbering.nextFrameNo + index,
      timeUs,
      bytes,
      protocol: identified?.protocol ?? 'unknown',
      status: identified === undefined ? 'invalid' : 'clean',
      src: identified?.src ?? '',
      dst: identified?.dst ?? '',
      flow: [identified?.src ?? '', identified?.dst ?? ''].sort().join('-'),
      payloadLength: identified?.payload.length ?? 0,
      latencyMs: 0,
      tap: 'after',
      label: null,
    }
    // Segments that only serve TCP are frames and no messages, as in a session of our own.
    if (identified === undefined || identified.protocol !== 'TCP') {
      const [source, destination] = [splitEnd(frame.src), splitEnd(frame.dst)]
      packets.push(summarizePacket(frame))
      incidents.push({
        id: numbering.newId(),
        timestamp: toSeconds(timeUs),
        timestamp_iso: toIsoTime(timeUs),
        protocol: frame.protocol,
        ...(source.host === '' ? {} : { src_ip: source.host, dst_ip: destination.host }),
        attack_type: 'NONE',
        status: frame.status,
        severity: severityByStatus[frame.status],
        description: describe(frame.protocol, frame.status, 'NONE'),
        frame_no: frame.frameNo,
      })
    }
    return frame
  })
  return { incidents, packets, frames }
}

/** What numbering records needs from the session. */
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
    const status = toIncidentStatus(packet.status)
    const attack = packet.attack_type?.trim() || 'NONE'
    const timeUs = Math.round(packet.timestamp * 1_000_000)
    const raw = packet.raw_b64 === undefined ? undefined : decodeBase64(packet.raw_b64)
    const identified = raw === undefined ? undefined : identifyFrame(raw)
    const frameNo = numbering.nextFrameNo + frames.length
    const [src, dst] = [packet.src ?? identified?.src ?? '', packet.dst ?? identified?.dst ?? '']
    const source = splitEnd(src)
    const destination = splitEnd(dst)
    incidents.push({
      id: numbering.newId(),
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
    })
    if (raw !== undefined && identified !== undefined) {
      frames.push({
        frameNo,
        timeUs,
        bytes: raw,
        protocol: packet.protocol,
        status,
        src,
        dst,
        flow: [src, dst].sort().join('-'),
        payloadLength: identified.payload.length,
        latencyMs: 0,
        tap: status === 'dropped' ? 'before' : 'after',
        label:
          status === 'clean' || attack === 'NONE'
            ? null
            : { attack_id: attack, attack_type: attack, technique: null, changes: [] },
      })
    }
    summaries.push({
      timestamp: toSeconds(timeUs),
      protocol: packet.protocol,
      status,
      attack,
      src,
      dst,
      len: identified?.payload.length ?? raw?.length ?? 0,
      forwarded: status !== 'dropped',
      latency_ms: 0,
      frame_no: identified === undefined ? 0 : frameNo,
    })
  }
  return { incidents, packets: summaries, frames }
}

/** Splits `192.0.2.1:502`; anything else, a port beyond 65535 too, is a name as it stands. */
function splitEnd(end: string): { readonly host: string; readonly port?: number } {
  const match = /^(\d+\.\d+\.\d+\.\d+):(\d{1,5})$/.exec(end)
  const port = Number(match?.[2])
  return match?.[1] === undefined || port > 65_535 ? { host: end } : { host: match[1], port }
}
