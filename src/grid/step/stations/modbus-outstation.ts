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
