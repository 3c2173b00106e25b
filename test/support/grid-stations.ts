/** Outstations with their connections inside one open step, and what is queued there: for tests of stations. */

import { encodeHex } from '#base/hex.ts'
import { envelope } from '#grid/step/connections.ts'
import type { Dialogue, DialogueOf } from '#grid/step/dialogue.ts'
import { outstationStations } from '#grid/step/stations/catalogue.ts'
import { ensureSession, type Session } from '#grid/step/stations/session.ts'
import type { OutstationStation } from '#grid/step/stations/station.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Connection, Sample } from '#grid/step/world.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { endpoint, type OutstationProtocol } from '#grid/telecontrol/telecontrol.ts'
import { contextOf } from './grid-context.ts'
import { startWorld } from './grid-session.ts'
import { must } from './must.ts'

/** Opens a step of case14 and the control centre's session with an outstation, with a sample of its last scan. */
export function stationScene<Protocol extends OutstationProtocol>(
  protocol: Protocol,
  node: string,
  sample?: Sample,
): Session<DialogueOf<Protocol>> {
  const context = contextOf(startWorld())
  const outstation = must(context.plan.outstations.find((one) => one.node === node))
  if (sample !== undefined) context.world.samples[node] = sample
  // The row of the table is of this protocol.
  const station = outstationStations[protocol] as OutstationStation as OutstationStation<DialogueOf<Protocol>>
  return ensureSession(context, outstation, station, context.startUs)
}

/** Opens a connection from the attacker's host to the same outstation. */
export function rogueConnection<Spoken extends Dialogue>(scene: Session<Spoken>): Connection<Spoken> {
  const { context, outstation, connection } = scene
  const station: OutstationStation = outstationStations[outstation.protocol]
  const { flow } = connection
  const rogue: Connection<Spoken> = {
    ...connection,
    id: `${outstation.link}#ORDER-1`,
    clientNode: context.plan.attacker.node,
    flow: { ...flow, client: endpoint(context.plan.attacker, 50_123) },
    dialogue: station.open(context.startUs) as Spoken, // of the same station
    label: { attack_id: 'ORDER-1', attack_type: 'ORDER', technique: null, changes: [] },
  }
  context.world.connections[rogue.id] = rogue
  return rogue
}

/** A message of one end of a connection, as its receiver takes it in. */
export function arriving(
  { context }: Pick<Session<Dialogue>, 'context'>,
  connection: Connection,
  side: 'client' | 'server',
  payload: Uint8Array,
): Message {
  return { ...envelope(connection, side), timeUs: context.startUs + 1_000, payload, purpose: 'link', forged: null }
}

/** Lists the queue of a step: microseconds after its start, sender, octets and purpose. */
export function queued({ queue, startUs }: StepContext) {
  return queue.map(({ timeUs, srcNode, payload, purpose }) => ({
    afterUs: timeUs - startUs,
    srcNode,
    hex: encodeHex(payload),
    purpose,
  }))
}

/** The alarms of a step as `detector where`. */
export function alarmsIn({ world }: StepContext): readonly string[] {
  return world.view.alarms.map(({ detector, where }) => `${detector} ${where}`)
}
