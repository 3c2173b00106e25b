/** Connections from the attacker's host to outstations, and breaker commands in the protocol of the outstation. */

import { closeConnection, connectTo, openConnection, speaks } from '../step/connections.ts'
import type { DialogueOf } from '../step/dialogue.ts'
import { outstationStations } from '../step/stations/catalogue.ts'
import { connectionId } from '../step/stations/session.ts'
import type { BreakerOrder, OutstationStation } from '../step/stations/station.ts'
import type { Connection } from '../step/world.ts'
import type { Outstation, OutstationProtocol } from '../telecontrol/telecontrol.ts'
import type { TechniqueRef } from '../types.ts'
import type { AttackDefinition, ForgeScene } from './definition.ts'
import { techniques } from './techniques.ts'

/** Microseconds into a step at which attackers act, after the polls. */
export const actUs = 60_000

/** Microseconds from the beginning of a handshake to the first request behind it. */
export const afterHandshakeUs = 2_000

/** Fields that attacks with forged commands have in common. */
export const forgedCommands = {
  technique: techniques.commandMessage,
  secondaryTechniques: [techniques.manipulationOfControl, techniques.rogueMaster],
  severity: 'CRITICAL',
  status: 'attacked',
} as const satisfies Partial<AttackDefinition>

/** Opens a connection from the attacker's host, and sends the first message of a client where the protocol has one. */
export function openRogue(
  scene: ForgeScene<unknown>,
  outstation: Outstation,
  attackType: string,
  technique: TechniqueRef,
): Connection {
  const { context, attackId } = scene
  const station: OutstationStation = outstationStations[outstation.protocol]
  const label = { attack_id: attackId, attack_type: attackType, technique, changes: [] }
  const ends = { id: rogueId(attackId, outstation), from: context.plan.attacker, to: outstation, port: station.port }
  const random = context.random(`attack ${attackId} connections`)
  const connection = { ...connectTo({ ...ends, dialogue: station.open(context.startUs) }, random), label }
  openConnection(context, connection, context.startUs + actUs)
  station.begin?.(context, connection, context.startUs + actUs + 1_000, attackId)
  return connection
}

/** Identifier of an attack's connection to an outstation. */
export function rogueId(attackId: string, outstation: Outstation): string {
  return `${outstation.link}#${attackId}`
}

/** Identifier of the connection that an attack commands an outstation over: its own, or that of the control centre. */
export function commandConnectionId(
  { attackId }: ForgeScene<unknown>,
  outstation: Outstation,
  isRogue: boolean,
): string {
  return isRogue ? rogueId(attackId, outstation) : connectionId(outstation)
}

/** The commands of an attack that sends one in each step. */
interface Turns<Protocol> {
  readonly attackType: string
  readonly protocol: Protocol
  /** True for a connection of the attack's own. */
  readonly isRogue: boolean
  readonly count: number
}

/**
 * Sends the next command over the connection for commands. One of the attack's own is opened for the first command and
 * closed a step behind the last; a forger inside the control centre's session waits until there is one.
 */
export function sendInTurn<Protocol extends OutstationProtocol>(
  scene: ForgeScene<unknown>,
  outstation: Outstation,
  { attackType, protocol, isRogue, count }: Turns<Protocol>,
  send: (connection: Connection<DialogueOf<Protocol>>, sent: number) => void,
): void {
  const { context, memory } = scene
  const sent = Number(memory.sent ?? 0)
  const id = commandConnectionId(scene, outstation, isRogue)
  if (sent >= count) {
    if (isRogue) closeConnection(context, id, context.startUs + actUs)
    return
  }
  const open = () => (isRogue ? openRogue(scene, outstation, attackType, techniques.commandMessage) : undefined)
  const connection = context.world.connections[id] ?? open()
  if (!speaks(connection, protocol)) return
  memory.sent = sent + 1
  send(connection, sent)
}

/** Ends every connection of an attack. */
export function closeRogues({ context, attackId }: ForgeScene<unknown>): void {
  for (const outstation of context.plan.outstations) {
    closeConnection(context, rogueId(attackId, outstation), context.startUs + actUs)
  }
}

/** Commands a breaker by its position at an outstation, in the outstation's protocol. */
export function commandBreaker(
  { context, attackId }: ForgeScene<unknown>,
  connection: Connection,
  outstation: Outstation,
  order: BreakerOrder,
): void {
  const { index, closed } = order
  const branch = outstation.branches[index]
  const breaker = (branch === undefined ? undefined : context.plan.breakerNames.get(branch)) ?? `point ${index}`
  const description = `Forged command: ${closed ? 'close' : 'open'} ${breaker} at ${outstation.node}`
  const station: OutstationStation = outstationStations[outstation.protocol]
  station.command({ context, connection, outstation }, order, { attackId, description })
}
