/** Phasor stations: units report in each step, and their concentrator asks for streams over TCP and takes them in. */

import { encodeHex } from '#base/hex.ts'
import { acceptPhasors } from '../../control-centre/control-centre.ts'
import {
  type C37118CommandName,
  c37118Port,
  decodeC37118,
  encodeC37118,
  fromC37118Time,
  toC37118Time,
} from '../../protocols/c37118.ts'
import { type C37118Measurement, toPolar } from '../../protocols/c37118-data.ts'
import { isRequest, type Message } from '../../telecontrol/message.ts'
import { type PmuSite, secondary } from '../../telecontrol/telecontrol.ts'
import { abortConnection, connectTo, findConnection, openConnection, sendFrom } from '../connections.ts'
import type { Dialogue } from '../dialogue.ts'
import type { StepContext, StepScene } from '../step-context.ts'
import type { Connection } from '../world.ts'
import {
  announceConfiguration,
  findSite,
  handleCommand,
  isSending,
  newPhasorDialogue,
  reportPhasors,
} from './phasor-units.ts'
import { afterHandshakeUs, answerDelayUs } from './polling.ts'
import type { Sender } from './session.ts'
import type { Station } from './station.ts'

/** Microseconds between two configurations of a stream: sent unasked over UDP, asked for over TCP. */
const configurationUs = 60_000_000

/** Microseconds from the start of a step to the first segment in it. */
const firstUs = 1_000

/** Units do not report at one moment: each of a group follows the one before by so many microseconds. */
const spread = { group: 40, spacingUs: 130 } as const

/** Microseconds without data after which the concentrator replaces a connection, or asks again on a new one. */
const timeoutUs = 10_000_000

/** Phasor measurement units, which report, and their concentrator. */
export const phasorStation: Station = { poll, receive }

/** Lets every unit report, and keeps the concentrator's connections and configurations. */
function poll(context: StepContext): void {
  for (const [index, site] of context.plan.pmus.entries()) {
    const spreadUs = (index % spread.group) * spread.spacingUs
    const connection = site.carrier === 'tcp' ? ensureConnection(context, site) : undefined
    configure(context, site, connection, context.startUs + firstUs + spreadUs)
    reportPhasors(context, site, connection, spreadUs)
  }
}

/** Sends the configuration of a stream, or asks for it, where that is due. */
function configure(context: StepContext, site: PmuSite, connection: Connection | undefined, timeUs: number): void {
  const { configured } = context.world
  const waitUs = connection === undefined || isSending(connection) ? configurationUs : timeoutUs
  // Stored states have 0 for a stream without a configuration, so that one sent at 0 has 1.
  const lastUs = configured[site.node] ?? 0
  if (lastUs !== 0 && context.startUs - lastUs < waitUs) return
  configured[site.node] = Math.max(context.startUs, 1)
  if (connection === undefined) announceConfiguration(context, site, timeUs)
  else sendCommand({ context, connection }, site, 'send_configuration_2', timeUs + afterHandshakeUs)
}

/** The connection of the concentrator to a unit; on a new one it asks for the configuration at once. */
function ensureConnection(context: StepContext, site: PmuSite): Connection {
  const id = `${site.link}#pdc`
  const { connections, configured } = context.world
  if (hasTimedOut(context, connections[id])) abortConnection(context, id, context.startUs)
  const known = connections[id]
  if (known?.flow.phase === 'established') return known
  const ends = { id, from: context.plan.pdc, to: site, port: c37118Port.tcp }
  const connection = connectTo({ ...ends, dialogue: newPhasorDialogue() }, context.random('connections'))
  openConnection(context, connection, context.startUs + firstUs)
  delete configured[site.node]
  return connection
}

/** Tests that the oldest segment that a unit sent and that has not arrived is overdue; pauses do not count. */
function hasTimedOut({ world, startUs }: StepScene, connection: Connection | undefined): boolean {
  const oldest = connection?.transit?.server?.segments[0]
  return oldest !== undefined && startUs - Math.max(oldest.sentUs, world.view.liveUs) > timeoutUs
}

/** Sends a command of the concentrator to a unit. */
function sendCommand(
  { context, connection }: Sender<Dialogue>,
  { idCode }: PmuSite,
  command: C37118CommandName,
  timeUs: number,
): void {
  const extension = new Uint8Array(0)
  const payload = encodeC37118({ idCode, time: toC37118Time(timeUs), kind: 'command', command, extension })
  sendFrom(context, connection, 'client', { timeUs, payload })
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

/** Turns a unit's data on once its configuration has come. */
function startData(context: StepContext, connection: Connection, timeUs: number): void {
  const site = findSite(context, connection)
  if (site === undefined || isSending(connection)) return
  sendCommand({ context, connection }, site, 'data_on', timeUs + answerDelayUs(context))
}

/** The phasors of a unit in per unit: the first is the voltage, all others are currents. */
function toPerUnit({ phasors }: C37118Measurement) {
  return phasors.map((phasor, index) => {
    const { magnitude, angle } = toPolar(phasor)
    return { magnitudePu: magnitude / (index === 0 ? secondary.volts : secondary.amperes), angleRad: angle }
  })
}
