/** Modbus protocol data units: one row for each function that telecontrol uses, with its request and its response. */

import { type Codec, type CodecValue, fields, namesByCode, number } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'
import {
  bits,
  coil,
  counted,
  deviceObjects,
  encapsulated,
  flag,
  quantityTo,
  registers,
  serverId,
  upTo,
} from './modbus-fields.ts'

/** Exception codes (Modbus Application Protocol V1.1b3 section 7). */
export const modbusException = { illegal_function: 1, illegal_data_address: 2, illegal_data_value: 3 } as const

/** Most items that one message may carry (sections 6.1 to 6.12). */
export const modbusLimit = { readBits: 2000, readRegisters: 125, writeBits: 1968, writeRegisters: 123 } as const

const address = number('u16', 'address')

/** A function that reads several items from an address on. */
function reading<Code extends number, Value>(code: Code, limit: number, list: Codec<readonly Value[]>) {
  const request = fields({ address, quantity: quantityTo(limit) })
  return { code, request, response: fields({ values: upTo(limit, list) }) }
}

/** A function that writes several items from an address on. */
function writing<Code extends number, Value>(code: Code, values: Codec<readonly Value[]>) {
  return {
    code,
    request: fields({ address, values }),
    response: fields({ address, quantity: number('u16', 'quantity') }),
  }
}

/** A function whose response repeats its request. */
function echoing<Code extends number, Body>(code: Code, body: Codec<Body>) {
  return { code, request: body, response: body }
}

const readCode = number('u8', 'read code')

/** Each function by its name: its code, and what follows the code (section 6). Addresses count from 0. */
export const modbusFunctions = {
  read_coils: reading(1, modbusLimit.readBits, bits),
  read_discrete_inputs: reading(2, modbusLimit.readBits, bits),
  read_holding_registers: reading(3, modbusLimit.readRegisters, registers),
  read_input_registers: reading(4, modbusLimit.readRegisters, registers),
  write_single_coil: echoing(5, fields({ address, value: coil })),
  write_single_register: echoing(6, fields({ address, value: number('u16', 'value') })),
  diagnostics: echoing(8, fields({ subfunction: number('u16', 'subfunction'), data: number('u16', 'data') })),
  write_multiple_coils: writing(15, counted(modbusLimit.writeBits, bits, 8)),
  write_multiple_registers: writing(16, counted(modbusLimit.writeRegisters, registers, 1)),
  report_server_id: { code: 17, request: fields({}), response: fields({ serverId, isRunning: flag('run status') }) },
  read_device_identification: {
    code: 43,
    request: encapsulated(fields({ readCode, objectId: number('u8', 'object identifier') })),
    response: encapsulated(
      fields({
        readCode,
        conformity: number('u8', 'conformity'),
        /** True when more objects follow from `nextObjectId`. */
        moreFollows: flag('more follows'),
        nextObjectId: number('u8', 'next object'),
        objects: deviceObjects,
      }),
    ),
  },
} as const

/** The name of a function. */
export type ModbusFunction = keyof typeof modbusFunctions

type PduOf<Side extends 'request' | 'response'> = {
  [Kind in ModbusFunction]: { readonly kind: Kind } & CodecValue<(typeof modbusFunctions)[Kind][Side]>
}[ModbusFunction]

/** A request of a client. */
export type ModbusRequestPdu = PduOf<'request'>

/** An answer of a server. */
export type ModbusResponsePdu =
  | PduOf<'response'>
  | { readonly kind: 'exception'; readonly functionCode: number; readonly exceptionCode: number }

const functionNames = namesByCode(modbusFunctions, ({ code }) => code)

/**
 * Appends the PDU of a request, function code first.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function putRequest(writer: OctetWriter, pdu: ModbusRequestPdu): void {
  const { code, request } = modbusFunctions[pdu.kind]
  // A PDU has the fields of its kind.
  const codec = request as Codec<unknown>
  codec.put(writer.u8(code, 'function code'), pdu)
}

/**
 * Appends the PDU of a response, function code first.
 *
 * @throws GridError malformed_frame when a value or quantity is out of range.
 */
export function putResponse(writer: OctetWriter, pdu: ModbusResponsePdu): void {
  if (pdu.kind === 'exception') {
    writer.u8(pdu.functionCode + 0x80, 'function code').u8(pdu.exceptionCode, 'exception code')
    return
  }
  const { code, response } = modbusFunctions[pdu.kind]
  // As in `putRequest`.
  const codec = response as Codec<unknown>
  codec.put(writer.u8(code, 'function code'), pdu)
}

/** Takes the PDU of a request behind its function code; undefined after the fault `unsupported`. */
export function takeRequest(reader: OctetReader, functionCode: number): ModbusRequestPdu | undefined {
  const kind = findKind(reader, functionCode)
  // The fields are those of the kind.
  return kind && ({ kind, ...modbusFunctions[kind].request.take(reader) } as ModbusRequestPdu)
}

/** Takes the PDU of a response behind its function code; undefined after the fault `unsupported`. */
export function takeResponse(reader: OctetReader, functionCode: number): ModbusResponsePdu | undefined {
  if (functionCode >= 0x80) {
    return { kind: 'exception', functionCode: functionCode - 0x80, exceptionCode: reader.u8('exception code') }
  }
  const kind = findKind(reader, functionCode)
  // As in `takeRequest`.
  return kind && ({ kind, ...modbusFunctions[kind].response.take(reader) } as ModbusResponsePdu)
}

function findKind(reader: OctetReader, functionCode: number): ModbusFunction | undefined {
  const kind = functionNames.get(functionCode)
  if (kind !== undefined) return kind
  reader.fail('unsupported', 'function code', `function code ${functionCode} is not one that we read`, 7)
  return undefined
}
