/** Drafts of frames and incidents, and the records that they become when a step ends: sorted, numbered, with ids. */

import type { JsonObject } from '../../base/json.ts'
import { memoBounded } from '../../base/memo.ts'
import type { Random } from '../../base/random.ts'
import { drawSpread } from '../link/spread.ts'
import { describe, severityByStatus, summarizePacket, toIsoTime, toSeconds } from '../records/incident.ts'
import type { NewRecords } from '../records/records.ts'
import type {
  Evidence,
  IncidentRecord,
  IncidentStatus,
  PacketRecord,
  PacketSummary,
  Severity,
  TechniqueRef,
} from '../types.ts'
import type { World } from './world.ts'

/** A frame before it has its number. */
export interface FrameDraft extends Omit<PacketRecord, 'frameNo'> {
  /** Frames that only serve TCP are in the capture and in nothing else. */
  readonly isMessage: boolean
  /** The incident of the message that it carries; absent for frames that have none. */
  readonly incident?: IncidentDraft | undefined
}

/** An incident before it has its id and the number of its frame. */
export interface IncidentDraft {
  readonly protocol: string
  readonly status: IncidentStatus
  readonly attackType: string
  readonly attackId?: string
  readonly technique?: TechniqueRef | null
  readonly description?: string
  readonly evidence?: Evidence
  readonly srcNode: string
  readonly dstNode: string
  severity?: Severity
  impact?: JsonObject
}

/** The fields of a frame that no attacker has touched and that carries no message. */
export const noMessage = {
  status: 'clean',
  payloadLength: 0,
  latencyMs: 0,
  tap: 'after',
  label: null,
  isMessage: false,
} as const

/** Records that the clock jumped: the time between was not computed. */
export function recordGap(drafts: FrameDraft[], description: string, timeUs: number): void {
  drafts.push({
    ...noMessage,
    timeUs,
    bytes: new Uint8Array(0),
    protocol: 'SIM',
    src: '',
    dst: '',
    flow: '',
    incident: { protocol: 'SIM', status: 'clean', attackType: 'NONE', description, srcNode: '', dstNode: '' },
  })
}

/** Sorts the drafts of a step and gives them numbers and ids; `world` takes the next number and the last time. */
export function assignNumbers(
  drafts: FrameDraft[],
  world: Pick<World, 'configuration' | 'nextFrameNo' | 'lastFrameUs'>,
  ids: Random,
): NewRecords {
  const incidents: IncidentRecord[] = []
  const packets: PacketSummary[] = []
  const frames: PacketRecord[] = []
  const { seed } = world.configuration
  const seen = drafts.map((draft) => ({ draft, seenUs: draft.timeUs + toPathUs(seed, draft) }))
  // Equal times stay in the order in which they were recorded: sorting is stable.
  seen.sort((a, b) => a.seenUs - b.seenUs)
  for (const { draft, seenUs } of seen) {
    // An answer may be later than the end of its step: times in a capture must not decrease.
    const timeUs = Math.max(seenUs, world.lastFrameUs)
    world.lastFrameUs = timeUs
    const frame = toRecord(draft, timeUs, world.nextFrameNo)
    if (draft.bytes.length > 0) {
      frames.push(frame)
      world.nextFrameNo += 1
    }
    const { incident } = draft
    if (incident === undefined) continue
    if (draft.isMessage) packets.push(summarizePacket(frame))
    const id = ids.uint32().toString(16).padStart(8, '0')
    incidents.push(toIncident(incident, frame, id))
  }
  return { incidents, packets, frames }
}

/** Microseconds from a device to the tap: fewer than between any two frames of one flow, so that none overtakes. */
function toPathUs(seed: number, { bytes, timeUs }: FrameDraft): number {
  return bytes.length === 0 ? 0 : Math.floor(drawSpread(seed, timeUs) * 50)
}

function toRecord(draft: FrameDraft, timeUs: number, frameNo: number): PacketRecord {
  const { bytes, protocol, status, src, dst, flow, payloadLength, latencyMs, tap, label, shift } = draft
  const record = { bytes, src, dst, flow, timeUs, protocol, status, payloadLength, latencyMs, tap, label, frameNo }
  return shift === undefined ? record : { ...record, shift }
}

/** An incident while it is made: its fields in the order in which they are shown. */
type MutableIncident = { -readonly [Field in keyof IncidentRecord]: IncidentRecord[Field] }

/** Fields are added one by one: thousands of incidents are kept, and spreading makes each one larger and slower. */
function toIncident(draft: IncidentDraft, frame: PacketRecord, id: string): IncidentRecord {
  const source = splitEnd(frame.src)
  const destination = splitEnd(frame.dst)
  const { protocol, status, attackType, evidence } = draft
  // Its required fields follow.
  const incident = {} as MutableIncident
  incident.id = id
  incident.timestamp = toSeconds(frame.timeUs)
  incident.timestamp_iso = toIsoTime(frame.timeUs)
  incident.protocol = protocol
  if (source.host !== '') {
    incident.src_ip = source.host
    incident.dst_ip = destination.host
  }
  incident.attack_type = attackType
  incident.status = status
  incident.severity = draft.severity ?? severityByStatus[status]
  incident.description = draft.description ?? describe(protocol, status, attackType)
  if (evidence !== undefined) incident.evidence = evidence
  if (draft.attackId !== undefined) incident.attack_id = draft.attackId
  if (draft.technique !== undefined && draft.technique !== null) incident.technique = draft.technique
  if (draft.impact !== undefined) incident.impact = draft.impact
  if (draft.srcNode !== '') {
    incident.src_node = draft.srcNode
    incident.dst_node = draft.dstNode
  }
  if (source.port !== undefined) incident.src_port = source.port
  if (destination.port !== undefined) incident.dst_port = destination.port
  if (frame.bytes.length > 0) incident.frame_no = frame.frameNo
  return incident
}

/** The two parts of `address:port`. */
interface End {
  readonly host: string
  readonly port?: number
}

/** Ends by their text: the same few devices send every frame, and all their records share the parts. */
const splitEnd = memoBounded(4096, (text: string): End => {
  const at = text.indexOf('.') === -1 ? -1 : text.lastIndexOf(':')
  return at === -1 ? { host: text } : { host: text.slice(0, at), port: Number(text.slice(at + 1)) }
})
