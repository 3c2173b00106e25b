/** The workshop of one step: what is on its way, what was recorded, and the random streams, all sorted by time. */

import { createRandom, type Random, resumeRandom } from '../base/random.ts'
import type { StreamEvent } from './broadcast.ts'
import { stepUs } from './configuration.ts'
import { describe, severityByStatus, summarizePacket, toIsoTime, toSeconds } from './incident.ts'
import type { Message } from './message.ts'
import type { Network } from './network.ts'
import { streamConfiguration } from './phasor-configuration.ts'
import type { C37118Configuration } from './protocols/c37118.ts'
import type { NewRecords } from './records.ts'
import { planTelecontrol, type Telecontrol } from './telecontrol.ts'
import type {
  Frame,
  Incident,
  IncidentStatus,
  PacketRecord,
  PacketSummary,
  Severity,
  TechniqueRef,
} from './types.ts'
import type { World } from './world.ts'

/** A frame before it has its number. */
export interface FrameDraft extends Omit<PacketRecord, 'frameNo'> {
  /** Frames that only serve TCP are in the capture and in nothing else. */
  readonly isMessage: boolean
  /** What is to be said about the message that it carries. */
  readonly incident?: IncidentDraft
}

/** An incident before it has its id and the number of its frame. */
export interface IncidentDraft {
  readonly protocol: string
  readonly status: IncidentStatus
  readonly attackType: string
  readonly attackId?: string
  readonly technique?: TechniqueRef | null
  readonly description?: string
  readonly original?: Frame
  readonly modified?: Frame
  readonly srcNode: string
  readonly dstNode: string
  severity?: Severity
  impact?: Frame
}

/** Everything that one step works with. */
export interface Turn {
  readonly world: World
  readonly network: Network
  readonly plan: Telecontrol
  /** Microseconds since the Unix epoch at which the step begins, and at which the next one does. */
  readonly startUs: number
  readonly endUs: number
  /** A named stream of random numbers of the session. */
  readonly random: (name: string) => Random
  readonly queue: Message[]
  readonly drafts: FrameDraft[]
  readonly events: StreamEvent[]
  /** Effects on the grid of the message that is being received. */
  readonly effects: Record<string, string>[]
  /** Breakers that moved in this step, for the outstations that report it by themselves. */
  readonly switched: { readonly branch: number; readonly closed: boolean; readonly timeUs: number }[]
  readonly configurationOf: (link: string) => C37118Configuration | undefined
  readonly close: () => NewRecords
}

/** Microseconds since the Unix epoch at which a step begins. */
export function stepTimeUs(world: World, step: number): number {
  return world.clock.timeUs + (step - world.clock.step) * stepUs
}

/** Opens the workshop of the next step. */
export function openTurn(world: World, network: Network): Turn {
  const plan = planTelecontrol(network)
  const startUs = stepTimeUs(world, world.step)
  const streams = new Map<string, Random>()
  const random = (name: string): Random => {
    const known = streams.get(name)
    if (known !== undefined) return known
    const state = world.random[name]
    const stream = state === undefined ? createRandom(world.configuration.seed, name) : resumeRandom(state)
    streams.set(name, stream)
    return stream
  }
  const turn: Turn = {
    world,
    network,
    plan,
    startUs,
    endUs: startUs + stepUs,
    random,
    queue: [],
    drafts: [],
    events: [],
    effects: [],
    switched: [],
    configurationOf: (link) => streamConfiguration(plan, link, world.configuration.pmu_rate),
    close: () => {
      const records = number(turn)
      for (const [name, stream] of streams) world.random[name] = stream.state()
      return records
    },
  }
  return turn
}

/** Puts a message on its way; messages leave in the order of their times, equal times in the order of the calls. */
export function send(turn: Turn, message: Message): void {
  let at = turn.queue.length
  while (at > 0 && (turn.queue[at - 1]?.timeUs ?? 0) > message.timeUs) at -= 1
  turn.queue.splice(at, 0, message)
}

/** Says that something other than a message happened: the clock jumped, and nobody computed what lies between. */
export function mark(turn: Turn, description: string, timeUs: number): void {
  turn.drafts.push({
    timeUs,
    bytes: new Uint8Array(0),
    protocol: 'SIM',
    status: 'clean',
    src: '',
    dst: '',
    flow: '',
    payloadLength: 0,
    latencyMs: 0,
    tap: 'after',
    label: null,
    isMessage: false,
    incident: { protocol: 'SIM', status: 'clean', attackType: 'NONE', description, srcNode: '', dstNode: '' },
  })
}

/** Sorts what was recorded and gives it its numbers and ids. */
function number(turn: Turn): NewRecords {
  const { world, drafts } = turn
  const ids = turn.random('incident ids')
  const incidents: Incident[] = []
  const packets: PacketSummary[] = []
  const frames: PacketRecord[] = []
  const sorted = drafts.map((draft, index) => ({ draft, index }))
  sorted.sort((a, b) => a.draft.timeUs - b.draft.timeUs || a.index - b.index)
  for (const { draft } of sorted) {
    // A capture never runs backwards, not even where an answer outlasts its step.
    const timeUs = Math.max(draft.timeUs, world.lastFrameUs)
    world.lastFrameUs = timeUs
    const { isMessage, incident, ...rest } = draft
    const frame: PacketRecord = { ...rest, timeUs, frameNo: world.nextFrameNo }
    if (draft.bytes.length > 0) {
      frames.push(frame)
      world.nextFrameNo += 1
    }
    if (isMessage && incident !== undefined) packets.push(summarizePacket(frame))
    if (incident !== undefined) {
      const id = ids.uint32().toString(16).padStart(8, '0')
      incidents.push(toIncident(incident, frame, id))
    }
  }
  return { incidents, packets, frames }
}

function toIncident(draft: IncidentDraft, frame: PacketRecord, id: string): Incident {
  const source = splitEnd(frame.src)
  const destination = splitEnd(frame.dst)
  return {
    id,
    timestamp: toSeconds(frame.timeUs),
    timestamp_iso: toIsoTime(frame.timeUs),
    protocol: draft.protocol,
    ...(source.host === '' ? {} : { src_ip: source.host, dst_ip: destination.host }),
    attack_type: draft.attackType,
    status: draft.status,
    severity: draft.severity ?? severityByStatus[draft.status],
    description: draft.description ?? describe(draft.protocol, draft.status, draft.attackType),
    ...(draft.original === undefined ? {} : { original_val: draft.original }),
    ...(draft.modified === undefined ? {} : { modified_val: draft.modified }),
    ...(draft.attackId === undefined ? {} : { attack_id: draft.attackId }),
    ...(draft.technique === undefined || draft.technique === null ? {} : { technique: draft.technique }),
    ...(draft.impact === undefined ? {} : { impact: draft.impact }),
    ...(draft.srcNode === '' ? {} : { src_node: draft.srcNode, dst_node: draft.dstNode }),
    ...(source.port === undefined ? {} : { src_port: source.port }),
    ...(destination.port === undefined ? {} : { dst_port: destination.port }),
    ...(frame.bytes.length === 0 ? {} : { frame_no: frame.frameNo }),
  }
}

function splitEnd(end: string): { readonly host: string; readonly port?: number } {
  const at = end.indexOf('.') === -1 ? -1 : end.lastIndexOf(':')
  return at === -1 ? { host: end } : { host: end.slice(0, at), port: Number(end.slice(at + 1)) }
}
