/**
 * Modbus protocol data units: one row for each function that telecontrol uses, with its request and its response. Offsets
 * of faults count from the MBAP envelope around a unit.
 */

import { GridError } from '../errors.ts'
import { type Codec, type CodecValue, fields, namesByCode, number, takeEach } from '../link/codec.ts'
import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Exception codes (Modbus Application Protocol V1.1b3 section 7). */
export const modbusException = {
  illegal_function: 1,
  illegal_data_address: 2,
  illegal_data_value: 3,
  acknowledge: 5,
} as const

/** Most items that one message may carry (sections 6.1 to 6.12). */
export const modbusLimit = { readBits: 2000, readRegisters: 125, writeBits: 1968, writeRegisters: 123 } as const

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

const address = number('u16', 'address')

function quantityTo(limit: number): Codec<number> {
  return {
    put(writer, quantity) {
      expectBetween(quantity, 1, limit, 'quantity')
      writer.u16(quantity, 'quantity')
    },
    take(reader) {
      const quantity = reader.u16('quantity')
      const state = `quantity is ${quantity}, expected 1 to ${limit}`
      if (quantity < 1 || quantity > limit) reader.fail('value', 'quantity', state, 10)
      return quantity
    },
  }
}

/** Bits in whole octets, the first in bit 0: a decoded list is padded with false to a multiple of 8. */
const bits: Codec<readonly boolean[]> = {
  put(writer, values) {
    const octets = new Uint8Array(Math.ceil(values.length / 8))
    for (const [at, value] of values.entries()) if (value) octets[at >>> 3] = (octets[at >>> 3] ?? 0) | (1 << (at & 7))
    writer.u8(octets.length, 'octets').bytes(octets)
  },
  take(reader) {
    const octets = reader.take(reader.u8('octets'), 'bits')
    return Array.from({ length: octets.length * 8 }, (_, at) => (((octets[at >>> 3] ?? 0) >>> (at & 7)) & 1) === 1)
  },
}

/** Registers of 16 bits without sign. */
const registers: Codec<readonly number[]> = {
  put(writer, values) {
    writer.u8(values.length * 2, 'octets')
    for (const value of values) writer.u16(value, 'value')
  },
  take(reader) {
    const octets = reader.u8('octets')
    if (octets % 2 !== 0) reader.fail('length', 'octets', `octet count ${octets} is odd`)
    return takeEach(reader, octets / 2, () => reader.u16('value'))
  },
}

/** A list with at most so many items. */
function upTo<Value>(limit: number, list: Codec<readonly Value[]>): Codec<readonly Value[]> {
  return {
    put(writer, values) {
      expectBetween(values.length, 1, limit, 'quantity')
      list.put(writer, values)
    },
    take: list.take,
  }
}

/** A list to write behind its quantity; `unit` is the number of items that lie together: 8 bits, or one register. */
function counted<Value>(limit: number, list: Codec<readonly Value[]>, unit: number): Codec<readonly Value[]> {
  const count = quantityTo(limit)
  return {
    put(writer, values) {
      count.put(writer, values.length)
      list.put(writer, values)
    },
    take(reader) {
      const quantity = count.take(reader)
      const values = list.take(reader)
      const isWhole = values.length === Math.ceil(quantity / unit) * unit
      if (!isWhole) reader.fail('length', 'octets', `octet count does not fit quantity ${quantity}`, 12)
      return values.slice(0, quantity)
    },
  }
}

const coil: Codec<boolean> = {
  put: (writer, value) => writer.u16(value ? 0xff00 : 0, 'value'),
  take(reader) {
    const value = reader.u16('value')
    const state = `coil value is ${value}, expected 0x0000 or 0xFF00`
    if (value !== 0 && value !== 0xff00) reader.fail('value', 'value', state, 10)
    return value !== 0
  },
}

/** One octet: FF for true, 00 for false. */
function flag(field: string): Codec<boolean> {
  return {
    put: (writer, value) => writer.u8(value ? 0xff : 0, field),
    take(reader) {
      const value = reader.u8(field)
      if (value !== 0 && value !== 0xff) reader.fail('value', field, `${field} is ${value}, expected 0 or 255`)
      return value !== 0
    },
  }
}

/** Octets of a server identifier, counted together with the run status behind them. */
const serverId: Codec<Uint8Array> = {
  put: (writer, octets) => writer.u8(octets.length + 1, 'octets').bytes(octets),
  take(reader) {
    const octets = reader.u8('octets')
    if (octets === 0) reader.fail('length', 'octets', 'octet count is 0, expected at least 1')
    return reader.take(octets - 1, 'server identifier')
  },
}

/** Objects of a device identification: 0 vendor, 1 product code, 2 revision, and so on. */
const deviceObjects: Codec<readonly { readonly id: number; readonly value: Uint8Array }[]> = {
  put(writer, objects) {
    writer.u8(objects.length, 'number of objects')
    for (const { id, value } of objects) {
      writer.u8(id, 'object identifier').u8(value.length, 'object length').bytes(value)
    }
  },
  take: (reader) =>
    takeEach(reader, reader.u8('number of objects'), () => {
      const id = reader.u8('object identifier')
      return { id, value: reader.take(reader.u8('object length'), 'object value') }
    }),
}

/** A body behind the type of its encapsulated interface, 14. */
function encapsulated<Body>(body: Codec<Body>): Codec<Body> {
  return {
    put: (writer, value) => body.put(writer.u8(14, 'MEI type'), value),
    take(reader) {
      const type = reader.u8('MEI type')
      if (type !== 14) reader.fail('unsupported', 'MEI type', `MEI type is ${type}, expected 14`, 8)
      return body.take(reader)
    },
  }
}

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
