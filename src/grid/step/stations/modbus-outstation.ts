/** The Modbus outstation: reads answer from the last scan, writes act on breakers and machines. */

import {
  takesPowerReference,
  takesVoltageSetpoint,
  writePowerReference,
  writeVoltageSetpoint,
} from '../../plant/machine-orders.ts'
import { exceptionTo, type ModbusRequest, type ModbusResponse, toRegisters } from '../../protocols/modbus.ts'
import { modbusException } from '../../protocols/modbus-pdu.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { StepContext } from '../step-context.ts'
import type { Sample } from '../world.ts'
import { operate } from './switching.ts'

/** Holding registers of a station with a machine: voltage set point in 0.001 pu, power reference in 0.1 MW. */
export const holdingRegister = { voltage: 0, power: 1 } as const

/** What the server does with a request: reads answer from the last scan, writes act on the grid. */
export function serve(
  context: StepContext,
  outstation: Outstation,
  request: ModbusRequest,
  timeUs: number,
): ModbusResponse {
  const served = carryOut(context, outstation, request.pdu, timeUs)
  return typeof served === 'number' ? exceptionTo(request, served) : { ...request, pdu: served }
}

/** The answer to a request, or the code of the exception that refuses it. */
type Served = ModbusResponse['pdu'] | number

function carryOut(
  context: StepContext,
  outstation: Outstation,
  pdu: ModbusRequest['pdu'],
  timeUs: number,
): Served {
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
    case 'read_input_registers':
      return read(context.world.samples[outstation.node], pdu)
    case 'write_single_coil':
      return writeCoils(context, outstation, pdu.address, [pdu.value], timeUs) ?? pdu
    case 'write_multiple_coils': {
      const { kind, address, values } = pdu
      const written = { kind, address, quantity: values.length }
      return writeCoils(context, outstation, address, values, timeUs) ?? written
    }
    case 'write_single_register':
      return writeRegisters(context, outstation, pdu.address, [pdu.value]) ?? pdu
    case 'write_multiple_registers': {
      const { kind, address, values } = pdu
      return (
        writeRegisters(context, outstation, address, values) ?? { kind, address, quantity: values.length }
      )
    }
    default:
      return modbusException.illegal_function
  }
}

/** Reads breaker states, or values as pairs of registers, of the last scan. */
function read(
  sample: Sample | undefined,
  { kind, address, quantity }: Extract<ModbusRequest['pdu'], { readonly quantity: number }>,
): Served {
  const end = address + quantity
  if (kind === 'read_coils' || kind === 'read_discrete_inputs') {
    const bits = sample?.closed ?? []
    return end > bits.length
      ? modbusException.illegal_data_address
      : { kind, values: bits.slice(address, end) }
  }
  const words = (sample?.values ?? []).flatMap((value) => [...toRegisters(value)])
  return end > words.length
    ? modbusException.illegal_data_address
    : { kind, values: words.slice(address, end) }
}

/** Writes every coil or none; the code of an exception where one is not there. */
function writeCoils(
  context: StepContext,
  { branches, node }: Outstation,
  address: number,
  values: readonly boolean[],
  timeUs: number,
): number | undefined {
  if (address + values.length > branches.length) return modbusException.illegal_data_address
  for (const [index, value] of values.entries()) {
    const branch = branches[address + index]
    if (branch === undefined) continue
    operate(context, branch, value, `Modbus write to ${node} coil ${address + index}`, timeUs)
  }
  return undefined
}

/** Writes every register or none: all values are checked before the first is written. */
function writeRegisters(
  context: StepContext,
  { bus }: Outstation,
  address: number,
  values: readonly number[],
): number | undefined {
  const { network } = context
  const hasMachine = network.generators.some((unit) => unit.bus === bus)
  const last = address + values.length - 1
  if (!hasMachine || last > holdingRegister.power) return modbusException.illegal_data_address
  const isTaken = (value: number, index: number) =>
    address + index === holdingRegister.voltage
      ? takesVoltageSetpoint(network, bus, value / 1000)
      : takesPowerReference(network, bus, value / 10)
  if (!values.every(isTaken)) return modbusException.illegal_data_value
  for (const [index, value] of values.entries()) writeRegister(context, bus, address + index, value)
  return undefined
}

function writeRegister(
  { world, network, effects }: StepContext,
  bus: number,
  register: number,
  value: number,
): void {
  const isVoltage = register === holdingRegister.voltage
  if (isVoltage) writeVoltageSetpoint(world.plant, network, bus, value / 1000)
  else writePowerReference(world.plant, network, bus, value / 10)
  effects.push({
    machine: `bus ${bus}`,
    [isVoltage ? 'voltage set point' : 'power reference']: String(value),
  })
}
