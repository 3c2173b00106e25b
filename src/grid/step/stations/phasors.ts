/** Phasor measurement units and their concentrator: streams that begin on command, and what arrives of them. */

import { encodeHex } from '#base/hex.ts'
import { acceptPhasors } from '../../control-centre/control-centre.ts'
import { c37118Port, decodeC37118, encodeC37118, fromC37118Time, toC37118Time } from '../../protocols/c37118.ts'
import { toPolar } from '../../protocols/c37118-data.ts'
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

/** Microseconds from the start of a step to the first segment in it, and to the first command after a handshake. */
const firstUs = 1_000
/** Microseconds from a measurement to its frame. */
const reportingDelayUs = 2_000

/** Microseconds without data after which the concentrator replaces a connection, or asks again on a new one. */
const patienceUs = 10_000_000

/** Phasor measurement units, which report, and their concentrator. */
export const phasorStation: Station = { poll, receive }

/** Sends what every unit reports in this step, after its configuration: over TCP once it was asked for both. */
function poll(context: StepContext): void {
  const { pmu_rate: rate } = context.world.configuration
  for (const [index, site] of context.plan.pmus.entries()) {
    const spreadUs = (index % 40) * 130
    const connection = site.carrier === 'tcp' ? ensureConnection(context, site) : undefined
    configure(context, site, connection, context.startUs + firstUs + spreadUs)
    const clients = [
      ...(connection === undefined ? [] : [connection]),
      ...listFieldConnections(context.world, site.node),
    ]
    const carriers = [
      ...(connection === undefined ? [toPdc(context, site)] : []),
      ...clients.filter(({ dialogue }) => isSending(dialogue)).map(toClient),
    ]
    for (let count = Math.ceil((context.startUs * rate) / 1e6); ; count++) {
      const measuredUs = Math.floor((count * 1e6) / rate)
      if (measuredUs >= context.endUs) break
      const lateUs = Math.min(2_000, Math.abs(context.random('reporting').normal(0, 300)))
      const sentUs = measuredUs + reportingDelayUs + spreadUs + Math.floor(lateUs)
      const payload = dataFrame(context, site, measuredUs)
      for (const carrier of carriers) put(context, site, carrier, payload, sentUs, 'reporting')
    }
  }
}

/** Sends or asks for the configuration of a stream that is due. */
function configure(context: StepContext, site: PmuSite, connection: Connection | undefined, timeUs: number): void {
  const { configured } = context.world
  const waitUs = connection === undefined || isSending(connection.dialogue) ? configurationUs : patienceUs
  const sinceUs = configured[site.node] ?? 0
  if (sinceUs !== 0 && context.startUs - sinceUs < waitUs) return
  configured[site.node] = Math.max(context.startUs, 1)
  if (connection !== undefined) order(context, connection, site, 'send_configuration_2', timeUs + afterHandshakeUs)
  else put(context, site, toPdc(context, site), configurationFrame(context, site, 2, timeUs), timeUs, 'link')
}

function toPdc({ plan }: StepScene, { host }: PmuSite): Carrier {
  return { kind: 'udp', from: endpoint(host, c37118Port.udp), to: endpoint(plan.pdc, c37118Port.udp) }
}

function toClient({ id }: Connection): Carrier {
  return { kind: 'tcp', connection: id, side: 'server' }
}

/** The connection of the concentrator to a unit, on which it asks for the configuration first. */
function ensureConnection(context: StepContext, site: PmuSite): Connection {
  const id = `${site.link}#pdc`
  const { connections, configured } = context.world
  if (isStalled(context, connections[id])) abortConnection(context, id, context.startUs)
  const known = connections[id]
  if (known?.flow.phase === 'established') return known
  const random = context.random('connections')
  const connection = connectTo(id, context.plan.pdc, site, newPhasorDialogue(), c37118Port.tcp, random)
  openConnection(context, connection, context.startUs + firstUs)
  configured[site.node] = 0
  return connection
}

/** Sends a command of the concentrator to a unit. */
function order(
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

/** Tests that the concentrator has waited too long for what comes next on a connection. */
function isStalled({ world, startUs }: StepScene, connection: Connection | undefined): boolean {
  const oldest = connection?.transit?.server?.segments[0]
  return oldest !== undefined && startUs - Math.max(oldest.sentUs, world.view.liveUs) > patienceUs
}

/** Sends a frame of a unit over a carrier. */
function put(
  context: StepContext,
  site: PmuSite,
  carrier: Carrier,
  payload: Uint8Array,
  timeUs: number,
  purpose: Message['purpose'],
): void {
  send(context, {
    protocol: 'C37.118',
    link: site.link,
    carrier,
    srcNode: site.node,
    dstNode: context.plan.pdc.node,
    timeUs,
    payload,
    purpose,
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

/** Obeys a command at a unit (IEEE C37.118.2 table 15); what it cannot read it ignores. */
function obey(context: StepContext, connection: Connection, { timeUs }: Message, payload: Uint8Array): void {
  const site = context.plan.pmus.find(({ node }) => node === connection.serverNode)
  const decoded = decodeC37118(payload)
  const { dialogue } = connection
  if (site === undefined || dialogue.protocol !== 'C37.118' || !decoded.ok) return
  const frame = decoded.value
  if (frame.kind !== 'command' || frame.idCode !== site.idCode) return
  const answer = (octets: Uint8Array) =>
    put(context, site, toClient(connection), octets, timeUs + answerDelayUs(context), 'link')
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

/** Takes in a command at a unit, and data at the concentrator, which turns them on after the configuration. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  if (connection !== undefined && isRequest(message.carrier)) {
    obey(context, connection, message, payload)
    return
  }
  const decoded = decodeC37118(payload, context.configurationOf(message.link))
  if (!decoded.ok || message.dstNode !== context.plan.pdc.node) return
  if (decoded.value.kind === 'configuration_2' && connection !== undefined && !isSending(connection.dialogue)) {
    const site = context.plan.pmus.find(({ node }) => node === connection.serverNode)
    if (site !== undefined) order(context, connection, site, 'data_on', message.timeUs + answerDelayUs(context))
  }
  if (decoded.value.kind !== 'data') return
  const [unit] = decoded.value.pmus
  if (unit === undefined) return
  acceptPhasors(context, message.srcNode, {
    measuredUs: fromC37118Time(decoded.value.time),
    arrivedUs: message.timeUs,
    frequencyHz: unit.frequencyHz,
    rocofHzPerS: unit.rocofHzPerS,
    phasors: unit.phasors.map((phasor, index) => {
      const { magnitude, angle } = toPolar(phasor)
      return { magnitudePu: magnitude / (index === 0 ? secondary.volts : secondary.amperes), angleRad: angle }
    }),
    // Everything between the time stamp and the checksum.
    fingerprint: encodeHex(payload.subarray(14, payload.length - 2)),
  })
}
