/** Modbus PDUs from octets, without their envelope. */

import type { OctetReader } from '../link/octet-reader.ts'
import {
  type ModbusDeviceObject,
  type ModbusEchoPdu,
  type ModbusFunction,
  type ModbusRequestPdu,
  type ModbusResponsePdu,
  modbusFunction,
  modbusLimit,
} from './modbus-pdu.ts'

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

function takeEcho(reader: OctetReader, kind: ModbusEchoPdu['kind']): ModbusEchoPdu {
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
  return Array.from({ length: octets.length * 8 }, (_, at) => (((octets[at >>> 3] ?? 0) >>> (at & 7)) & 1) === 1)
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
