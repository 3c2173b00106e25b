/** The attacker's own connections to outstations, and breaker commands in whatever protocol the outstation speaks. */

import { newTcpFlow } from '../link/tcp-flow.ts'
import { dnp3Port, newDnp3Sequence } from '../protocols/dnp3.ts'
import { dnp3ControlCode } from '../protocols/dnp3-objects.ts'
import { iec104Cause, iec104Port } from '../protocols/iec104.ts'
import { newIec104Link } from '../protocols/iec104-link.ts'
import {
  encodeModbusRequest,
  type ModbusRequestPdu,
  modbusPort,
  nextTransactionId,
} from '../protocols/modbus.ts'
import { openConnection } from '../step/connections.ts'
import { requestDnp3 } from '../step/stations/dnp3.ts'
import { putAsdu, startTransfer, toAsdu } from '../step/stations/iec104.ts'
import { send } from '../step/step-context.ts'
import type { Connection, Dialogue } from '../step/world.ts'
import { endpoint, type Outstation, objectAddress } from '../telecontrol/telecontrol.ts'
import type { TechniqueRef } from '../types.ts'
import type { AttackScene } from './definition.ts'

const ports = { Modbus: modbusPort, DNP3: dnp3Port, IEC104: iec104Port } as const

/** Microseconds into a step at which attackers act, after the polls. */
export const actUs = 60_000

/** Opens a connection from the attacker's host and, for IEC 104, starts the data transfer. */
export function openRogue(
  scene: AttackScene<unknown>,
  outstation: Outstation,
  attackType: string,
  technique: TechniqueRef,
): Connection {
  const { context, attackId } = scene
  const random = context.random(`attack ${attackId} connections`)
  const client = endpoint(context.plan.attacker, random.integer(49_152, 65_535))
  const server = endpoint(outstation.host, ports[outstation.protocol])
  const connection: Connection = {
    id: rogueId(attackId, outstation),
    link: outstation.link,
    clientNode: context.plan.attacker.node,
    serverNode: outstation.node,
    flow: newTcpFlow(client, server, { client: random.uint32(), server: random.uint32() }),
    dialogue: newDialogue(outstation.protocol, context.startUs),
    label: { attack_id: attackId, attack_type: attackType, technique, changes: [] },
  }
  openConnection(context, connection, context.startUs + actUs)
  if (outstation.protocol === 'IEC104') {
    const forged = { attackId, description: `STARTDT from a second master to ${outstation.node}` }
    startTransfer(context, connection, context.startUs + actUs + 1_000, forged)
  }
  return connection
}

/** Identifier of an attack's connection to an outstation. */
export function rogueId(attackId: string, outstation: Outstation): string {
  return `${outstation.link}#${attackId}`
}

function newDialogue(protocol: Outstation['protocol'], startUs: number): Dialogue {
  switch (protocol) {
    case 'Modbus':
      return { protocol, transaction: 0, asked: null }
    case 'DNP3':
      return { protocol, master: newDnp3Sequence, outstation: newDnp3Sequence, selected: null }
    case 'IEC104':
      return { protocol, client: newIec104Link, server: newIec104Link, lastUs: startUs }
  }
}

/** Sends a Modbus request on a connection, the control centre's or the attacker's own. */
export function forgeModbus(
  scene: AttackScene<unknown>,
  connection: Connection,
  unitId: number,
  pdu: ModbusRequestPdu,
  description: string,
  timeUs: number,
): void {
  const { dialogue, id, link, clientNode, serverNode, label } = connection
  if (dialogue.protocol !== 'Modbus') return
  // On somebody else's connection the transaction must not be one that its owner waits for.
  const transactionId =
    label === null ? (dialogue.transaction + 0x1000) & 0xffff : nextTransactionId(dialogue.transaction)
  if (label !== null) dialogue.transaction = transactionId
  send(scene.context, {
    protocol: 'Modbus',
    link,
    carrier: { kind: 'tcp', connection: id, side: 'client' },
    srcNode: clientNode,
    dstNode: serverNode,
    timeUs,
    payload: encodeModbusRequest({ transactionId, unitId, pdu }),
    purpose: 'command',
    forged: { attackId: scene.attackId, description },
  })
}

/** Commands a breaker by its position at an outstation, in the outstation's protocol. */
export function commandBreaker(
  scene: AttackScene<unknown>,
  connection: Connection,
  outstation: Outstation,
  index: number,
  closed: boolean,
  timeUs: number,
): void {
  const { context, attackId } = scene
  const branch = outstation.branches[index]
  const breaker =
    (branch === undefined ? undefined : context.plan.breakerNames.get(branch)) ?? `point ${index}`
  const description = `Forged command: ${closed ? 'close' : 'open'} ${breaker} at ${outstation.node}`
  const forged = { attackId, description }
  switch (outstation.protocol) {
    case 'Modbus': {
      const pdu = { kind: 'write_single_coil', address: index, value: closed } as const
      forgeModbus(scene, connection, outstation.address, pdu, description, timeUs)
      return
    }
    case 'DNP3': {
      const code = closed ? dnp3ControlCode.close : dnp3ControlCode.trip
      const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
      const object = { kind: 'control', qualifier: 'index8', points: [point] } as const
      requestDnp3(context, connection, 'direct_operate', [object], timeUs, forged)
      return
    }
    case 'IEC104': {
      const command = (select: boolean) =>
        toAsdu({
          type: 'C_SC_NA_1',
          objects: [{ address: objectAddress.command + index, isOn: closed, select, qualifier: 0 }],
          cause: iec104Cause.activation,
          commonAddress: outstation.address,
        })
      putAsdu(context, connection, 'client', command(true), timeUs, forged)
      putAsdu(context, connection, 'client', command(false), timeUs + 12_000, forged)
    }
  }
}
