/** Frames and incident drafts of messages, with the ground truth of those that an attack touched. */

import { findAttack } from '../attacks/catalogue.ts'
import { type Evidence, readingOf } from '../records/evidence.ts'
import { isRequest, type Message } from '../telecontrol/message.ts'
import type { PacketLabel } from '../types.ts'
import type { FrameDraft, IncidentDraft } from './drafts.ts'
import type { Interception } from './interception.ts'
import { type FrameNumbers, frameOf } from './message-frame.ts'
import type { StepContext } from './step-context.ts'

/** What the records say about a message that an attack touched. */
export interface AttackTrace {
  /** Null where the attack is no longer known. */
  readonly label: PacketLabel | null
  /** Both forms of the message, for its label; once the frames are written, the octets are views into them. */
  readonly evidence: Writable<Evidence>
  /** The forms that the incident shows: no original for a forged message, no modified form for a dropped one. */
  readonly shown: Writable<Evidence>
}

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

/** Prepares what the records say about a message that an attack touched; null for a clean one. */
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

/** Points evidence at the octets inside a frame: the frame is kept in any case, and a copy would be kept twice. */
function keepFrameOctets({ evidence, shown }: AttackTrace, payload: Uint8Array, octets: Uint8Array): void {
  for (const forms of evidence === shown ? [evidence] : [evidence, shown]) {
    if (forms.original === payload) forms.original = octets
    if (forms.modified === payload) forms.modified = octets
  }
}

/** A message that crosses its link: what the attackers made of it, what is said of that, and its frame's numbers. */
export interface Passage {
  readonly message: Message
  readonly interception: Interception
  /** Null for a clean message. */
  readonly trace: AttackTrace | null
  readonly numbers: FrameNumbers
}

/** Where and when a message is seen. */
export interface Sighting {
  /** `before` the attackers as it was sent, or `after` them as it goes on. */
  readonly tap: 'before' | 'after'
  /** Microseconds since the Unix epoch. */
  readonly timeUs: number
}

/**
 * Writes a message into a frame, and adds the frame and its incident to the drafts of the step.
 *
 * @param sighting - `isMessage` is true for the one frame of a message that has an incident and a packet summary.
 */
export function record(
  context: StepContext,
  { message, interception, trace, numbers }: Passage,
  { tap, timeUs, isMessage }: Sighting & { readonly isMessage: boolean },
): FrameDraft {
  const payload = tap === 'before' ? message.payload : interception.payload
  const status = interception.outcome === 'held' ? 'attacked' : interception.outcome
  const { bytes, octets, ends } = frameOf(context, message, payload, numbers, tap)
  if (trace !== null) keepFrameOctets(trace, payload, octets)
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

/** Writes a segment that is sent again: its frame only serves TCP and has no incident. */
export function recordAgain(context: StepContext, passage: Passage, { tap, timeUs }: Sighting): void {
  const draft = record(context, passage, { tap, timeUs, isMessage: false })
  context.drafts[context.drafts.length - 1] = { ...draft, protocol: 'TCP', payloadLength: 0 }
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
