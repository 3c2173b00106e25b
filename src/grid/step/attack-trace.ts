/** Frames and incident drafts of messages, with the ground truth of those that an attack touched. */

import { findAttack } from '../attacks/catalogue.ts'
import { type Evidence, readingOf } from '../records/evidence.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import type { PacketLabel } from '../types.ts'
import type { Interception } from './interception.ts'
import { type FrameNumbers, frameOf } from './message-frame.ts'
import type { FrameDraft, IncidentDraft, StepContext } from './step-context.ts'

/** Writes a segment that was sent before: a frame that only serves TCP, and no message. */
export function recordAgain(
  context: StepContext,
  message: Message,
  interception: Interception,
  trace: AttackTrace | null,
  timeUs: number,
  tap: 'before' | 'after',
  numbers: FrameNumbers,
): void {
  const payload = tap === 'before' ? message.payload : interception.payload
  const draft = record(context, message, interception, trace, payload, timeUs, tap, false, numbers)
  context.drafts[context.drafts.length - 1] = { ...draft, protocol: 'TCP', payloadLength: 0 }
}

/** What there is to say about a message that an attack touched. */
export interface AttackTrace {
  /** Null where the attack is no longer known. */
  readonly label: PacketLabel | null
  /** Both forms of the message, for its label; the octets are those of the frames as soon as these are written. */
  readonly evidence: Writable<Evidence>
  /** What of it the incident shows: not what a forger pretends to have seen, nor what never arrived. */
  readonly shown: Writable<Evidence>
}

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** What the records say about a message that an attack touched; null for a clean one. */
export function traceOf(
  context: StepContext,
  message: Message,
  { attack, outcome, payload }: Interception,
): AttackTrace | null {
  if (outcome === 'clean') return null
  const { protocol, carrier, link } = message
  const reading = readingOf(protocol, isRequest(carrier), context.configurationOf(link))
  const evidence = { reading, original: message.payload, modified: payload }
  const isWhole = message.forged === null && outcome !== 'dropped'
  const shown = isWhole
    ? evidence
    : {
        reading,
        original: message.forged === null ? message.payload : null,
        modified: outcome === 'dropped' ? null : payload,
      }
  if (attack === null) return { label: null, evidence, shown }
  const { attack_id, type } = attack.order
  const technique = findAttack(type)?.technique ?? null
  const label = { attack_id, attack_type: type, technique, evidence }
  return { label, evidence, shown }
}

/** Lets evidence hold the octets inside a frame: the frame is kept anyhow, a message of its own would be kept twice. */
function keepFrameOctets(evidence: Writable<Evidence>, payload: Uint8Array, octets: Uint8Array): void {
  if (evidence.original === payload) evidence.original = octets
  if (evidence.modified === payload) evidence.modified = octets
}

/** Writes a message into a frame and puts the frame and what is to be said about it among the step's drafts. */
export function record(
  context: StepContext,
  message: Message,
  interception: Interception,
  trace: AttackTrace | null,
  payload: Uint8Array,
  timeUs: number,
  tap: 'before' | 'after',
  isMessage: boolean,
  numbers: FrameNumbers,
): FrameDraft {
  const status = interception.outcome === 'held' ? 'attacked' : interception.outcome
  const { bytes, octets, ends } = frameOf(context, message, payload, numbers, tap)
  if (trace !== null) {
    keepFrameOctets(trace.evidence, payload, octets)
    if (trace.shown !== trace.evidence) keepFrameOctets(trace.shown, payload, octets)
  }
  const draft: FrameDraft = {
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
    ...(numbers.shift === undefined || status !== 'clean' ? {} : { shift: numbers.shift }),
  }
  context.drafts.push(draft)
  return draft
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
    ...(attack === null
      ? {}
      : { attackId: attack.order.attack_id, technique: trace.label?.technique ?? null }),
    ...(description === undefined ? {} : { description }),
    evidence: trace.shown,
  }
}
