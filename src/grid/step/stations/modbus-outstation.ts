/** The Modbus outstation: reads answer from the last scan, writes act on breakers and machines. */

import {
  takesPowerReference,
  takesVoltageSetpoint,
  writePowerReference,
  writeVoltageSetpoint,
} from '../../plant/machine-orders.ts'
import { type ModbusRequest, type ModbusResponse, refuse, toRegisters } from '../../protocols/modbus.ts'
import { modbusException } from '../../protocols/modbus-pdu.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'
import type { Sample } from '../world.ts'
import { operate, type Switchgear } from './switching.ts'

/** The parts of a step that the server touches. */
type Server = Switchgear & Pick<StepScene, 'network'>

/** Holding registers of a station with a machine: voltage set point in 0.001 pu, power reference in 0.1 MW. */
export const holdingRegister = { voltage: 0, power: 1 } as const

/** Serves a request: reads answer from the last scan, writes act on the grid, and what is wrong gets an exception. */
export function serve(context: Server, outstation: Outstation, request: ModbusRequest, timeUs: number): ModbusResponse {
  return { ...request, pdu: carryOut(context, outstation, request.pdu, timeUs) }
}

type Request = ModbusRequest['pdu']

/** The answer to a request; a refusal is an exception. */
type Answer = ModbusResponse['pdu']

function carryOut(context: Server, outstation: Outstation, pdu: Request, timeUs: number): Answer {
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
    case 'read_input_registers':
      return read(context.world.samples[outstation.node], pdu)
    case 'write_single_coil':
      return writeCoils(context, outstation, pdu, [pdu.value], timeUs) ?? pdu
    case 'write_multiple_coils': {
      const { kind, address, values } = pdu
      const written = { kind, address, quantity: values.length }
      return writeCoils(context, outstation, pdu, values, timeUs) ?? written
    }
    case 'write_single_register':
      return writeRegisters(context, outstation, pdu, [pdu.value]) ?? pdu
    case 'write_multiple_registers': {
      const { kind, address, values } = pdu
      const written = { kind, address, quantity: values.length }
      return writeRegisters(context, outstation, pdu, values) ?? written
    }
    default:
      return refuse(pdu, modbusException.illegal_function)
  }
}

/** A request that writes from an address on. */
type Write = Extract<Request, { readonly address: number }>

/** Reads breaker states, or values as pairs of registers, of the last scan. */
function read(sample: Sample | undefined, pdu: Extract<Request, { readonly quantity: number }>): Answer {
  const { kind, address, quantity } = pdu
  const end = address + quantity
  if (kind === 'read_coils' || kind === 'read_discrete_inputs') {
    const bits = sample?.closed ?? []
    return end > bits.length
      ? refuse(pdu, modbusException.illegal_data_address)
      : { kind, values: bits.slice(address, end) }
  }
  const words = (sample?.values ?? []).flatMap((value) => [...toRegisters(value)])
  return end > words.length
    ? refuse(pdu, modbusException.illegal_data_address)
    : { kind, values: words.slice(address, end) }
}

/** Writes every coil or none, and then gives a refusal. */
function writeCoils(
  context: Server,
  { branches, node }: Outstation,
  pdu: Write,
  values: readonly boolean[],
  timeUs: number,
): Answer | undefined {
  const { address } = pdu
  if (address + values.length > branches.length) return refuse(pdu, modbusException.illegal_data_address)
  for (const [index, value] of values.entries()) {
    const branch = branches[address + index]
    if (branch === undefined) continue
    operate(context, branch, value, `Modbus write to ${node} coil ${address + index}`, timeUs)
  }
  return undefined
}

/** Writes every register or none, and then gives a refusal: all values are checked before the first is written. */
function writeRegisters(
  context: Server,
  { bus }: Outstation,
  pdu: Write,
  values: readonly number[],
): Answer | undefined {
  const { network } = context
  const { address } = pdu
  const hasMachine = network.generators.some((unit) => unit.bus === bus)
  const last = address + values.length - 1
  if (!hasMachine || last > holdingRegister.power) return refuse(pdu, modbusException.illegal_data_address)
  const isTaken = (value: number, index: number) =>
    address + index === holdingRegister.voltage
      ? takesVoltageSetpoint(network, bus, value / 1000)
      : takesPowerReference(network, bus, value / 10)
  if (!values.every(isTaken)) return refuse(pdu, modbusException.illegal_data_value)
  for (const [index, value] of values.entries()) writeRegister(context, bus, address + index, value)
  return undefined
}

function writeRegister({ world, network, effects }: Server, bus: number, register: number, value: number): void {
  const isVoltage = register === holdingRegister.voltage
  if (isVoltage) writeVoltageSetpoint(world.plant, network, bus, value / 1000)
  else writePowerReference(world.plant, network, bus, value / 10)
  effects.push({
    machine: `bus ${bus}`,
    [isVoltage ? 'voltage set point' : 'power reference']: String(value),
  })
}
