/** Modbus stations: the control centre reads outstations, and messages at either end are taken in. */

import { watchAnswer, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusResponse,
  fromRegisters,
  type ModbusResponse,
  modbusPort,
  refuseUnread,
} from '../../protocols/modbus.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { envelope, findConnection } from '../connections.ts'
import { type StepContext, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { ask, askMeasurements, forgeModbus } from './modbus-dialogue.ts'
import { serve } from './modbus-outstation.ts'
import { acceptStates, acceptValues, answerDelayUs, dueOutstations, ensureConnection } from './polling.ts'
import type { OutstationStation } from './station.ts'

/** Modbus outstations: they answer the control centre's requests and report nothing by themselves. */
export const modbusStation: OutstationStation = {
  port: modbusPort,
  open: () => ({ protocol: 'Modbus', transaction: 0, asked: null, readFrom: 0 }),
  poll,
  receive,
  command(context, connection, { address }, { index, closed, timeUs }, forged) {
    const pdu = { kind: 'write_single_coil', address: index, value: closed } as const
    forgeModbus(context, connection, address, pdu, timeUs, forged)
  },
}

function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'Modbus')) {
    const { connection } = ensureConnection(context, outstation, modbusStation, timeUs)
    const quantity = outstation.branches.length
    if (quantity > 0) {
      const pdu = { kind: 'read_discrete_inputs', address: 0, quantity } as const
      ask(context, connection, outstation, 'states', pdu, timeUs)
    } else askMeasurements(context, connection, outstation, timeUs)
  }
}

/** Takes in a message of a Modbus connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  if (connection === undefined || outstation === undefined || message.carrier.kind !== 'tcp') return
  if (message.carrier.side === 'client') {
    receiveRequest(context, connection, outstation, message, payload)
  } else if (connection.label === null) {
    const response = decodeModbusResponse(payload)
    if (response.ok) accept(context, connection, outstation, response.value, message.timeUs)
  }
}

/** Units behind which a server on TCP answers itself, besides its own (Messaging on TCP/IP section 4.4.1.2). */
const ownUnits: readonly number[] = [0, 255]

/** Takes in a request: a server does not answer a message without a Modbus envelope, nor one for another unit. */
function receiveRequest(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  message: Message,
  payload: Uint8Array,
): void {
  const request = decodeModbusRequest(payload)
  const unitId = payload[6] ?? 0
  if (unitId !== outstation.address && !ownUnits.includes(unitId)) return
  const refusal = request.ok ? undefined : refuseUnread(payload, request.fault)
  if (!request.ok && refusal === undefined) return
  watchMaster(context, outstation, connection)
  const kind = request.ok ? request.value.pdu.kind : ''
  if (kind.startsWith('write')) watchWriter(context, outstation, connection, `Modbus ${kind}`)
  if (request.ok && connection.dialogue.protocol === 'Modbus' && 'address' in request.value.pdu) {
    connection.dialogue.readFrom = request.value.pdu.address
  }
  const answer = request.ok ? encodeModbusResponse(serve(context, outstation, request.value, message.timeUs)) : refusal
  if (answer === undefined) return
  send(context, {
    ...envelope(connection, 'server'),
    purpose: request.ok && !kind.startsWith('write') ? 'reporting' : 'link',
    timeUs: message.timeUs + answerDelayUs(context),
    payload: answer,
    forged: null,
  })
}

function accept(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  { pdu, transactionId }: ModbusResponse,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'Modbus') return
  if (pdu.kind.startsWith('write')) watchAnswer(context, outstation, `a Modbus ${pdu.kind}`)
  if (transactionId !== dialogue.transaction) return
  const asked = dialogue.asked
  dialogue.asked = null
  if (pdu.kind === 'read_discrete_inputs' && asked === 'states') {
    const states = pdu.values.slice(0, outstation.branches.length).map((closed, index) => ({ index, closed }))
    acceptStates(context, outstation, states)
    askMeasurements(context, connection, outstation, timeUs)
  } else if (pdu.kind === 'read_input_registers' && asked === 'measurements') {
    acceptValues(context, outstation, readValues(outstation, pdu.values), timeUs)
  }
}

function readValues({ points }: Outstation, registers: readonly number[]): readonly number[] {
  return points.map((_, index) => fromRegisters(registers[index * 2] ?? 0, registers[index * 2 + 1] ?? 0))
}
