/** Fields of an incident: its severity by status, its times, its sentence, and the packet summary. */

import type { IncidentStatus, PacketRecord, PacketSummary, Severity } from '../types.ts'

/** Severity of an incident that had no effect on the grid. */
export const severityByStatus: Readonly<Record<IncidentStatus, Severity>> = {
  clean: 'INFO',
  attacked: 'HIGH',
  dropped: 'MEDIUM',
  invalid: 'LOW',
}

/** Writes integer microseconds since the epoch as ISO 8601 with six decimals and the offset `+00:00`. */
export function toIsoTime(timeUs: number): string {
  const milliseconds = Math.floor(timeUs / 1000)
  const rest = String(timeUs - milliseconds * 1000).padStart(3, '0')
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${rest}+00:00`
}

/** Writes integer microseconds since the epoch as Unix seconds. */
export function toSeconds(timeUs: number): number {
  return timeUs / 1_000_000
}

/** The sentence of an incident whose attack gives no description. */
export function describe(protocol: string, status: IncidentStatus, attackType: string): string {
  return status === 'clean' ? `${protocol} ${status} packet` : `${protocol} ${status} packet (${attackType})`
}

/** Shortens a captured frame to its summary. */
export function summarizePacket(frame: PacketRecord): PacketSummary {
  return {
    timestamp: toSeconds(frame.timeUs),
    protocol: frame.protocol,
    status: frame.status,
    attack: frame.label?.attack_type ?? 'NONE',
    src: frame.src,
    dst: frame.dst,
    len: frame.payloadLength,
    forwarded: frame.status !== 'dropped',
    latency_ms: frame.latencyMs,
    frame_no: frame.frameNo,
  }
}
