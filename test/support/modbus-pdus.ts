/** The examples that the Modbus specification prints for each function, as octets and as PDUs, and both encoders. */

import { decodeHex, encodeHex } from '#base/hex.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import type { ModbusRequestPdu, ModbusResponsePdu } from '#grid/protocols/modbus-pdu.ts'
import { putRequest, putResponse } from '#grid/protocols/modbus-pdu.ts'

/** The octets of a request. */
export function requestHex(pdu: ModbusRequestPdu): string {
  const writer = writeOctets('request')
  putRequest(writer, pdu)
  return encodeHex(writer.done())
}

/** The octets of a response. */
export function responseHex(pdu: ModbusResponsePdu): string {
  const writer = writeOctets('response')
  putResponse(writer, pdu)
  return encodeHex(writer.done())
}

/** A list of bits from text, the first bit first. */
const bits = (text: string) => Array.from(text, (digit) => digit === '1')

/** Requests as sections 6.1 to 6.21 of the Modbus Application Protocol V1.1b3 print them. */
export const requests: readonly (readonly [hex: string, pdu: ModbusRequestPdu])[] = [
  ['0100130013', { kind: 'read_coils', address: 0x13, quantity: 0x13 }],
  ['0200c40016', { kind: 'read_discrete_inputs', address: 0xc4, quantity: 0x16 }],
  ['03006b0003', { kind: 'read_holding_registers', address: 0x6b, quantity: 3 }],
  ['0400080001', { kind: 'read_input_registers', address: 8, quantity: 1 }],
  ['0500acff00', { kind: 'write_single_coil', address: 0xac, value: true }],
  ['0600010003', { kind: 'write_single_register', address: 1, value: 3 }],
  ['080000a537', { kind: 'diagnostics', subfunction: 0, data: 0xa537 }],
  ['0f0013000a02cd01', { kind: 'write_multiple_coils', address: 0x13, values: bits('1011001110') }],
  ['100001000204000a0102', { kind: 'write_multiple_registers', address: 1, values: [0x0a, 0x0102] }],
  ['11', { kind: 'report_server_id' }],
  ['2b0e0100', { kind: 'read_device_identification', readCode: 1, objectId: 0 }],
]

/** Responses of the same sections; coils 20 to 38 are read as whole octets, with what the server padded. */
export const responses: readonly (readonly [hex: string, pdu: ModbusResponsePdu])[] = [
  ['0103cd6b05', { kind: 'read_coils', values: bits('101100111101011010100000') }],
  ['0203acdb35', { kind: 'read_discrete_inputs', values: bits('001101011101101110101100') }],
  ['0306022b00000064', { kind: 'read_holding_registers', values: [0x022b, 0, 0x64] }],
  ['0402000a', { kind: 'read_input_registers', values: [10] }],
  ['0500acff00', { kind: 'write_single_coil', address: 0xac, value: true }],
  ['0500ac0000', { kind: 'write_single_coil', address: 0xac, value: false }],
  ['0600010003', { kind: 'write_single_register', address: 1, value: 3 }],
  ['080000a537', { kind: 'diagnostics', subfunction: 0, data: 0xa537 }],
  ['0f0013000a', { kind: 'write_multiple_coils', address: 0x13, quantity: 10 }],
  ['1000010002', { kind: 'write_multiple_registers', address: 1, quantity: 2 }],
  ['11024aff', { kind: 'report_server_id', serverId: Uint8Array.of(0x4a), isRunning: true }],
  [
    '2b0e0101ff0501' + '020556322e3131',
    {
      kind: 'read_device_identification',
      readCode: 1,
      conformity: 1,
      moreFollows: true,
      nextObjectId: 5,
      objects: [{ id: 2, value: decodeHex('56322e3131') }],
    },
  ],
  ['8102', { kind: 'exception', functionCode: 1, exceptionCode: 2 }],
]
