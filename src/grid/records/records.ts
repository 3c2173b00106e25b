/** The records that a simulation retains, and the slices that `limit` and `proto` of a request choose. */

import { suggest } from '../../base/nearest.ts'
import { createRing, firstRetained, listRing, pushRing, type Ring } from '../../base/ring.ts'
import { protocolNames } from '../protocols/catalogue.ts'
import type { IncidentRecord, PacketRecord, PacketSummary, ProtocolName } from '../types.ts'
import { sliceLast } from './limit.ts'

/** Numbers of records of each kind that are retained, and that a request gets when it names no limit. */
export const retention = {
  incidents: 10_000,
  packets: 1_000,
  /** Captured frames are bounded twice: by number and by octets. */
  frames: 20_000,
  frameBytes: 4 * 1024 * 1024,
  defaultIncidents: 100,
  defaultPackets: 50,
} as const

/** The retained records of one session. */
export interface Records {
  readonly incidents: Ring<IncidentRecord>
  readonly packets: Ring<PacketSummary>
  readonly frames: Ring<PacketRecord>
  /** Oldest frame still inside the bound on octets, counted from zero for the life of the session. */
  firstFrame: number
  frameBytes: number
  /** Number of retained incidents that have the status `attacked`. */
  attacked: number
}

/** The records that one step adds. */
export interface NewRecords {
  readonly incidents: readonly IncidentRecord[]
  readonly packets: readonly PacketSummary[]
  readonly frames: readonly PacketRecord[]
}

/** Records of a session in which nothing has happened yet. */
export function createRecords(): Records {
  return {
    incidents: createRing(retention.incidents),
    packets: createRing(retention.packets),
    frames: createRing(retention.frames),
    firstFrame: 0,
    frameBytes: 0,
    attacked: 0,
  }
}

/** Numbers of records so far, of the kinds that are numbered. */
export interface RecordCounts {
  readonly incidents: number
  readonly frames: number
}

/** Counts records older than the retained ones: numbers continue from all records of the session. */
export function countForgotten(records: Records, { incidents, frames }: RecordCounts): void {
  records.incidents.pushed += incidents
  records.frames.pushed += frames
  records.firstFrame += frames
}

/** Appends what a step produced and forgets what no longer fits. */
export function appendRecords(records: Records, { incidents, packets, frames }: NewRecords): void {
  for (const incident of incidents) {
    if (incident.status === 'attacked') records.attacked += 1
    if (pushRing(records.incidents, incident)?.status === 'attacked') records.attacked -= 1
  }
  for (const packet of packets) pushRing(records.packets, packet)
  for (const frame of frames) appendFrame(records, frame)
}

function appendFrame(records: Records, frame: PacketRecord): void {
  const { frames } = records
  const forgotten = pushRing(frames, frame)
  records.frameBytes += frame.bytes.length
  // A frame that was beyond the bound on octets already is not counted again.
  if (forgotten !== undefined && firstRetained(frames) > records.firstFrame) {
    records.frameBytes -= forgotten.bytes.length
    records.firstFrame += 1
  }
  while (records.frameBytes > retention.frameBytes) {
    const offset = records.firstFrame - firstRetained(frames)
    const oldest = frames.items[(frames.start + offset) % frames.items.length]
    records.frameBytes -= oldest?.bytes.length ?? 0
    records.firstFrame += 1
  }
}

/** Lists the captured frames that lie inside both bounds, oldest first. */
export function capturedFrames(records: Records): PacketRecord[] {
  const { frames } = records
  return listRing(frames).slice(records.firstFrame - firstRetained(frames))
}

/** The parameters of a request for incidents. */
export interface IncidentQuery {
  readonly limit: number
  /** Keeps the incidents of one protocol, in any letter case. */
  readonly proto?: string | undefined
  /** Keeps the incident with this id. */
  readonly id?: string | undefined
  /** Compares a field that no record carries, as the interface's first implementation did. */
  readonly legacyProtoFilter?: boolean
  /** Warnings about ignored parts of the request; the answer repeats them. */
  readonly warnings?: readonly string[]
}

/** Names of the protocols that a session of this engine records. */
const protocols: readonly ProtocolName[] = [...protocolNames, 'SIM']

/** Warns of a filter that names an unknown protocol and so kept nothing: an empty list looks like a quiet network. */
export function warnOfProtocol(query: IncidentQuery, total: number): readonly string[] {
  const { proto = '', legacyProtoFilter = false } = query
  const isKnown = protocols.some((name) => name.toLowerCase() === proto.toLowerCase())
  if (proto === '' || legacyProtoFilter || total > 0 || isKnown) return []
  const right = suggest(proto, protocols, `expected ${protocols.join(', ')}`)
  return [`Unknown protocol "${proto.slice(0, 64)}", ${right}`]
}

/** Answers a request for incidents in chronological order; `total` counts after the filter. */
export function selectIncidents(records: Records, query: IncidentQuery) {
  const named = listRing(records.incidents).filter(({ id }) => query.id === undefined || id === query.id)
  const retained = filterProtocol(named, query)
  const incidents = sliceLast(retained, query.limit)
  return { count: incidents.length, total: retained.length, incidents }
}

function filterProtocol(incidents: readonly IncidentRecord[], query: IncidentQuery): readonly IncidentRecord[] {
  const { proto } = query
  if (proto === undefined || proto === '') return incidents
  if (query.legacyProtoFilter) return incidents.filter((incident) => incident.proto === proto)
  const wanted = proto.toLowerCase()
  return incidents.filter((incident) => incident.protocol.toLowerCase() === wanted)
}

/** Answers a request for packet summaries in chronological order. */
export function selectPackets(records: Records, limit: number) {
  const retained = listRing(records.packets)
  const packets = sliceLast(retained, limit)
  return { count: packets.length, total: retained.length, packets }
}
