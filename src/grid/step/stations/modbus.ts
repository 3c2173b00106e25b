/** Modbus outstations: the master that reads them, and the server that answers reads and obeys writes. */

import { watchAnswer, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import {
  takesPowerReference,
  takesVoltageSetpoint,
  writePowerReference,
  writeVoltageSetpoint,
} from '../../plant/machine-orders.ts'
import {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusRequest,
  encodeModbusResponse,
  exceptionTo,
  fromRegisters,
  type ModbusRequest,
  type ModbusRequestPdu,
  type ModbusResponse,
  modbusException,
  modbusPort,
  nextTransactionId,
  toRegisters,
} from '../../protocols/modbus.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { findConnection } from '../connections.ts'
import { type StepContext, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { acceptStates, acceptValues, answerDelayUs, dueOutstations, ensureConnection } from './polling.ts'
import type { OutstationStation } from './station.ts'
import { operate } from './switching.ts'

/** Microseconds after a handshake at which the first request may leave. */
const afterHandshakeUs = 900

/** Holding registers of a station with a machine: voltage set point in 0.001 pu, power reference in 0.1 MW. */
export const holdingRegister = { voltage: 0, power: 1 } as const

/** What both ends of a Modbus connection remember. */
export interface ModbusDialogue {
  readonly protocol: 'Modbus'
  transaction: number
  /** What the control centre waits for. */
  asked: 'states' | 'measurements' | 'write' | null
}

/** Modbus outstations: they answer the control centre's requests and report nothing by themselves. */
export const modbusStation: OutstationStation = {
  port: modbusPort,
  open: () => ({ protocol: 'Modbus', transaction: 0, asked: null }),
  poll,
  receive,
  command(context, connection, { address }, { index, closed, timeUs }, forged) {
    const pdu = { kind: 'write_single_coil', address: index, value: closed } as const
    writeModbus(context, connection, address, pdu, timeUs, forged)
  },
}

/** Asks every outstation whose turn it is. */
function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'Modbus')) {
    const { connection } = ensureConnection(context, outstation, modbusStation, timeUs)
    const quantity = outstation.branches.length
    if (quantity > 0) {
      ask(
        context,
        connection,
        outstation,
        'states',
        { kind: 'read_discrete_inputs', address: 0, quantity },
        timeUs,
      )
    } else askMeasurements(context, connection, outstation, timeUs)
  }
}

function askMeasurements(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  timeUs: number,
): void {
  const quantity = outstation.points.length * 2
  const pdu: ModbusRequestPdu = { kind: 'read_input_registers', address: 0, quantity }
  ask(context, connection, outstation, 'measurements', pdu, timeUs)
}

function ask(
  context: StepContext,
  connection: Connection,
  outstation: Outstation,
  asked: 'states' | 'measurements',
  pdu: ModbusRequestPdu,
  timeUs: number,
): void {
  const { dialogue } = connection
  if (dialogue.protocol !== 'Modbus') return
  dialogue.transaction = nextTransactionId(dialogue.transaction)
  dialogue.asked = asked
  const request = { transactionId: dialogue.transaction, unitId: outstation.address, pdu }
  send(context, {
    ...envelope(connection, 'client'),
    purpose: 'link',
    timeUs: timeUs + afterHandshakeUs,
    payload: encodeModbusRequest(request),
    forged: null,
  })
}

function envelope(
  connection: Connection,
  side: 'client' | 'server',
): Pick<Message, 'protocol' | 'link' | 'carrier' | 'srcNode' | 'dstNode'> {
  const { id, link, clientNode, serverNode } = connection
  return {
    protocol: 'Modbus',
    link,
    carrier: { kind: 'tcp', connection: id, side },
    srcNode: side === 'client' ? clientNode : serverNode,
    dstNode: side === 'client' ? serverNode : clientNode,
  }
}

/** Takes in a message of a Modbus connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  if (connection === undefined || outstation === undefined || message.carrier.kind !== 'tcp') return
  if (message.carrier.side === 'client') {
    const request = decodeModbusRequest(payload)
    // A server does not answer what it cannot read, nor what is meant for another unit.
    if (!request.ok || request.value.unitId !== outstation.address) return
    watchMaster(context, outstation, connection)
    const { kind } = request.value.pdu
    if (kind.startsWith('write')) watchWriter(context, outstation, connection, `Modbus ${kind}`)
    const response = serve(context, outstation, request.value, message.timeUs)
    send(context, {
      ...envelope(connection, 'server'),
      purpose: kind.startsWith('write') ? 'link' : 'reporting',
      timeUs: message.timeUs + answerDelayUs(context),
      payload: encodeModbusResponse(response),
      forged: null,
    })
  } else if (connection.label === null) {
    const response = decodeModbusResponse(payload)
    if (response.ok) accept(context, connection, outstation, response.value, message.timeUs)
  }
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
    const states = pdu.values.slice(0, outstation.branches.length)
    acceptStates(
      context,
      outstation,
      states.map((closed, index) => ({ index, closed })),
    )
    askMeasurements(context, connection, outstation, timeUs)
  } else if (pdu.kind === 'read_input_registers' && asked === 'measurements') {
    const values = outstation.points.map((_, index) =>
      fromRegisters(pdu.values[index * 2] ?? 0, pdu.values[index * 2 + 1] ?? 0),
    )
    acceptValues(context, outstation, values, timeUs)
  }
}

/**
 * Sends a write on a connection, the control centre's or an attacker's own.
 *
 * @param unitId - The unit that is addressed; an outstation ignores requests to others.
 */
export function writeModbus(
  context: StepContext,
  connection: Connection,
  unitId: number,
  pdu: ModbusRequestPdu,
  timeUs: number,
  forged: Message['forged'],
): void {
  const { dialogue, label } = connection
  if (dialogue.protocol !== 'Modbus') return
  // In the control centre's own session the transaction must not be one that it waits for.
  const transactionId =
    label === null ? (dialogue.transaction + 0x1000) & 0xffff : nextTransactionId(dialogue.transaction)
  if (label !== null) dialogue.transaction = transactionId
  send(context, {
    ...envelope(connection, 'client'),
    purpose: 'command',
    timeUs,
    payload: encodeModbusRequest({ transactionId, unitId, pdu }),
    forged,
  })
}

/** What the server does with a request: reads answer from the last scan, writes act on the grid. */
function serve(
  context: StepContext,
  outstation: Outstation,
  request: ModbusRequest,
  timeUs: number,
): ModbusResponse {
  const { pdu } = request
  const sample = context.world.samples[outstation.node]
  const answer = (response: ModbusResponse['pdu']): ModbusResponse => ({ ...request, pdu: response })
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs': {
      const bits = sample?.closed ?? []
      if (pdu.address + pdu.quantity > bits.length) break
      return answer({ kind: pdu.kind, values: bits.slice(pdu.address, pdu.address + pdu.quantity) })
    }
    case 'read_input_registers': {
      const words = (sample?.values ?? []).flatMap((value) => [...toRegisters(value)])
      if (pdu.address + pdu.quantity > words.length) break
      return answer({ kind: pdu.kind, values: words.slice(pdu.address, pdu.address + pdu.quantity) })
    }
    case 'write_single_coil': {
      if (!writeCoil(context, outstation, pdu.address, pdu.value, timeUs)) break
      return answer(pdu)
    }
    case 'write_multiple_coils': {
      if (pdu.address + pdu.values.length > outstation.branches.length) break
      pdu.values.forEach((value, index) => {
        writeCoil(context, outstation, pdu.address + index, value, timeUs)
      })
      return answer({ kind: pdu.kind, address: pdu.address, quantity: pdu.values.length })
    }
    case 'write_single_register':
    case 'write_multiple_registers': {
      const values = pdu.kind === 'write_single_register' ? [pdu.value] : pdu.values
      const fault = writeRegisters(context, outstation, pdu.address, values)
      if (fault !== undefined) return exceptionTo(request, fault)
      if (pdu.kind === 'write_single_register') return answer(pdu)
      return answer({ kind: pdu.kind, address: pdu.address, quantity: values.length })
    }
    default:
      return exceptionTo(request, modbusException.illegal_function)
  }
  return exceptionTo(request, modbusException.illegal_data_address)
}

function writeCoil(
  context: StepContext,
  outstation: Outstation,
  address: number,
  value: boolean,
  timeUs: number,
): boolean {
  const branch = outstation.branches[address]
  if (branch === undefined) return false
  operate(context, branch, value, `Modbus write to ${outstation.node} coil ${address}`, timeUs)
  return true
}

/** Writes every register or none: all values are checked before the first is written. */
function writeRegisters(
  context: StepContext,
  outstation: Outstation,
  address: number,
  values: readonly number[],
): number | undefined {
  const { world, network } = context
  const { bus } = outstation
  const hasMachine = network.generators.some((unit) => unit.bus === bus)
  const last = address + values.length - 1
  if (!hasMachine || last > holdingRegister.power) return modbusException.illegal_data_address
  const isTaken = (value: number, index: number) =>
    address + index === holdingRegister.voltage
      ? takesVoltageSetpoint(network, bus, value / 1000)
      : takesPowerReference(network, bus, value / 10)
  if (!values.every(isTaken)) return modbusException.illegal_data_value
  for (const [index, value] of values.entries()) {
    const isVoltage = address + index === holdingRegister.voltage
    if (isVoltage) writeVoltageSetpoint(world.plant, network, bus, value / 1000)
    else writePowerReference(world.plant, network, bus, value / 10)
    context.effects.push({
      machine: `bus ${bus}`,
      [isVoltage ? 'voltage set point' : 'power reference']: String(value),
    })
  }
  return undefined
}
