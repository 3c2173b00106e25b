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
import { sendFrom } from '../connections.ts'
import type { ModbusDialogue } from '../dialogue.ts'
import type { StepContext } from '../step-context.ts'
import { ask, askMeasurements, forgeModbus } from './modbus-dialogue.ts'
import { serve } from './modbus-outstation.ts'
import { acceptStates, acceptValues, answerDelayUs, dueOutstations } from './polling.ts'
import { ensureSession, findSession, type Session } from './session.ts'
import type { OutstationStation } from './station.ts'

/** Modbus outstations: they answer the control centre's requests and report nothing by themselves. */
export const modbusStation: OutstationStation<ModbusDialogue> = {
  port: modbusPort,
  open: () => ({ protocol: 'Modbus', transaction: 0, asked: null, readFrom: 0 }),
  poll,
  receive,
  command(session, { index, closed, timeUs }, forged) {
    const pdu = { kind: 'write_single_coil', address: index, value: closed } as const
    forgeModbus(session, session.outstation.address, pdu, { timeUs, forged })
  },
}

function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'Modbus')) {
    const session = ensureSession(context, outstation, modbusStation, timeUs)
    const quantity = outstation.branches.length
    if (quantity > 0) ask(session, 'states', { kind: 'read_discrete_inputs', address: 0, quantity }, timeUs)
    else askMeasurements(session, timeUs)
  }
}

function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const session = findSession(context, message, 'Modbus')
  if (session?.sender === 'client') receiveRequest(session, payload, message.timeUs)
  else if (session?.connection.label === null) {
    const response = decodeModbusResponse(payload)
    if (response.ok) accept(session, response.value, message.timeUs)
  }
}

/** Units behind which a server on TCP answers itself, besides its own (Messaging on TCP/IP section 4.4.1.2). */
const ownUnits: readonly number[] = [0, 255]

/** Takes in a request: a server does not answer a message without a Modbus envelope, nor one for another unit. */
function receiveRequest(session: Session<ModbusDialogue>, payload: Uint8Array, timeUs: number): void {
  const { context, connection, outstation } = session
  const unitId = payload[6] ?? 0
  if (unitId !== outstation.address && !ownUnits.includes(unitId)) return
  const request = decodeModbusRequest(payload)
  const answer = (octets: Uint8Array, purpose: Message['purpose']) =>
    sendFrom(context, connection, 'server', { timeUs: timeUs + answerDelayUs(context), payload: octets, purpose })
  if (!request.ok) {
    const refusal = refuseUnread(payload, request.fault)
    if (refusal === undefined) return
    watchMaster(context, outstation, connection)
    answer(refusal, 'link')
    return
  }
  watchMaster(context, outstation, connection)
  const { pdu } = request.value
  const isWrite = pdu.kind.startsWith('write')
  if (isWrite) watchWriter(context, outstation, connection, `Modbus ${pdu.kind}`)
  if ('address' in pdu) connection.dialogue.readFrom = pdu.address
  const response = serve(context, outstation, request.value, timeUs)
  answer(encodeModbusResponse(response), isWrite ? 'link' : 'reporting')
}

function accept(session: Session<ModbusDialogue>, { pdu, transactionId }: ModbusResponse, timeUs: number): void {
  const { context, outstation } = session
  const { dialogue } = session.connection
  if (pdu.kind.startsWith('write')) watchAnswer(context, outstation, `a Modbus ${pdu.kind}`)
  if (transactionId !== dialogue.transaction) return
  const { asked } = dialogue
  dialogue.asked = null
  if (pdu.kind === 'read_discrete_inputs' && asked === 'states') {
    const states = pdu.values.slice(0, outstation.branches.length).map((closed, index) => ({ index, closed }))
    acceptStates(context, outstation, states)
    askMeasurements(session, timeUs)
  } else if (pdu.kind === 'read_input_registers' && asked === 'measurements') {
    acceptValues(context, outstation, readValues(outstation, pdu.values), timeUs)
  }
}

function readValues({ points }: Outstation, registers: readonly number[]): readonly number[] {
  return points.map((_, index) => fromRegisters(registers[index * 2] ?? 0, registers[index * 2 + 1] ?? 0))
}
