/** Protection devices: what they publish by GOOSE, and the bays that listen and open their breakers. */

import { reportSequence } from '../../control-centre/link-monitor.ts'
import { decodeGoose, encodeGoose, type GoosePdu } from '../../protocols/goose.ts'
import {
  gooseChanged,
  gooseDelayMs,
  gooseRepeated,
  judgeGoose,
  newGoosePublisher,
} from '../../protocols/goose-publisher.ts'
import { processBusVlan } from '../../protocols/process-bus.ts'
import { toUtcTime } from '../../protocols/process-bus-fields.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { ProtectionIed } from '../../telecontrol/telecontrol.ts'
import { type Outgoing, type StepContext, type StepScene, send } from '../step-context.ts'
import type { GooseState } from '../world.ts'
import type { Station } from './station.ts'
import { isClosed, operate } from './switching.ts'

/** The cycle of a publisher's task in microseconds, by which a message leaves late at most (a PLC has 5 ms). */
const taskUs = 2_000

/** Messages of a new state before the task's cycle is seen: up to 128 ms apart. */
const fastRepetitions = 6

/** Protection devices, which publish, and the bays that subscribe. */
export const gooseStation: Station = { poll, receive }

/** Publishes what is due: a change at once, its repetitions at growing intervals, then the heartbeat. */
function poll(context: StepContext): void {
  for (const [index, ied] of context.plan.ieds.entries()) {
    const state = openState(context, ied, index)
    updateTrips(context, ied, state)
    publishDue(context, ied, state)
  }
}

/** Takes over what relays want open; a trip stays until its breaker is closed again. */
function updateTrips(context: StepContext, { branches }: ProtectionIed, state: GooseState): void {
  const wanted = branches.map(
    (branch, bit) => context.trips.includes(branch) || ((state.trips[bit] ?? false) && !isClosed(context, branch)),
  )
  if (wanted.every((trip, bit) => trip === state.trips[bit])) return
  state.trips = wanted
  state.publisher = gooseChanged(state.publisher)
  state.changedUs = context.startUs + 1_000
  state.nextUs = state.changedUs
}

function publishDue(context: StepContext, ied: ProtectionIed, state: GooseState): void {
  const heartbeatMs = context.world.configuration.heartbeat_s * 1000
  while (state.nextUs < context.endUs) {
    const payload = gooseFrame(context, ied, state)
    // A new state goes out at once, and its first repetitions have a timer of their own.
    const isStable = state.publisher.sequenceNumber >= fastRepetitions
    const lateUs = isStable ? Math.floor(context.random('goose').uniform() * taskUs) : 0
    publish(context, ied, { payload, timeUs: state.nextUs + lateUs, forged: null })
    state.nextUs += gooseDelayMs(state.publisher.sequenceNumber, heartbeatMs) * 1000
    state.publisher = gooseRepeated(state.publisher)
  }
}

function openState(context: StepContext, { node, branches }: ProtectionIed, index: number): GooseState {
  const { goose, configuration } = context.world
  goose[node] ??= {
    publisher: { ...newGoosePublisher, sequenceNumber: 20 },
    trips: branches.map(() => false),
    changedUs: context.startUs,
    // Spread the publishers over the heartbeat, as if they had started at different times.
    nextUs: context.startUs + Math.floor((index * configuration.heartbeat_s * 1e6) / context.plan.ieds.length),
    accepted: null,
  }
  return goose[node]
}

/** Encodes a message of a publisher; forgers use it with other counters. */
export function gooseFrame(
  { world }: Pick<StepScene, 'world'>,
  ied: ProtectionIed,
  { publisher, trips, changedUs }: Pick<GooseState, 'publisher' | 'trips' | 'changedUs'>,
): Uint8Array {
  const heartbeatMs = world.configuration.heartbeat_s * 1000
  return encodeGoose({
    destination: ied.destination,
    source: ied.host.mac,
    vlan: processBusVlan,
    appId: ied.appId,
    isSimulated: false,
    pdu: {
      controlBlockReference: ied.controlBlock,
      timeAllowedToLiveMs: heartbeatMs * 2,
      dataSet: `IED${ied.bus}LD0/LLN0$dsTrip`,
      id: ied.node,
      time: toUtcTime(changedUs),
      stateNumber: publisher.stateNumber,
      sequenceNumber: publisher.sequenceNumber,
      simulation: false,
      configurationRevision: 1,
      needsCommissioning: false,
      entries: trips.map((value) => ({ kind: 'boolean', value })),
    },
  })
}

/** Sends a frame to the bay of a protection device. */
export function publish(
  outgoing: Pick<Outgoing, 'queue'>,
  ied: ProtectionIed,
  frame: Pick<Message, 'payload' | 'timeUs' | 'forged'>,
): void {
  send(outgoing, {
    protocol: 'GOOSE',
    link: ied.link,
    carrier: { kind: 'ethernet' },
    srcNode: ied.node,
    dstNode: `BAY-${ied.bus}`,
    purpose: 'command',
    ...frame,
  })
}

/** Takes in a frame at a bay: it accepts a new state from any sender and ignores an old one. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const decoded = decodeGoose(payload)
  if (!decoded.ok) return
  const { pdu } = decoded.value
  const ied = context.plan.ieds.find(({ controlBlock }) => controlBlock === pdu.controlBlockReference)
  const state = ied === undefined ? undefined : context.world.goose[ied.node]
  if (ied === undefined || state === undefined) return
  const counters = { stateNumber: pdu.stateNumber, sequenceNumber: pdu.sequenceNumber }
  const verdict = judgeGoose(state.accepted ?? undefined, counters)
  if (verdict === 'stale') {
    reportSequence(context, ied.node, `stNum ${pdu.stateNumber} after ${state.accepted?.stateNumber}: two publishers`)
    return
  }
  state.accepted = counters
  if (verdict === 'changed') trip(context, ied, pdu, message.timeUs)
}

function trip(context: StepContext, ied: ProtectionIed, { entries }: GoosePdu, timeUs: number): void {
  entries.forEach((entry, bit) => {
    const branch = ied.branches[bit]
    if (branch === undefined || entry.kind !== 'boolean' || !entry.value) return
    operate(context, { branch, closed: false, cause: `GOOSE trip of ${ied.node}`, timeUs })
  })
}
