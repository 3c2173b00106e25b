/** The Modbus outstation: reads answer from the last scan, writes act on breakers and machines. */

import { product } from '../../configuration.ts'
import {
  readMachineOrders,
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
import { readCounters } from './outstation-state.ts'
import { operate, type Switchgear } from './switching.ts'

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<StepScene, 'network'>

/** Holding registers of a station with a machine: voltage set point in 0.001 pu, power reference in 0.1 MW. */
export const holdingRegister = { voltage: 0, power: 1 } as const

/** The first input register of the counters, each in two registers, high word first. */
const counterRegister = 1000

/** Serves a request: reads answer from the last scan, writes act on the grid, and what is wrong gets an exception. */
export function serve(context: Server, outstation: Outstation, request: ModbusRequest, timeUs: number): ModbusResponse {
  return { ...request, pdu: carryOut({ context, outstation, timeUs }, request.pdu) }
}

/** The outstation that serves a request, at a time. */
interface Serving {
  readonly context: Server
  readonly outstation: Outstation
  readonly timeUs: number
}

type Request = ModbusRequest['pdu']

/** The answer to a request; a refusal is an exception. */
type Answer = ModbusResponse['pdu']

function carryOut(serving: Serving, pdu: Request): Answer {
  const { context, outstation } = serving
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
      return readBits(context.world.samples[outstation.node], pdu)
    case 'read_input_registers':
    case 'read_holding_registers':
      return readRegisters(serving, pdu)
    case 'report_server_id':
      return { kind: pdu.kind, serverId: new TextEncoder().encode(outstation.node), isRunning: true }
    case 'diagnostics':
      // Subfunction 0 returns its data (section 6.8).
      return pdu.subfunction === 0 ? pdu : refuse(pdu, modbusException.illegal_function)
    case 'read_device_identification':
      return identify(outstation, pdu)
    case 'write_single_coil':
      return writeCoils(serving, pdu, [pdu.value]) ?? pdu
    case 'write_multiple_coils':
      return writeCoils(serving, pdu, pdu.values) ?? confirm(pdu)
    case 'write_single_register':
      return writeRegisters(serving, pdu, [pdu.value]) ?? pdu
    case 'write_multiple_registers':
      return writeRegisters(serving, pdu, pdu.values) ?? confirm(pdu)
    default:
      return refuse(pdu, modbusException.illegal_function)
  }
}

type OfKind<Kind extends Request['kind']> = Request & { readonly kind: Kind }
type Write = Extract<Request, { readonly address: number }>

function readBits(sample: Sample | undefined, pdu: OfKind<'read_coils' | 'read_discrete_inputs'>): Answer {
  const { kind, address, quantity } = pdu
  const values = (sample?.closed ?? []).slice(address, address + quantity)
  return values.length < quantity ? refuse(pdu, modbusException.illegal_data_address) : { kind, values }
}

/** Reads values of the last scan as pairs of registers, counters likewise, and the set points of a machine. */
function readRegisters(serving: Serving, pdu: OfKind<'read_input_registers' | 'read_holding_registers'>): Answer {
  const { kind, address, quantity } = pdu
  const isCounter = kind === 'read_input_registers' && address >= counterRegister
  const from = isCounter ? address - counterRegister : address
  const words = isCounter ? readCounterWords(serving) : readWords(serving, kind)
  const values = words.slice(from, from + quantity)
  return values.length < quantity ? refuse(pdu, modbusException.illegal_data_address) : { kind, values }
}

function readCounterWords({ context: { world }, outstation }: Serving): readonly number[] {
  return readCounters(world, outstation).flatMap((count) => [Math.floor(count / 0x10000), count % 0x10000])
}

function readWords(serving: Serving, kind: 'read_input_registers' | 'read_holding_registers'): readonly number[] {
  if (kind === 'read_holding_registers') return readSetPoints(serving)
  const { context, outstation } = serving
  return (context.world.samples[outstation.node]?.values ?? []).flatMap((value) => [...toRegisters(value)])
}

/** The holding registers of a station with a machine, as writes set them. */
function readSetPoints({ context: { world, network }, outstation: { bus } }: Serving): readonly number[] {
  const setPoints = readMachineOrders(world.plant, network, bus)
  return setPoints === undefined
    ? []
    : [Math.round(setPoints.voltagePu * 1000), Math.max(0, Math.min(0xffff, Math.round(setPoints.powerMw * 10)))]
}

/** Objects of the identification (section 6.21): basic ones first, regular ones from 3 on. */
function identify(outstation: Outstation, pdu: OfKind<'read_device_identification'>): Answer {
  const texts = ['Sluice', 'GRID-RTU', product.version, '', 'Simulated outstation', 'RTU', outstation.node]
  const all = texts.map((text, id) => ({ id, value: new TextEncoder().encode(text) }))
  const { kind, readCode, objectId } = pdu
  const wanted =
    readCode === 4
      ? all.filter(({ id }) => id === objectId)
      : all.filter(({ id }) => id < (readCode === 1 ? 3 : all.length) && id >= (objectId < all.length ? objectId : 0))
  if (readCode < 1 || readCode > 4) return refuse(pdu, modbusException.illegal_data_value)
  if (wanted.length === 0) return refuse(pdu, modbusException.illegal_data_address)
  // Conformity 82: regular identification, as a stream and by object.
  return { kind, readCode, conformity: 0x82, moreFollows: false, nextObjectId: 0, objects: wanted }
}

function confirm({ kind, address, values }: OfKind<'write_multiple_coils' | 'write_multiple_registers'>): Answer {
  return { kind, address, quantity: values.length }
}

/** Writes every coil or none, and then gives a refusal. */
function writeCoils(
  { context, outstation: { branches, node }, timeUs }: Serving,
  pdu: Write,
  values: readonly boolean[],
): Answer | undefined {
  const { address } = pdu
  if (address + values.length > branches.length) return refuse(pdu, modbusException.illegal_data_address)
  for (const [index, closed] of values.entries()) {
    const branch = branches[address + index]
    if (branch === undefined) continue
    operate(context, { branch, closed, cause: `Modbus write to ${node} coil ${address + index}`, timeUs })
  }
  return undefined
}

/** Writes every register or none, and then gives a refusal: all values are checked before the first is written. */
function writeRegisters({ context, outstation: { bus } }: Serving, pdu: Write, values: readonly number[]) {
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
  effects.push({ machine: `bus ${bus}`, [isVoltage ? 'voltage set point' : 'power reference']: String(value) })
}
