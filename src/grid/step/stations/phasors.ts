/** Phasor measurement units and their concentrator: streams that begin on command, and what arrives of them. */

import { encodeHex } from '#base/hex.ts'
import { acceptPhasors } from '../../control-centre/control-centre.ts'
import { c37118Port, decodeC37118, encodeC37118, fromC37118Time, toC37118Time } from '../../protocols/c37118.ts'
import { type C37118Measurement, toPolar } from '../../protocols/c37118-data.ts'
import { type Carrier, isRequest, type Message } from '../../telecontrol/message.ts'
import { endpoint, type PmuSite, secondary } from '../../telecontrol/telecontrol.ts'
import {
  abortConnection,
  connectTo,
  findConnection,
  listFieldConnections,
  openConnection,
  sendFrom,
} from '../connections.ts'
import type { Dialogue, PhasorDialogue } from '../dialogue.ts'
import { type StepContext, type StepScene, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { configurationFrame, dataFrame } from './phasor-frames.ts'
import { afterHandshakeUs, answerDelayUs } from './polling.ts'
import type { Station } from './station.ts'

/** Microseconds between two configurations of a stream: sent unasked over UDP, asked for over TCP. */
const configurationUs = 60_000_000

/** Microseconds from the start of a step to the first segment in it. */
const firstUs = 1_000

/** Microseconds from a measurement to its frame: always, and the deviation and the bound of the random part. */
const reportingDelay = { leastUs: 2_000, deviationUs: 300, mostRandomUs: 2_000 } as const

/** Units do not report at one moment: each of a group follows the one before by so many microseconds. */
const spread = { group: 40, spacingUs: 130 } as const

/** Microseconds without data after which the concentrator replaces a connection, or asks again on a new one. */
const timeoutUs = 10_000_000

/** Phasor measurement units, which report, and their concentrator. */
export const phasorStation: Station = { poll, receive }

/** Sends every frame of data that falls into this step, to the concentrator and to masters from outside. */
function poll(context: StepContext): void {
  for (const [index, site] of context.plan.pmus.entries()) {
    const spreadUs = (index % spread.group) * spread.spacingUs
    const connection = site.carrier === 'tcp' ? ensureConnection(context, site) : undefined
    configure(context, site, connection, context.startUs + firstUs + spreadUs)
    report(context, site, listReceivers(context, site, connection), spreadUs)
  }
}

/** The receivers of a unit's data: the concentrator over UDP, and each connection on which data was turned on. */
function listReceivers(context: StepContext, site: PmuSite, connection: Connection | undefined): readonly Carrier[] {
  const fromOutside = listFieldConnections(context.world, site.node)
  const clients = connection === undefined ? fromOutside : [connection, ...fromOutside]
  const sending = clients.filter(({ dialogue }) => isSending(dialogue)).map(toClient)
  return connection === undefined ? [toPdc(context, site), ...sending] : sending
}

function report(context: StepContext, site: PmuSite, receivers: readonly Carrier[], spreadUs: number): void {
  const { pmu_rate: rate } = context.world.configuration
  for (let count = Math.ceil((context.startUs * rate) / 1e6); ; count++) {
    const measuredUs = Math.floor((count * 1e6) / rate)
    if (measuredUs >= context.endUs) return
    const randomUs = Math.abs(context.random('reporting').normal(0, reportingDelay.deviationUs))
    const delayUs = reportingDelay.leastUs + Math.floor(Math.min(reportingDelay.mostRandomUs, randomUs))
    const payload = dataFrame(context, site, measuredUs)
    for (const receiver of receivers) {
      sendFrame(context, site, receiver, { payload, timeUs: measuredUs + delayUs + spreadUs, purpose: 'reporting' })
    }
  }
}

/** Sends the configuration of a stream, or asks for it, where that is due. */
function configure(context: StepContext, site: PmuSite, connection: Connection | undefined, timeUs: number): void {
  const { configured } = context.world
  const waitUs = connection === undefined || isSending(connection.dialogue) ? configurationUs : timeoutUs
  // Stored states have 0 for a stream without a configuration, so that one sent at 0 has 1.
  const lastUs = configured[site.node] ?? 0
  if (lastUs !== 0 && context.startUs - lastUs < waitUs) return
  configured[site.node] = Math.max(context.startUs, 1)
  if (connection !== undefined) {
    sendCommand(context, connection, site, 'send_configuration_2', timeUs + afterHandshakeUs)
    return
  }
  const payload = configurationFrame(context, site, 2, timeUs)
  sendFrame(context, site, toPdc(context, site), { payload, timeUs, purpose: 'link' })
}

function toPdc({ plan }: StepScene, { host }: PmuSite): Carrier {
  return { kind: 'udp', from: endpoint(host, c37118Port.udp), to: endpoint(plan.pdc, c37118Port.udp) }
}

function toClient({ id }: Connection): Carrier {
  return { kind: 'tcp', connection: id, side: 'server' }
}

/** The connection of the concentrator to a unit; on a new one it asks for the configuration at once. */
function ensureConnection(context: StepContext, site: PmuSite): Connection {
  const id = `${site.link}#pdc`
  const { connections, configured } = context.world
  if (hasTimedOut(context, connections[id])) abortConnection(context, id, context.startUs)
  const known = connections[id]
  if (known?.flow.phase === 'established') return known
  const random = context.random('connections')
  const connection = connectTo(id, context.plan.pdc, site, newPhasorDialogue(), c37118Port.tcp, random)
  openConnection(context, connection, context.startUs + firstUs)
  delete configured[site.node]
  return connection
}

/** Sends a command of the concentrator to a unit. */
function sendCommand(
  context: StepContext,
  connection: Connection,
  { idCode }: PmuSite,
  command: 'send_configuration_2' | 'data_on',
  timeUs: number,
): void {
  const extension = new Uint8Array(0)
  const payload = encodeC37118({ idCode, time: toC37118Time(timeUs), kind: 'command', command, extension })
  sendFrom(context, connection, 'client', { timeUs, payload })
}

/** Tests that the oldest segment that a unit sent and that has not arrived is overdue; pauses do not count. */
function hasTimedOut({ world, startUs }: StepScene, connection: Connection | undefined): boolean {
  const oldest = connection?.transit?.server?.segments[0]
  return oldest !== undefined && startUs - Math.max(oldest.sentUs, world.view.liveUs) > timeoutUs
}

/** Sends a frame of a unit over a carrier. */
function sendFrame(
  context: StepContext,
  site: PmuSite,
  carrier: Carrier,
  frame: Pick<Message, 'payload' | 'timeUs' | 'purpose'>,
): void {
  send(context, {
    protocol: 'C37.118',
    link: site.link,
    carrier,
    srcNode: site.node,
    dstNode: context.plan.pdc.node,
    ...frame,
    forged: null,
  })
}

/** The state of a connection on which no data was asked for. */
export function newPhasorDialogue(): PhasorDialogue {
  return { protocol: 'C37.118' }
}

function isSending(dialogue: Dialogue): boolean {
  return dialogue.protocol === 'C37.118' && dialogue.isSending === true
}

/** Takes in a message: a command at a unit, anything else at the concentrator. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  if (connection !== undefined && isRequest(message.carrier)) {
    handleCommand(context, connection, message.timeUs, payload)
    return
  }
  const decoded = decodeC37118(payload, context.configurationOf(message.link))
  if (!decoded.ok || message.dstNode !== context.plan.pdc.node) return
  const frame = decoded.value
  if (frame.kind === 'configuration_2' && connection !== undefined) startData(context, connection, message.timeUs)
  if (frame.kind !== 'data') return
  const [measurement] = frame.pmus
  if (measurement === undefined) return
  acceptPhasors(context, message.srcNode, {
    measuredUs: fromC37118Time(frame.time),
    arrivedUs: message.timeUs,
    frequencyHz: measurement.frequencyHz,
    rocofHzPerS: measurement.rocofHzPerS,
    phasors: toPerUnit(measurement),
    // Everything between the time stamp and the checksum.
    fingerprint: encodeHex(payload.subarray(14, payload.length - 2)),
  })
}

/** Handles a command at a unit (IEEE C37.118.2 table 15), which ignores one that it cannot read. */
function handleCommand(context: StepContext, connection: Connection, timeUs: number, payload: Uint8Array): void {
  const site = findSite(context, connection)
  const decoded = decodeC37118(payload)
  const { dialogue } = connection
  if (site === undefined || dialogue.protocol !== 'C37.118' || !decoded.ok) return
  const frame = decoded.value
  if (frame.kind !== 'command' || frame.idCode !== site.idCode) return
  const answer = (octets: Uint8Array) => {
    const sentUs = timeUs + answerDelayUs(context)
    sendFrame(context, site, toClient(connection), { payload: octets, timeUs: sentUs, purpose: 'link' })
  }
  switch (frame.command) {
    case 'data_on':
    case 'data_off':
      dialogue.isSending = frame.command === 'data_on'
      return
    case 'send_header': {
      const head = { idCode: site.idCode, time: toC37118Time(timeUs) }
      answer(encodeC37118({ ...head, kind: 'header', text: `${site.node} at bus ${site.bus}` }))
      return
    }
    case 'send_configuration_1':
    case 'send_configuration_2':
      answer(configurationFrame(context, site, frame.command === 'send_configuration_1' ? 1 : 2, timeUs))
  }
}

/** Turns a unit's data on once its configuration has come. */
function startData(context: StepContext, connection: Connection, timeUs: number): void {
  const site = findSite(context, connection)
  if (site === undefined || isSending(connection.dialogue)) return
  sendCommand(context, connection, site, 'data_on', timeUs + answerDelayUs(context))
}

function findSite({ plan }: StepScene, { serverNode }: Connection): PmuSite | undefined {
  return plan.pmus.find(({ node }) => node === serverNode)
}

/** The phasors of a unit in per unit: the first is the voltage, all others are currents. */
function toPerUnit({ phasors }: C37118Measurement) {
  return phasors.map((phasor, index) => {
    const { magnitude, angle } = toPolar(phasor)
    return { magnitudePu: magnitude / (index === 0 ? secondary.volts : secondary.amperes), angleRad: angle }
  })
}
