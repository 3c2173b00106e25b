/** Frames and incident drafts of transmissions: the octets at both taps, and what the incident says. */

import { findAttack } from '../attacks/catalogue.ts'
import { toMac } from '../link/ethernet.ts'
import { encodeDatagram } from '../link/ip-frame.ts'
import { findStack } from '../link/ip-stack.ts'
import { keepOctets } from '../link/slab.ts'
import { behindAttacker, encodeSegment } from '../link/tcp-flow.ts'
import { endsBetween, endsOf, mustFindConnection } from '../step/connections.ts'
import type { FrameDraft, IncidentDraft } from '../step/drafts.ts'
import type { StepLog } from '../step/step-context.ts'
import type { Outcome, World } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Interception } from './attackers.ts'
import type { AttackTrace, Transmission } from './transmission.ts'

/** The place and the time at which a message is seen. */
interface Sighting {
  /** `before` the attackers as it was sent, or `after` them as it goes on. */
  readonly tap: 'before' | 'after'
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number
}

/** A message that crosses its link, before it has a trace. */
type SentMessage = Omit<Transmission, 'trace'>

type Recorder = Pick<StepLog, 'drafts'> & { readonly world: Pick<World, 'connections' | 'hosts'> }

/** Records a segment that is sent again: its frame only serves TCP and has no incident. */
export function recordRepetition(recorder: Recorder, transmission: Transmission, sighting: Sighting): void {
  const draft = recordFrame(recorder, transmission, { ...sighting, isMessage: false })
  Object.assign(draft, { protocol: 'TCP', payloadLength: 0 })
}

/** Writes a message into a frame, and adds it and its incident to drafts; one frame of a message has an incident. */
export function recordFrame(
  { world, drafts }: Recorder,
  transmission: Transmission,
  { tap, timeUs, isMessage }: Sighting & { readonly isMessage: boolean },
): FrameDraft {
  const { message, interception, trace, shift } = transmission
  const payload = payloadAt(transmission, tap)
  const status = statusOf(interception.outcome)
  const { bytes, octets, ends } = encodeFrame(world, transmission, tap)
  if (trace !== null) keepFrameOctets(trace, payload, octets)
  const draft = {
    bytes,
    src: ends.src,
    dst: ends.dst,
    flow: ends.flow,
    timeUs,
    protocol: message.protocol,
    status,
    payloadLength: payload.length,
    latencyMs: interception.delayUs / 1000,
    tap,
    label: trace?.label ?? null,
    isMessage,
    incident: isMessage ? draftIncident(message, interception, status, trace) : undefined,
    ...(shift === undefined || status !== 'clean' ? {} : { shift }),
  }
  drafts.push(draft)
  return draft
}

function payloadAt({ message, interception }: SentMessage, tap: Sighting['tap']): Uint8Array {
  return tap === 'before' ? message.payload : interception.payload
}

/** The status in the records: `held` counts as attacked, and a message that its path lost as clean. */
function statusOf(outcome: Outcome): FrameDraft['status'] {
  if (outcome === 'held') return 'attacked'
  return outcome === 'lost' ? 'clean' : outcome
}

/** Points evidence at the octets inside a frame, which is kept in any case: a copy would be kept twice. */
function keepFrameOctets({ evidence, shown }: AttackTrace, payload: Uint8Array, octets: Uint8Array): void {
  for (const forms of evidence === shown ? [evidence] : [evidence, shown]) {
    if (forms.original === payload) forms.original = octets
    if (forms.modified === payload) forms.modified = octets
  }
}

function draftIncident(
  { protocol, srcNode, dstNode }: Message,
  { attack, description }: Interception,
  status: FrameDraft['status'],
  trace: AttackTrace | null,
): IncidentDraft {
  if (trace === null) return { protocol, status, attackType: 'NONE', srcNode, dstNode }
  return {
    protocol,
    status,
    attackType: attack?.order.type ?? 'NONE',
    srcNode,
    dstNode,
    ...(attack === null ? {} : { attackId: attack.order.attack_id, technique: trace.label?.technique ?? null }),
    ...(description === undefined ? {} : { description }),
    evidence: trace.shown,
  }
}

/** Writes what the receiver did to the grid into the incident of an attacked message. */
export function recordImpact(
  effects: StepLog['effects'],
  { outcome, attack }: Interception,
  { incident }: FrameDraft,
): void {
  if (incident === undefined || outcome === 'clean' || effects.length === 0) return
  incident.impact = { effects: effects.map((effect) => ({ ...effect })) }
  const severity = attack === null ? undefined : findAttack(attack.order.type)?.severity
  if (severity !== undefined) incident.severity = severity
}

/** Octets of the headers in front of a payload: Ethernet, IPv4 and UDP or TCP without options. */
const headerLength = { udp: 42, tcp: 54 } as const

/**
 * Writes a message into its frame, as the tap before the attackers or the one behind them sees it.
 *
 * @throws Error when the message travels on a connection that is not there.
 */
export function encodeFrame(world: Recorder['world'], transmission: SentMessage, tap: Sighting['tap']) {
  const { numbers, shift, message } = transmission
  const { carrier } = message
  const payload = payloadAt(transmission, tap)
  if (carrier.kind === 'ethernet') {
    const [src, dst] = [toMac(payload.subarray(6, 12)), toMac(payload.subarray(0, 6))]
    const bytes = keepOctets(payload)
    return { bytes, octets: bytes, ends: { src, dst, flow: `${src}-${dst}` } }
  }
  const end = headerLength[carrier.kind] + payload.length
  if (carrier.kind === 'udp') {
    const { timeToLive } = findStack(world.hosts, carrier.from.ip)
    const bytes = encodeDatagram(carrier.from, carrier.to, payload, { ...numbers, timeToLive })
    const ends = endsBetween(carrier.from, carrier.to)
    return { bytes, octets: bytes.subarray(headerLength.udp, end), ends }
  }
  const { flow } = mustFindConnection(world, carrier.connection)
  // Telecontrol messages fit one segment: the limits of their protocols ensure it.
  const segment = { numbers: tap === 'before' ? numbers : behindAttacker(numbers, shift), payload }
  const bytes = encodeSegment(flow, carrier.side, segment, world.hosts)
  return { bytes, octets: bytes.subarray(headerLength.tcp, end), ends: endsOf(flow, carrier.side) }
}
