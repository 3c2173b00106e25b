/** Fields of Modbus protocol data units. Offsets of faults count from the MBAP envelope around a unit. */

import { GridError } from '../errors.ts'
import { type Codec, takeEach } from '../link/codec.ts'

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

/**
 * A number of items, from 1 on.
 *
 * @throws GridError malformed_frame when there are more, or none.
 */
export function quantityTo(limit: number): Codec<number> {
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
export const bits: Codec<readonly boolean[]> = {
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
export const registers: Codec<readonly number[]> = {
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

/**
 * A list with at most so many items.
 *
 * @throws GridError malformed_frame when there are more, or none.
 */
export function upTo<Value>(limit: number, list: Codec<readonly Value[]>): Codec<readonly Value[]> {
  return {
    put(writer, values) {
      expectBetween(values.length, 1, limit, 'quantity')
      list.put(writer, values)
    },
    take: list.take,
  }
}

/**
 * A list to write behind its quantity; `unit` is the number of items that lie together: 8 bits, or one register.
 *
 * @throws GridError malformed_frame when there are more, or none.
 */
export function counted<Value>(limit: number, list: Codec<readonly Value[]>, unit: number): Codec<readonly Value[]> {
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

/** A coil: FF00 for true, 0000 for false. */
export const coil: Codec<boolean> = {
  put: (writer, value) => writer.u16(value ? 0xff00 : 0, 'value'),
  take(reader) {
    const value = reader.u16('value')
    const state = `coil value is ${value}, expected 0x0000 or 0xFF00`
    if (value !== 0 && value !== 0xff00) reader.fail('value', 'value', state, 10)
    return value !== 0
  },
}

/** One octet: FF for true, 00 for false. */
export function flag(field: string): Codec<boolean> {
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
export const serverId: Codec<Uint8Array> = {
  put: (writer, octets) => writer.u8(octets.length + 1, 'octets').bytes(octets),
  take(reader) {
    const octets = reader.u8('octets')
    if (octets === 0) reader.fail('length', 'octets', 'octet count is 0, expected at least 1')
    return reader.take(octets - 1, 'server identifier')
  },
}

/** Objects of a device identification: 0 vendor, 1 product code, 2 revision, and so on. */
export const deviceObjects: Codec<readonly { readonly id: number; readonly value: Uint8Array }[]> = {
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
export function encapsulated<Body>(body: Codec<Body>): Codec<Body> {
  return {
    put: (writer, value) => body.put(writer.u8(14, 'MEI type'), value),
    take(reader) {
      const type = reader.u8('MEI type')
      if (type !== 14) reader.fail('unsupported', 'MEI type', `MEI type is ${type}, expected 14`, 8)
      return body.take(reader)
    },
  }
}
