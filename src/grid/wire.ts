/** The way of a message: past the attackers, into frames and records, to its receiver. */

import { equalBytes } from '../base/bytes.ts'
import { decodeHex, encodeHex } from '../base/hex.ts'
import { findAttack } from './attacks/catalogue.ts'
import { type AnyAttack, type AttackScene, toParams } from './attacks/definition.ts'
import type { Params, ParamTable } from './attacks/params.ts'
import { acknowledge, type Ends, endsBetween, endsOf, findConnection } from './connections.ts'
import { type Evidence, holdLabel, readingOf } from './evidence.ts'
import { toMac } from './link/ethernet.ts'
import { encodeUdpFrame } from './link/frame.ts'
import { keepOctets } from './link/slab.ts'
import { sendTcp } from './link/tcp-flow.ts'
import { reportMalformed } from './link-monitor.ts'
import { decode, isRequest, type Message } from './message.ts'
import { sealIec104 } from './stations/iec104.ts'
import type { FrameDraft, IncidentDraft, Turn } from './turn.ts'
import type { AttackCounters, PacketLabel } from './types.ts'
import type { AttackState, HeldMessage } from './world.ts'

/** Takes in a message as it arrived; replies go out with `send`. */
export type Receiver = (turn: Turn, message: Message, payload: Uint8Array) => void

/** What the attackers made of a message. */
interface Passage {
  readonly payload: Uint8Array
  readonly fate: 'clean' | 'attacked' | 'invalid' | 'dropped' | 'held'
  readonly delayUs: number
  readonly attack: AttackState | null
  readonly description: string | undefined
}

/** Sends everything that is on its way in this step, and what is answered to it, in the order of time. */
export function flush(turn: Turn, receive: Receiver): void {
  releaseHeld(turn, receive)
  for (let message = turn.queue.shift(); message !== undefined; message = turn.queue.shift()) {
    transmit(turn, message, receive)
  }
}

function transmit(turn: Turn, message: Message, receive: Receiver): void {
  const connection = findConnection(turn, message)
  // An answer on a connection that was closed in the meantime has no way to travel.
  if (message.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  if (connection?.dialogue.protocol === 'IEC104') sealIec104(message, connection)
  turn.world.totals = count(turn.world.totals, 'total_packets')
  const passage = passAttackers(turn, message)
  const told = tell(turn, message, passage)
  if (passage.fate === 'dropped') {
    turn.world.totals = count(turn.world.totals, 'dropped_packets')
    record(turn, message, passage, told, message.payload, message.timeUs, 'before', true)
    return
  }
  if (passage.fate !== 'clean') turn.world.totals = count(turn.world.totals, 'modified_packets')
  if (passage.fate === 'held' && passage.attack !== null) {
    record(turn, message, passage, told, message.payload, message.timeUs, 'before', false)
    turn.world.held.push(hold(turn, message, passage, passage.attack))
    return
  }
  if (passage.payload !== message.payload) {
    record(turn, message, passage, told, message.payload, message.timeUs, 'before', false)
  }
  arrive(turn, message, passage, told, message.timeUs, receive)
}

/** Octets go through the frames, the records and the receiver; what the receiver did to the grid is the impact. */
function arrive(
  turn: Turn,
  message: Message,
  passage: Passage,
  told: Told | null,
  timeUs: number,
  receive: Receiver,
): void {
  const draft = record(turn, message, passage, told, passage.payload, timeUs, 'after', true)
  turn.effects.length = 0
  const arrived = message.timeUs === timeUs ? message : { ...message, timeUs }
  if (passage.fate !== 'invalid') receive(turn, arrived, passage.payload)
  else refuse(turn, arrived, passage.payload)
  if (draft.incident !== undefined && passage.fate !== 'clean' && turn.effects.length > 0) {
    draft.incident.impact = { effects: turn.effects.map((effect) => ({ ...effect })) }
    const severity = passage.attack === null ? undefined : findAttack(passage.attack.order.type)?.severity
    if (severity !== undefined) draft.incident.severity = severity
  }
  acknowledge(turn, arrived)
}

/** A message that cannot be read goes no further; its receiver says what is wrong with it. */
function refuse(turn: Turn, message: Message, payload: Uint8Array): void {
  const { protocol, carrier, link } = message
  const decoded = decode(protocol, isRequest(carrier), payload, turn.configurationOf(link))
  if (!decoded.ok) reportMalformed(turn, message, decoded.fault)
}

/** What there is to say about a message that an attack touched. */
interface Told {
  /** Null where nobody is left who could be named. */
  readonly label: PacketLabel | null
  /** Both forms of the message, for its label; the octets are those of the frames as soon as these are written. */
  readonly evidence: Writable<Evidence>
  /** What of it the incident shows: not what a forger pretends to have seen, nor what never arrived. */
  readonly shown: Writable<Evidence>
}

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

function tell(turn: Turn, message: Message, { attack, fate, payload }: Passage): Told | null {
  if (fate === 'clean') return null
  const { protocol, carrier, link } = message
  const reading = readingOf(protocol, isRequest(carrier), turn.configurationOf(link))
  const evidence = { reading, original: message.payload, modified: payload }
  const isWhole = message.forged === null && fate !== 'dropped'
  const shown = isWhole
    ? evidence
    : {
        reading,
        original: message.forged === null ? message.payload : null,
        modified: fate === 'dropped' ? null : payload,
      }
  if (attack === null) return { label: null, evidence, shown }
  const { attack_id, type } = attack.order
  const label = holdLabel(attack_id, type, findAttack(type)?.technique ?? null, evidence)
  return { label, evidence, shown }
}

/** Lets evidence hold the octets inside a frame: the frame is kept anyhow, a message of its own would be kept twice. */
function share(evidence: Writable<Evidence>, payload: Uint8Array, octets: Uint8Array): void {
  if (evidence.original === payload) evidence.original = octets
  if (evidence.modified === payload) evidence.modified = octets
}

/** Writes a message into a frame and puts the frame and what is to be said about it among the step's drafts. */
function record(
  turn: Turn,
  message: Message,
  passage: Passage,
  told: Told | null,
  payload: Uint8Array,
  timeUs: number,
  tap: 'before' | 'after',
  isMessage: boolean,
): FrameDraft {
  const status = passage.fate === 'held' ? 'attacked' : passage.fate
  const { bytes, octets, ends } = encode(turn, message, payload, tap)
  if (told !== null) {
    share(told.evidence, payload, octets)
    if (told.shown !== told.evidence) share(told.shown, payload, octets)
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
    latencyMs: passage.delayUs / 1000,
    tap,
    label: told?.label ?? null,
    isMessage,
    incident: isMessage ? draftIncident(message, passage, status, told) : undefined,
  }
  turn.drafts.push(draft)
  return draft
}

function draftIncident(
  { protocol, srcNode, dstNode }: Message,
  { attack, description }: Passage,
  status: FrameDraft['status'],
  told: Told | null,
): IncidentDraft {
  if (told === null) return { protocol, status, attackType: 'NONE', srcNode, dstNode }
  return {
    protocol,
    status,
    attackType: attack?.order.type ?? 'NONE',
    srcNode,
    dstNode,
    ...(attack === null
      ? {}
      : { attackId: attack.order.attack_id, technique: told.label?.technique ?? null }),
    ...(description === undefined ? {} : { description }),
    evidence: told.shown,
  }
}

/** Octets of the headers in front of a payload: Ethernet, IPv4 and UDP or TCP without options. */
const headerLength = { udp: 42, tcp: 54 } as const

/** The octets on the wire, and where among them the payload lies; only what passes the attacker moves counters. */
function encode(
  turn: Turn,
  message: Message,
  payload: Uint8Array,
  tap: 'before' | 'after',
): { readonly bytes: Uint8Array; readonly octets: Uint8Array; readonly ends: Ends } {
  const { carrier } = message
  const { world } = turn
  if (carrier.kind === 'ethernet') {
    const [src, dst] = [toMac(payload.subarray(6, 12)), toMac(payload.subarray(0, 6))]
    const bytes = keepOctets(payload)
    return { bytes, octets: bytes, ends: { src, dst, flow: `${src}-${dst}` } }
  }
  if (carrier.kind === 'udp') {
    const step = encodeUdpFrame(carrier.from, carrier.to, payload, world.hosts)
    if (tap === 'after') world.hosts = step.hosts
    const octets = step.bytes.subarray(headerLength.udp, headerLength.udp + payload.length)
    return { bytes: step.bytes, octets, ends: endsBetween(carrier.from, carrier.to) }
  }
  const connection = world.connections[carrier.connection]
  if (connection === undefined) throw new Error(`no connection ${carrier.connection}`)
  const step = sendTcp(connection.flow, carrier.side, payload, world.hosts)
  const ends = endsOf(connection.flow, carrier.side)
  if (tap === 'after') {
    connection.flow = step.flow
    world.hosts = step.hosts
  }
  // Telecontrol messages fit one segment; the protocols' own limits see to that.
  const bytes = step.frames[0]?.bytes ?? new Uint8Array(0)
  return { bytes, octets: bytes.subarray(headerLength.tcp, headerLength.tcp + payload.length), ends }
}

function count(totals: AttackCounters, name: keyof AttackCounters): AttackCounters {
  const { total_packets, modified_packets, dropped_packets } = totals
  return {
    total_packets: total_packets + (name === 'total_packets' ? 1 : 0),
    modified_packets: modified_packets + (name === 'modified_packets' ? 1 : 0),
    dropped_packets: dropped_packets + (name === 'dropped_packets' ? 1 : 0),
  }
}

/** Whether a schedule is in force at a message or step counted from 0. */
export function isScheduled({ schedule }: AttackState['order'], seen: number): boolean {
  const { start_frame, duration_frames } = schedule
  return seen >= start_frame && (duration_frames === 0 || seen < start_frame + duration_frames)
}

/** The scene of an attack in this step, for the messages of a link or, under the empty name, for forging. */
export function sceneOf(turn: Turn, state: AttackState, link: string): AttackScene<Params<ParamTable>> {
  const { order } = state
  const stream = () => turn.random(`attack ${order.attack_id} ${order.seed}`)
  return {
    turn,
    params: toParams(order.params),
    attackId: order.attack_id,
    frame: (state.seen[link] ?? 0) - order.schedule.start_frame,
    memory: state.memory,
    random: () => stream().uniform(),
    normal: () => stream().normal(),
    targetLink: order.target_link,
  }
}

/** Leads a message past every enabled attack, in the order in which they were enabled. */
function passAttackers(turn: Turn, message: Message): Passage {
  // What is answered on an attacker's own connection belongs to the attack as much as what it asked.
  const connection = findConnection(turn, message)
  const attackId = message.forged?.attackId ?? connection?.label?.attack_id
  const forger = turn.world.attacks.find(({ order }) => order.attack_id === attackId)
  if (forger !== undefined)
    forger.counters = count(count(forger.counters, 'total_packets'), 'modified_packets')
  let passage: Passage = {
    payload: message.payload,
    fate: forger === undefined ? 'clean' : 'attacked',
    delayUs: 0,
    attack: forger ?? null,
    description:
      forger === undefined
        ? undefined
        : (message.forged?.description ?? `answer of ${message.srcNode} to ${forger.order.type}`),
  }
  // Attackers do not attack each other's messages.
  if (forger !== undefined || message.forged !== null) return passage
  for (const state of turn.world.attacks) {
    const definition = findAttack(state.order.type)
    if (definition?.alter === undefined || !sees(definition, state, message)) continue
    const seen = state.seen[message.link] ?? 0
    state.counters = count(state.counters, 'total_packets')
    if (isScheduled(state.order, seen)) passage = alter(turn, definition, state, message, passage)
    state.seen[message.link] = seen + 1
    if (passage.fate === 'dropped') return passage
  }
  return passage
}

function sees(definition: AnyAttack, { order }: AttackState, message: Message): boolean {
  if (order.target_link !== null && order.target_link !== message.link) return false
  return definition.touches?.(message, toParams(order.params)) ?? true
}

function alter(
  turn: Turn,
  definition: AnyAttack,
  state: AttackState,
  message: Message,
  passage: Passage,
): Passage {
  const scene = sceneOf(turn, state, message.link)
  const changed = passage.payload === message.payload ? message : { ...message, payload: passage.payload }
  const result = definition.alter?.(changed, scene)
  if (result === undefined || result.kind === 'pass') return passage
  // Octets that come out as they went in were not touched: there is nothing to say about them.
  if (result.kind === 'modify' && equalBytes(result.payload, passage.payload)) return passage
  const counter = result.kind === 'drop' ? 'dropped_packets' : 'modified_packets'
  state.counters = count(state.counters, counter)
  const { payload, delayUs } = passage
  const { description } = result
  if (result.kind === 'drop') return { payload, fate: 'dropped', delayUs, attack: state, description }
  if (result.kind === 'delay') {
    return { payload, fate: 'held', delayUs: delayUs + result.delayUs, attack: state, description }
  }
  const fate = result.status ?? (passage.fate === 'clean' ? 'attacked' : passage.fate)
  return { payload: result.payload, fate, delayUs, attack: state, description }
}

function hold(turn: Turn, message: Message, passage: Passage, attack: AttackState): HeldMessage {
  // First in, first out on each link: a delay never reorders a stream.
  const last = turn.world.held.findLast(({ link }) => link === message.link)?.dueUs ?? 0
  return {
    dueUs: Math.max(message.timeUs + Math.round(passage.delayUs), last),
    sentUs: message.timeUs,
    protocol: message.protocol,
    link: message.link,
    carrier: message.carrier,
    srcNode: message.srcNode,
    dstNode: message.dstNode,
    purpose: message.purpose,
    payloadHex: encodeHex(passage.payload),
    originalHex: encodeHex(message.payload),
    attackId: attack.order.attack_id,
    description: passage.description ?? '',
  }
}

function releaseHeld(turn: Turn, receive: Receiver): void {
  const { world } = turn
  const due = world.held.filter(({ dueUs }) => dueUs < turn.endUs)
  if (due.length === 0) return
  world.held = world.held.filter(({ dueUs }) => dueUs >= turn.endUs)
  for (const held of due) {
    const message: Message = {
      protocol: held.protocol,
      link: held.link,
      carrier: held.carrier,
      srcNode: held.srcNode,
      dstNode: held.dstNode,
      timeUs: held.sentUs,
      payload: decodeHex(held.originalHex),
      purpose: held.purpose,
      forged: null,
    }
    const connection = findConnection(turn, message)
    if (held.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') continue
    const isAltered = held.payloadHex !== held.originalHex
    const passage: Passage = {
      payload: isAltered ? decodeHex(held.payloadHex) : message.payload,
      fate: 'held',
      delayUs: held.dueUs - held.sentUs,
      attack: world.attacks.find(({ order }) => order.attack_id === held.attackId) ?? endedAttack(held),
      description: held.description,
    }
    arrive(turn, message, passage, tell(turn, message, passage), held.dueUs, receive)
  }
}

/** An attack that ended while its message was still held: enough of it to name it. */
function endedAttack({ attackId, sentUs }: HeldMessage): AttackState {
  const type = attackId.replace(/-\d+$/, '')
  const schedule = { start_frame: 0, duration_frames: 0 }
  return {
    order: { attack_id: attackId, type, params: {}, schedule, target_link: null, seed: 0 },
    sinceUs: sentUs,
    seen: {},
    counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
    memory: {},
  }
}
