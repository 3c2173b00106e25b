/** The way of a message: past the attackers, into frames and records, to its receiver. */

import { equalBytes } from '../base/bytes.ts'
import { decodeHex, encodeHex } from '../base/hex.ts'
import { findAttack } from './attacks/catalogue.ts'
import { type AnyAttack, type AttackScene, toParams } from './attacks/definition.ts'
import type { Params, ParamTable } from './attacks/params.ts'
import { reportMalformed } from './control-centre/link-monitor.ts'
import { type FlowSide, tcpWindow } from './link/tcp-flow.ts'
import {
  inFlight,
  isKnownLost,
  newTransit,
  receiveSegment,
  retransmit,
  retransmitsUs,
  sendSegment,
  type Transit,
} from './link/tcp-transit.ts'
import { protocols } from './protocols/catalogue.ts'
import { type Evidence, readingOf } from './records/evidence.ts'
import { acknowledge, acknowledgeAgain, findConnection } from './step/connections.ts'
import { type FrameNumbers, frameOf, noteLength, numberFrame, renumberFrame } from './step/message-frame.ts'
import { stations } from './step/stations/catalogue.ts'
import type { FrameDraft, IncidentDraft, StepContext } from './step/step-context.ts'
import type { AttackState, Connection, Fate, HeldMessage, Travelling } from './step/world.ts'
import { isRequest, type Message } from './telecontrol/message.ts'
import type { AttackCounters, PacketLabel } from './types.ts'

/** Takes in a message as it arrived; replies go out with `send`. */
export type Receiver = (context: StepContext, message: Message, payload: Uint8Array) => void

/** What the attackers made of a message. */
interface Interception {
  readonly payload: Uint8Array
  readonly fate: Fate
  readonly delayUs: number
  readonly attack: AttackState | null
  readonly description: string | undefined
}

/**
 * Sends everything that is on its way in this step, and what is answered to it, in the order of time: messages,
 * what an attacker held until now, and segments that were not acknowledged in time.
 */
export function flush(context: StepContext, receive: Receiver): void {
  takeDue(context)
  for (;;) {
    const messageUs = context.queue[0]?.timeUs ?? Number.POSITIVE_INFINITY
    const held = context.due[0]
    const overdue = earliestTimer(context)
    const heldUs = held?.dueUs ?? Number.POSITIVE_INFINITY
    const timerUs = overdue?.timeUs ?? Number.POSITIVE_INFINITY
    if (held !== undefined && heldUs <= timerUs && heldUs <= messageUs) {
      context.due.shift()
      release(context, held, receive)
    } else if (overdue !== undefined && timerUs <= messageUs) {
      resend(context, overdue.connection, overdue.side, timerUs, 'timeout', receive)
    } else {
      const message = context.queue.shift()
      if (message === undefined) return
      transmit(context, message, receive)
    }
  }
}

function transmit(context: StepContext, message: Message, receive: Receiver): void {
  const connection = findConnection(context, message)
  // An answer on a connection that was closed in the meantime has no way to travel.
  if (message.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  if (!hasRoom(message, connection)) return
  if (connection !== undefined) stations[message.protocol].seal?.(message, connection)
  context.world.totals = count(context.world.totals, 'total_packets')
  const interception = passAttackers(context, message)
  const trace = traceOf(context, message, interception)
  const numbers = numberFrame(context, message)
  noteSent(message, connection, interception, numbers)
  noteLength(context, message, interception.payload)
  if (interception.fate === 'dropped') {
    context.world.totals = count(context.world.totals, 'dropped_packets')
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', true, numbers)
    return
  }
  if (interception.fate !== 'clean') context.world.totals = count(context.world.totals, 'modified_packets')
  if (interception.fate === 'held') {
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', false, numbers)
    delay(
      context,
      travelling(message, interception, numbers),
      message.timeUs + Math.round(interception.delayUs),
    )
    return
  }
  if (interception.payload !== message.payload) {
    record(context, message, interception, trace, message.payload, message.timeUs, 'before', false, numbers)
  }
  deliver(context, message, interception, trace, message.timeUs, receive, numbers)
}

/** A sender gives up what does not fit the receiver's window any more: a measurement that waits is of no use. */
function hasRoom({ carrier, payload }: Message, connection: Connection | undefined): boolean {
  const transit = carrier.kind === 'tcp' ? connection?.transit?.[carrier.side] : undefined
  return transit === undefined || inFlight(transit) + payload.length <= tcpWindow
}

/** Remembers a segment until it is acknowledged, from the first one on that does not arrive at once. */
function noteSent(
  message: Message,
  connection: Connection | undefined,
  interception: Interception,
  numbers: FrameNumbers,
): void {
  const { carrier, payload, timeUs } = message
  if (carrier.kind !== 'tcp' || connection === undefined) return
  const { sequence } = numbers.numbers
  const known = connection.transit?.[carrier.side]
  const isOnItsWay = interception.fate === 'dropped' || interception.fate === 'held'
  if (known === undefined && !isOnItsWay) return
  const body = travelling(message, interception, numbers)
  const segment = { sequence, length: payload.length, sentUs: timeUs, body }
  setTransit(connection, carrier.side, sendSegment(known ?? newTransit(sequence), segment))
}

function setTransit(connection: Connection, side: FlowSide, transit: Transit<Travelling>): void {
  connection.transit = { ...connection.transit, [side]: transit }
  const { [side]: _, ...others } = connection.flow.received ?? {}
  const isWhole = transit.segments.length === 0
  connection.flow = {
    ...connection.flow,
    received: isWhole ? others : { ...others, [side]: transit.received },
  }
}

/** Octets go through the frames, the records and the receiver; what the receiver did to the grid is the impact. */
function deliver(
  context: StepContext,
  message: Message,
  interception: Interception,
  trace: AttackTrace | null,
  timeUs: number,
  receive: Receiver,
  numbers: FrameNumbers,
): void {
  const draft = record(
    context,
    message,
    interception,
    trace,
    interception.payload,
    timeUs,
    'after',
    true,
    numbers,
  )
  const arrived = message.timeUs === timeUs ? message : { ...message, timeUs }
  const connection = findConnection(context, message)
  if (message.carrier.kind === 'tcp' && connection?.transit?.[message.carrier.side] !== undefined) {
    takeIn(context, connection, message.carrier.side, numbers.numbers.sequence, timeUs, receive)
    return
  }
  context.effects.length = 0
  if (interception.fate !== 'invalid') receive(context, arrived, interception.payload)
  else refuse(context, arrived, interception.payload)
  if (draft.incident !== undefined && interception.fate !== 'clean' && context.effects.length > 0) {
    draft.incident.impact = { effects: context.effects.map((effect) => ({ ...effect })) }
    const severity =
      interception.attack === null ? undefined : findAttack(interception.attack.order.type)?.severity
    if (severity !== undefined) draft.incident.severity = severity
  }
  acknowledge(context, arrived)
}

/** A segment is there: its receiver hands on what is complete now, in order, and acknowledges. */
function takeIn(
  context: StepContext,
  connection: Connection,
  side: FlowSide,
  sequence: number,
  timeUs: number,
  receive: Receiver,
  body?: Travelling,
): void {
  const before = connection.transit?.[side]
  if (before === undefined) return
  const { transit, delivered } = receiveSegment(before, sequence, timeUs, body)
  setTransit(connection, side, transit)
  for (const segment of delivered) {
    const message = { ...toMessage(segment.body), timeUs }
    const payload = decodeHex(segment.body.payloadHex)
    if (segment.body.fate !== 'invalid') receive(context, message, payload)
    else refuse(context, message, payload)
  }
  const last = delivered.at(-1)
  if (last !== undefined) acknowledge(context, { ...toMessage(last.body), timeUs })
  else acknowledgeAgain(context, connection, side === 'client' ? 'server' : 'client', timeUs)
  if (isKnownLost(transit)) resend(context, connection, side, timeUs, 'duplicates', receive)
}

/**
 * Sends the oldest segment in flight again. It passes the attack that acted on it as long as that lasts: one that
 * loses a message loses it each time, or the message would arrive after all.
 */
function resend(
  context: StepContext,
  connection: Connection,
  side: FlowSide,
  timeUs: number,
  reason: 'timeout' | 'duplicates',
  receive: Receiver,
): void {
  const known = connection.transit?.[side]
  const oldest = known?.segments[0]
  if (known === undefined || oldest === undefined) return
  setTransit(connection, side, retransmit(known, timeUs, reason))
  const { body, sequence } = oldest
  const numbers = renumberFrame(context, connection, side, sequence, body.shift)
  const message = { ...toMessage(body), timeUs }
  const attack = context.world.attacks.find(({ order }) => order.attack_id === body.attackId)
  const isActive = attack !== undefined && isScheduled(attack.order, attack.seen[body.link] ?? 0)
  const fate = isActive ? (body.fate ?? 'clean') : 'clean'
  const delayUs = body.delayUs ?? 0
  const interception = { ...interceptionOf(context, body), fate, delayUs, payload: message.payload }
  const trace = traceOf(context, message, interception)
  if (fate === 'dropped' || fate === 'held') {
    recordAgain(context, message, interception, trace, timeUs, 'before', numbers)
    if (fate === 'held') delay(context, { ...body, ...numbers, isAgain: true }, timeUs + delayUs)
    return
  }
  const whole: Interception = { ...interception, fate: 'clean', attack: null }
  recordAgain(context, message, whole, null, timeUs, 'after', numbers)
  const { shift: _, ...plain } = body
  takeIn(context, connection, side, sequence, timeUs, receive, {
    ...plain,
    payloadHex: body.originalHex,
    fate: 'clean',
  })
}

/** Writes a segment that was sent before: a frame that only serves TCP, and no message. */
function recordAgain(
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

/** A message that cannot be read goes no further; its receiver says what is wrong with it. */
function refuse(context: StepContext, message: Message, payload: Uint8Array): void {
  const { protocol, carrier, link } = message
  const decoded = protocols[protocol].decode(payload, isRequest(carrier), context.configurationOf(link))
  if (!decoded.ok) reportMalformed(context, message, decoded.fault)
}

/** What there is to say about a message that an attack touched. */
interface AttackTrace {
  /** Null where nobody is left who could be named. */
  readonly label: PacketLabel | null
  /** Both forms of the message, for its label; the octets are those of the frames as soon as these are written. */
  readonly evidence: Writable<Evidence>
  /** What of it the incident shows: not what a forger pretends to have seen, nor what never arrived. */
  readonly shown: Writable<Evidence>
}

type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] }

function traceOf(
  context: StepContext,
  message: Message,
  { attack, fate, payload }: Interception,
): AttackTrace | null {
  if (fate === 'clean') return null
  const { protocol, carrier, link } = message
  const reading = readingOf(protocol, isRequest(carrier), context.configurationOf(link))
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
function record(
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
  const status = interception.fate === 'held' ? 'attacked' : interception.fate
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
export function sceneOf(
  context: StepContext,
  state: AttackState,
  link: string,
): AttackScene<Params<ParamTable>> {
  const { order } = state
  const stream = () => context.random(`attack ${order.attack_id} ${order.seed}`)
  return {
    context,
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
function passAttackers(context: StepContext, message: Message): Interception {
  // What is answered on an attacker's own connection belongs to the attack as much as what it asked.
  const connection = findConnection(context, message)
  const attackId = message.forged?.attackId ?? connection?.label?.attack_id
  const forger = context.world.attacks.find(({ order }) => order.attack_id === attackId)
  if (forger !== undefined)
    forger.counters = count(count(forger.counters, 'total_packets'), 'modified_packets')
  let interception: Interception = {
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
  if (forger !== undefined || message.forged !== null) return interception
  for (const state of context.world.attacks) {
    const definition = findAttack(state.order.type)
    if (definition?.alter === undefined || !isTargeted(definition, state, message)) continue
    const seen = state.seen[message.link] ?? 0
    state.counters = count(state.counters, 'total_packets')
    if (isScheduled(state.order, seen))
      interception = alter(context, definition, state, message, interception)
    state.seen[message.link] = seen + 1
    if (interception.fate === 'dropped') return interception
  }
  return interception
}

function isTargeted(definition: AnyAttack, { order }: AttackState, message: Message): boolean {
  if (order.target_link !== null && order.target_link !== message.link) return false
  return definition.touches?.(message, toParams(order.params)) ?? true
}

function alter(
  context: StepContext,
  definition: AnyAttack,
  state: AttackState,
  message: Message,
  interception: Interception,
): Interception {
  const scene = sceneOf(context, state, message.link)
  const changed =
    interception.payload === message.payload ? message : { ...message, payload: interception.payload }
  const result = definition.alter?.(changed, scene)
  if (result === undefined || result.kind === 'pass') return interception
  // Octets that come out as they went in were not touched: there is nothing to say about them.
  if (result.kind === 'modify' && equalBytes(result.payload, interception.payload)) return interception
  const counter = result.kind === 'drop' ? 'dropped_packets' : 'modified_packets'
  state.counters = count(state.counters, counter)
  const { payload, delayUs } = interception
  const { description } = result
  if (result.kind === 'drop') return { payload, fate: 'dropped', delayUs, attack: state, description }
  if (result.kind === 'delay') {
    return { payload, fate: 'held', delayUs: delayUs + result.delayUs, attack: state, description }
  }
  const fate = result.status ?? (interception.fate === 'clean' ? 'attacked' : interception.fate)
  return { payload: result.payload, fate, delayUs, attack: state, description }
}

/** First in, first out on each link: a delay never reorders a stream. */
function delay({ world, due, endUs }: StepContext, message: Omit<HeldMessage, 'dueUs'>, atUs: number): void {
  const isOfLink = ({ link }: HeldMessage) => link === message.link
  const last = world.held.findLast(isOfLink) ?? due.findLast(isOfLink)
  const held = { ...message, dueUs: Math.max(atUs, last?.dueUs ?? 0) }
  if (held.dueUs >= endUs) {
    world.held.push(held)
    return
  }
  const later = due.findIndex(({ dueUs }) => dueUs > held.dueUs)
  due.splice(later === -1 ? due.length : later, 0, held)
}

/** What has to be remembered of a message that is on its way for longer than a step. */
function travelling(
  message: Message,
  interception: Interception,
  { numbers, shift }: FrameNumbers,
): Travelling {
  const { timeUs, protocol, link, carrier, srcNode, dstNode, purpose, payload } = message
  return {
    sentUs: timeUs,
    protocol,
    link,
    carrier,
    srcNode,
    dstNode,
    purpose,
    payloadHex: encodeHex(interception.payload),
    originalHex: encodeHex(payload),
    attackId: interception.attack?.order.attack_id ?? '',
    description: interception.description ?? '',
    fate: interception.fate,
    delayUs: Math.round(interception.delayUs),
    numbers,
    ...(shift === undefined ? {} : { shift }),
  }
}

function toMessage(travelling: Travelling): Message {
  const { protocol, link, carrier, srcNode, dstNode, sentUs, originalHex, purpose } = travelling
  const payload = decodeHex(originalHex)
  return { protocol, link, carrier, srcNode, dstNode, timeUs: sentUs, payload, purpose, forged: null }
}

function interceptionOf(context: StepContext, travelling: Travelling): Interception {
  const { attackId, description, payloadHex } = travelling
  return {
    payload: decodeHex(payloadHex),
    fate: travelling.fate ?? 'held',
    delayUs: 0,
    attack:
      context.world.attacks.find(({ order }) => order.attack_id === attackId) ?? endedAttack(travelling),
    description,
  }
}

/** Takes what attackers let go within this step out of what they hold. */
function takeDue({ world, endUs, due }: StepContext): void {
  if (!world.held.some(({ dueUs }) => dueUs < endUs)) return
  due.push(...world.held.filter(({ dueUs }) => dueUs < endUs))
  due.sort((one, other) => one.dueUs - other.dueUs)
  world.held = world.held.filter(({ dueUs }) => dueUs >= endUs)
}

/** The first segment whose acknowledgment is overdue within this step; time that stood still does not count. */
function earliestTimer({ world, startUs, endUs }: StepContext) {
  let first: { readonly connection: Connection; readonly side: FlowSide; readonly timeUs: number } | undefined
  for (const connection of Object.values(world.connections)) {
    if (connection.transit === undefined) continue
    for (const side of ['client', 'server'] as const) {
      const transit = connection.transit[side]
      const timeUs = transit === undefined ? Number.POSITIVE_INFINITY : retransmitsUs(transit)
      if (timeUs < endUs && timeUs < (first?.timeUs ?? Number.POSITIVE_INFINITY)) {
        first = { connection, side, timeUs: Math.max(timeUs, startUs) }
      }
    }
  }
  return first
}

/** Lets a held message go on to its receiver. */
function release(context: StepContext, held: HeldMessage, receive: Receiver): void {
  const read = toMessage(held)
  const connection = findConnection(context, read)
  if (held.carrier.kind === 'tcp' && connection?.flow.phase !== 'established') return
  const isAltered = held.payloadHex !== held.originalHex
  const interception: Interception = {
    ...interceptionOf(context, held),
    ...(isAltered ? {} : { payload: read.payload }),
    fate: 'held',
    delayUs: held.dueUs - held.sentUs,
  }
  const trace = traceOf(context, read, interception)
  const { numbers: taken, shift } = held
  const numbers =
    taken === undefined
      ? numberFrame(context, read)
      : { numbers: taken, ...(shift === undefined ? {} : { shift }) }
  if (held.isAgain === true && held.carrier.kind === 'tcp' && connection !== undefined) {
    recordAgain(context, read, interception, trace, held.dueUs, 'after', numbers)
    takeIn(context, connection, held.carrier.side, numbers.numbers.sequence, held.dueUs, receive)
  } else deliver(context, read, interception, trace, held.dueUs, receive, numbers)
}

/** An attack that ended while its message was still held: enough of it to name it. */
function endedAttack({ attackId, sentUs }: Travelling): AttackState {
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
