/** Modbus over TCP: requests and responses in their MBAP envelope. */

import { type Decoded, type Fault, type OctetReader, readOctets } from '../link/octet-reader.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { expectBetween } from './modbus-fields.ts'
import {
  type ModbusRequestPdu,
  type ModbusResponsePdu,
  modbusException,
  modbusFunctions,
  putRequest,
  putResponse,
  takeRequest,
  takeResponse,
} from './modbus-pdu.ts'

/** The server's TCP port. */
export const modbusPort = 502

/** A PDU in its MBAP envelope; a response carries the transaction of its request. */
export interface ModbusMessage<Pdu> {
  readonly transactionId: number
  readonly unitId: number
  readonly pdu: Pdu
}

/** A request on the wire. */
export type ModbusRequest = ModbusMessage<ModbusRequestPdu>

/** A response on the wire. */
export type ModbusResponse = ModbusMessage<ModbusResponsePdu>

/** The transaction identifier after this one: a client counts its requests modulo 65536. */
export function nextTransactionId(transactionId: number): number {
  return (transactionId + 1) & 0xffff
}

/** Refuses a request: its answer is an exception (section 7). */
export function refuse({ kind }: ModbusRequest['pdu'], exceptionCode: number): ModbusResponse['pdu'] {
  return { kind: 'exception', functionCode: modbusFunctions[kind].code, exceptionCode }
}

/** Refuses a request that cannot be read, by an exception (section 7); undefined without a whole MBAP envelope. */
export function refuseUnread(request: Uint8Array, { code }: Fault): Uint8Array | undefined {
  const view = new DataView(request.buffer, request.byteOffset, request.length)
  if (request.length < 8 || view.getUint16(2) !== 0 || view.getUint16(4) !== request.length - 6) return undefined
  const exceptionCode = code === 'unsupported' ? modbusException.illegal_function : modbusException.illegal_data_value
  const functionCode = (request[7] ?? 0) & 0x7f
  const pdu = { kind: 'exception', functionCode, exceptionCode } as const
  return encodeModbusResponse({ transactionId: view.getUint16(0), unitId: request[6] ?? 0, pdu })
}

/** Splits a number, as a 32-bit float, into two registers, high word first. */
export function toRegisters(value: number): readonly [number, number] {
  const view = new DataView(new ArrayBuffer(4))
  view.setFloat32(0, value)
  return [view.getUint16(0), view.getUint16(2)]
}

/** Joins two registers, high word first, into a 32-bit float. */
export function fromRegisters(high: number, low: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint16(0, high)
  view.setUint16(2, low)
  return view.getFloat32(0)
}

/**
 * Encodes a request.
 *
 * ```
 *  0   2  BE   transaction identifier
 *  2   2  BE   protocol identifier 0
 *  4   2  BE   length: unit identifier and PDU
 *  6   1       unit identifier
 *  7   1       function code
 *  8   .       FC 1-4:   address 2 BE, quantity 2 BE
 *              FC 5:     address 2 BE, FF00 on or 0000 off
 *              FC 6:     address 2 BE, value 2 BE
 *              FC 8:     subfunction 2 BE, data 2 BE
 *              FC 15:    address 2 BE, quantity 2 BE, octets 1, bits (first is bit 0 of the first octet)
 *              FC 16:    address 2 BE, quantity 2 BE, octets 1, values 2 BE each
 *              FC 17:    nothing
 *              FC 43/14: MEI type 0E, read code 1, object identifier 1
 * ```
 *
 * Source: Modbus Application Protocol V1.1b3 section 6; Modbus Messaging on TCP/IP V1.0b section 3.1.3.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function encodeModbusRequest(request: ModbusRequest): Uint8Array {
  return encodeMessage(request, (writer) => putRequest(writer, request.pdu))
}

/**
 * Encodes a response.
 *
 * ```
 *  0   7       MBAP header as in a request
 *  7   1       function code, with bit 7 for an exception
 *  8   .       FC 1-2:   octets 1, bits
 *              FC 3-4:   octets 1, values 2 BE each
 *              FC 5-8:   echo of the request
 *              FC 15-16: address 2 BE, quantity 2 BE
 *              FC 17:    octets 1, server identifier n, run status FF or 00
 *              FC 43/14: MEI type 0E, read code 1, conformity 1, more follows FF or 00, next object 1,
 *                        number of objects 1, then per object identifier 1, length 1, value n
 *              exception: exception code 1
 * ```
 *
 * Source: Modbus Application Protocol V1.1b3 sections 6 and 7.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function encodeModbusResponse(response: ModbusResponse): Uint8Array {
  return encodeMessage(response, (writer) => putResponse(writer, response.pdu))
}

/** Decodes a request. Faults: `truncated`, `trailing`, `protocol`, `length`, `unsupported` (function code), `value`. */
export function decodeModbusRequest(bytes: Uint8Array): Decoded<ModbusRequest> {
  return decodeMessage(bytes, 'Modbus request', takeRequest)
}

/** Decodes a response; faults as of `decodeModbusRequest`. */
export function decodeModbusResponse(bytes: Uint8Array): Decoded<ModbusResponse> {
  return decodeMessage(bytes, 'Modbus response', takeResponse)
}

function encodeMessage<Pdu>(message: ModbusMessage<Pdu>, put: (writer: OctetWriter) => void): Uint8Array {
  const writer = writeOctets('Modbus message')
    .u16(message.transactionId, 'transaction identifier')
    .u16(0, 'protocol identifier')
    .u16(0, 'length')
    .u8(message.unitId, 'unit identifier')
  put(writer)
  const bytes = writer.done()
  // Messaging on TCP/IP section 3.1.3: a PDU never exceeds 253 octets.
  expectBetween(bytes.length - 7, 1, 253, 'PDU length')
  new DataView(bytes.buffer).setUint16(4, bytes.length - 6)
  return bytes
}

function decodeMessage<Pdu>(
  bytes: Uint8Array,
  what: string,
  take: (reader: OctetReader, functionCode: number) => Pdu | undefined,
): Decoded<ModbusMessage<Pdu>> {
  const reader = readOctets(bytes, what)
  const transactionId = reader.u16('transaction identifier')
  const protocolId = reader.u16('protocol identifier')
  if (protocolId !== 0) {
    reader.fail('protocol', 'protocol identifier', `protocol identifier is ${protocolId}, expected 0`, 2)
  }
  const length = reader.u16('length')
  if (length !== reader.remaining()) {
    reader.fail('length', 'length', `length is ${length}, ${reader.remaining()} octets follow`, 4)
  }
  const unitId = reader.u8('unit identifier')
  const pdu = take(reader, reader.u8('function code'))
  return pdu === undefined ? reader.refuse() : reader.finish({ transactionId, unitId, pdu })
}
