/** Modbus PDUs to octets, without their envelope. */

import { GridError } from '../errors.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import {
  type ModbusEchoPdu,
  type ModbusRequestPdu,
  type ModbusResponsePdu,
  modbusFunction,
  modbusLimit,
} from './modbus-pdu.ts'

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

function putEcho(writer: OctetWriter, pdu: ModbusEchoPdu): void {
  if (pdu.kind === 'diagnostics') writer.u16(pdu.subfunction, 'subfunction').u16(pdu.data, 'data')
  else if (pdu.kind === 'write_single_register') writer.u16(pdu.address, 'address').u16(pdu.value, 'value')
  else writer.u16(pdu.address, 'address').u16(pdu.value ? 0xff00 : 0, 'value')
}

function putBits(writer: OctetWriter, values: readonly boolean[]): void {
  const octets = new Uint8Array(Math.ceil(values.length / 8))
  for (const [at, value] of values.entries()) if (value) octets[at >>> 3] = (octets[at >>> 3] ?? 0) | (1 << (at & 7))
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
