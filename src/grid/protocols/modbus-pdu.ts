/** Modbus protocol data units: the functions that telecontrol uses, encoded and decoded without their envelope. */

import { GridError } from '../errors.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Function codes (Modbus Application Protocol V1.1b3 section 6). */
export const modbusFunction = {
  read_coils: 1,
  read_discrete_inputs: 2,
  read_holding_registers: 3,
  read_input_registers: 4,
  write_single_coil: 5,
  write_single_register: 6,
  diagnostics: 8,
  write_multiple_coils: 15,
  write_multiple_registers: 16,
  report_server_id: 17,
  read_device_identification: 43,
} as const

/** The name of a function. */
export type ModbusFunction = keyof typeof modbusFunction

/** Exception codes (section 7). */
export const modbusException = {
  illegal_function: 1,
  illegal_data_address: 2,
  illegal_data_value: 3,
  server_device_failure: 4,
  acknowledge: 5,
  server_device_busy: 6,
} as const

/** Most items that one message may carry (sections 6.1 to 6.12). */
export const modbusLimit = {
  readBits: 2000,
  readRegisters: 125,
  writeBits: 1968,
  writeRegisters: 123,
} as const

/** What a client asks. Addresses count from 0; registers are 16 bits without sign. */
export type ModbusRequestPdu =
  | {
      readonly kind: 'read_coils' | 'read_discrete_inputs'
      readonly address: number
      readonly quantity: number
    }
  | {
      readonly kind: 'read_holding_registers' | 'read_input_registers'
      readonly address: number
      readonly quantity: number
    }
  | { readonly kind: 'write_single_coil'; readonly address: number; readonly value: boolean }
  | { readonly kind: 'write_single_register'; readonly address: number; readonly value: number }
  | { readonly kind: 'diagnostics'; readonly subfunction: number; readonly data: number }
  | { readonly kind: 'write_multiple_coils'; readonly address: number; readonly values: readonly boolean[] }
  | {
      readonly kind: 'write_multiple_registers'
      readonly address: number
      readonly values: readonly number[]
    }
  | { readonly kind: 'report_server_id' }
  | { readonly kind: 'read_device_identification'; readonly readCode: number; readonly objectId: number }

/** One object of a device identification: 0 vendor, 1 product code, 2 revision, and so on. */
export interface ModbusDeviceObject {
  readonly id: number
  readonly value: Uint8Array
}

/** What a server answers. Bits come in whole octets: a decoded list is padded with false to a multiple of 8. */
export type ModbusResponsePdu =
  | { readonly kind: 'read_coils' | 'read_discrete_inputs'; readonly values: readonly boolean[] }
  | { readonly kind: 'read_holding_registers' | 'read_input_registers'; readonly values: readonly number[] }
  | { readonly kind: 'write_single_coil'; readonly address: number; readonly value: boolean }
  | { readonly kind: 'write_single_register'; readonly address: number; readonly value: number }
  | { readonly kind: 'diagnostics'; readonly subfunction: number; readonly data: number }
  | {
      readonly kind: 'write_multiple_coils' | 'write_multiple_registers'
      readonly address: number
      readonly quantity: number
    }
  | { readonly kind: 'report_server_id'; readonly serverId: Uint8Array; readonly isRunning: boolean }
  | {
      readonly kind: 'read_device_identification'
      readonly readCode: number
      readonly conformity: number
      /** Whether more objects follow from `nextObjectId`. */
      readonly moreFollows: boolean
      readonly nextObjectId: number
      readonly objects: readonly ModbusDeviceObject[]
    }
  | { readonly kind: 'exception'; readonly functionCode: number; readonly exceptionCode: number }

/**
 * Appends the PDU of a request, function code first.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function putRequest(writer: OctetWriter, pdu: ModbusRequestPdu): void {
  writer.u8(modbusFunction[pdu.kind], 'function code')
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
      expectBetween(pdu.quantity, 1, modbusLimit.readBits, 'quantity')
      writer.u16(pdu.address, 'address').u16(pdu.quantity, 'quantity')
      return
    case 'read_holding_registers':
    case 'read_input_registers':
      expectBetween(pdu.quantity, 1, modbusLimit.readRegisters, 'quantity')
      writer.u16(pdu.address, 'address').u16(pdu.quantity, 'quantity')
      return
    case 'write_multiple_coils':
      expectBetween(pdu.values.length, 1, modbusLimit.writeBits, 'quantity')
      writer.u16(pdu.address, 'address').u16(pdu.values.length, 'quantity')
      putBits(writer, pdu.values)
      return
    case 'write_multiple_registers':
      expectBetween(pdu.values.length, 1, modbusLimit.writeRegisters, 'quantity')
      writer.u16(pdu.address, 'address').u16(pdu.values.length, 'quantity')
      putRegisters(writer, pdu.values)
      return
    case 'report_server_id':
      return
    case 'read_device_identification':
      writer.u8(14, 'MEI type').u8(pdu.readCode, 'read code').u8(pdu.objectId, 'object identifier')
      return
    default:
      putEcho(writer, pdu)
  }
}

/**
 * Appends the PDU of a response, function code first.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function putResponse(writer: OctetWriter, pdu: ModbusResponsePdu): void {
  writer.u8(pdu.kind === 'exception' ? pdu.functionCode + 0x80 : modbusFunction[pdu.kind], 'function code')
  switch (pdu.kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
      expectBetween(pdu.values.length, 1, modbusLimit.readBits, 'quantity')
      putBits(writer, pdu.values)
      return
    case 'read_holding_registers':
    case 'read_input_registers':
      expectBetween(pdu.values.length, 1, modbusLimit.readRegisters, 'quantity')
      putRegisters(writer, pdu.values)
      return
    case 'write_multiple_coils':
    case 'write_multiple_registers':
      writer.u16(pdu.address, 'address').u16(pdu.quantity, 'quantity')
      return
    case 'report_server_id':
      writer.u8(pdu.serverId.length + 1, 'octets').bytes(pdu.serverId)
      writer.u8(pdu.isRunning ? 0xff : 0, 'run status')
      return
    case 'read_device_identification':
      putIdentification(writer, pdu)
      return
    case 'exception':
      writer.u8(pdu.exceptionCode, 'exception code')
      return
    default:
      putEcho(writer, pdu)
  }
}

type EchoPdu = Extract<
  ModbusRequestPdu,
  { kind: 'write_single_coil' | 'write_single_register' | 'diagnostics' }
>

/** The three messages whose response repeats the request. */
function putEcho(writer: OctetWriter, pdu: EchoPdu): void {
  if (pdu.kind === 'diagnostics') writer.u16(pdu.subfunction, 'subfunction').u16(pdu.data, 'data')
  else if (pdu.kind === 'write_single_register') writer.u16(pdu.address, 'address').u16(pdu.value, 'value')
  else writer.u16(pdu.address, 'address').u16(pdu.value ? 0xff00 : 0, 'value')
}

function putBits(writer: OctetWriter, values: readonly boolean[]): void {
  const octets = new Uint8Array(Math.ceil(values.length / 8))
  for (const [at, value] of values.entries())
    if (value) octets[at >>> 3] = (octets[at >>> 3] ?? 0) | (1 << (at & 7))
  writer.u8(octets.length, 'octets').bytes(octets)
}

function putRegisters(writer: OctetWriter, values: readonly number[]): void {
  writer.u8(values.length * 2, 'octets')
  for (const value of values) writer.u16(value, 'value')
}

function putIdentification(
  writer: OctetWriter,
  pdu: Extract<ModbusResponsePdu, { kind: 'read_device_identification' }>,
): void {
  writer
    .u8(14, 'MEI type')
    .u8(pdu.readCode, 'read code')
    .u8(pdu.conformity, 'conformity')
    .u8(pdu.moreFollows ? 0xff : 0, 'more follows')
    .u8(pdu.nextObjectId, 'next object')
    .u8(pdu.objects.length, 'number of objects')
  for (const object of pdu.objects) {
    writer.u8(object.id, 'object identifier').u8(object.value.length, 'object length').bytes(object.value)
  }
}

/**
 * Refuses a number out of bounds.
 *
 * @throws GridError malformed_frame when it is.
 */
export function expectBetween(value: number, low: number, high: number, field: string): void {
  if (value >= low && value <= high) return
  throw new GridError(
    'malformed_frame',
    `Cannot encode Modbus message: ${field} is ${value}, expected ${low} to ${high}`,
  )
}

/** A function code as its name. */
function functionName(code: number): ModbusFunction | undefined {
  return functionNames.get(code)
}

// Object.entries widens keys to string; the table above has no others.
const functionNames = new Map(
  Object.entries(modbusFunction).map(([name, code]) => [code as number, name as ModbusFunction]),
)

/** Takes the PDU of a request behind its function code; undefined after the fault `unsupported`. */
export function takeRequest(reader: OctetReader, functionCode: number): ModbusRequestPdu | undefined {
  const kind = functionName(functionCode)
  switch (kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
      return { kind, address: reader.u16('address'), quantity: takeQuantity(reader, modbusLimit.readBits) }
    case 'read_holding_registers':
    case 'read_input_registers':
      return {
        kind,
        address: reader.u16('address'),
        quantity: takeQuantity(reader, modbusLimit.readRegisters),
      }
    case 'write_multiple_coils': {
      const address = reader.u16('address')
      const quantity = takeQuantity(reader, modbusLimit.writeBits)
      const values = takeBits(reader)
      if (values.length !== Math.ceil(quantity / 8) * 8) wrongCount(reader, quantity)
      return { kind, address, values: values.slice(0, quantity) }
    }
    case 'write_multiple_registers': {
      const address = reader.u16('address')
      const quantity = takeQuantity(reader, modbusLimit.writeRegisters)
      const values = takeRegisters(reader)
      if (values.length !== quantity) wrongCount(reader, quantity)
      return { kind, address, values }
    }
    case 'report_server_id':
      return { kind }
    case 'read_device_identification':
      takeMeiType(reader)
      return { kind, readCode: reader.u8('read code'), objectId: reader.u8('object identifier') }
    case undefined:
      return unknownFunction(reader, functionCode)
    default:
      return takeEcho(reader, kind)
  }
}

/** Takes the PDU of a response behind its function code; undefined after the fault `unsupported`. */
export function takeResponse(reader: OctetReader, functionCode: number): ModbusResponsePdu | undefined {
  if (functionCode >= 0x80) {
    return {
      kind: 'exception',
      functionCode: functionCode - 0x80,
      exceptionCode: reader.u8('exception code'),
    }
  }
  const kind = functionName(functionCode)
  switch (kind) {
    case 'read_coils':
    case 'read_discrete_inputs':
      return { kind, values: takeBits(reader) }
    case 'read_holding_registers':
    case 'read_input_registers':
      return { kind, values: takeRegisters(reader) }
    case 'write_multiple_coils':
    case 'write_multiple_registers':
      return { kind, address: reader.u16('address'), quantity: reader.u16('quantity') }
    case 'report_server_id': {
      const octets = reader.u8('octets')
      if (octets === 0) reader.fail('length', 'octets', 'octet count is 0, expected at least 1')
      return {
        kind,
        serverId: reader.take(octets - 1, 'server identifier'),
        isRunning: takeSwitch(reader, 'run status'),
      }
    }
    case 'read_device_identification':
      return takeIdentification(reader)
    case undefined:
      return unknownFunction(reader, functionCode)
    default:
      return takeEcho(reader, kind)
  }
}

function unknownFunction(reader: OctetReader, functionCode: number): undefined {
  reader.fail('unsupported', 'function code', `function code ${functionCode} is not one that we read`, 7)
  return undefined
}

function takeEcho(reader: OctetReader, kind: EchoPdu['kind']): EchoPdu {
  const first = reader.u16(kind === 'diagnostics' ? 'subfunction' : 'address')
  const second = reader.u16(kind === 'diagnostics' ? 'data' : 'value')
  if (kind === 'diagnostics') return { kind, subfunction: first, data: second }
  if (kind === 'write_single_register') return { kind, address: first, value: second }
  if (second !== 0 && second !== 0xff00) {
    reader.fail('value', 'value', `coil value is ${second}, expected 0x0000 or 0xFF00`, 10)
  }
  return { kind, address: first, value: second !== 0 }
}

function takeIdentification(reader: OctetReader): ModbusResponsePdu {
  takeMeiType(reader)
  const readCode = reader.u8('read code')
  const conformity = reader.u8('conformity')
  const moreFollows = takeSwitch(reader, 'more follows')
  const nextObjectId = reader.u8('next object')
  const count = reader.u8('number of objects')
  const objects: ModbusDeviceObject[] = []
  while (objects.length < count && !reader.failed()) {
    const id = reader.u8('object identifier')
    objects.push({ id, value: reader.take(reader.u8('object length'), 'object value') })
  }
  return { kind: 'read_device_identification', readCode, conformity, moreFollows, nextObjectId, objects }
}

function takeMeiType(reader: OctetReader): void {
  const type = reader.u8('MEI type')
  if (type !== 14) reader.fail('unsupported', 'MEI type', `MEI type is ${type}, expected 14`, 8)
}

function takeSwitch(reader: OctetReader, field: string): boolean {
  const value = reader.u8(field)
  if (value !== 0 && value !== 0xff) reader.fail('value', field, `${field} is ${value}, expected 0 or 255`)
  return value !== 0
}

function takeQuantity(reader: OctetReader, limit: number): number {
  const quantity = reader.u16('quantity')
  if (quantity < 1 || quantity > limit) {
    reader.fail('value', 'quantity', `quantity is ${quantity}, expected 1 to ${limit}`, 10)
  }
  return quantity
}

function takeBits(reader: OctetReader): boolean[] {
  const octets = reader.take(reader.u8('octets'), 'bits')
  return Array.from(
    { length: octets.length * 8 },
    (_, at) => (((octets[at >>> 3] ?? 0) >>> (at & 7)) & 1) === 1,
  )
}

function takeRegisters(reader: OctetReader): number[] {
  const octets = reader.u8('octets')
  if (octets % 2 !== 0) reader.fail('length', 'octets', `octet count ${octets} is odd`)
  const values: number[] = []
  while (values.length < octets / 2 && !reader.failed()) values.push(reader.u16('value'))
  return values
}

function wrongCount(reader: OctetReader, quantity: number): void {
  reader.fail('length', 'octets', `octet count does not fit quantity ${quantity}`, 12)
}
