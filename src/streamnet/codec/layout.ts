/** The building blocks of the network's byte forms: fixed integers, variable integers, length prefixes. */

import { concatBytes } from '../../base/bytes.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'

/** Encodes an unsigned integer below 2^53 in `width` bytes, little endian. */
export function encodeUint(value: number, width: number): Uint8Array {
  const bytes = new Uint8Array(width)
  // Bit operations see 32 bits; what lies above comes from a division.
  for (let index = 0; index < width; index++) {
    bytes[index] = index < 4 ? value >>> (8 * index) : Math.floor(value / 2 ** 32) >>> (8 * (index - 4))
  }
  return bytes
}

/** Encodes an unsigned integer below 2^53 in `width` bytes, big endian. */
export function encodeUintBigEndian(value: number, width: number): Uint8Array {
  return encodeUint(value, width).reverse()
}

/** Encodes a byte string: u32 length, data. Null has the length 2^32 - 1 and no data. */
export function encodeBytes(bytes: Uint8Array | null): Uint8Array {
  return bytes === null ? encodeUint(0xffffffff, 4) : concatBytes(encodeUint(bytes.length, 4), bytes)
}

/** Encodes text like a byte string of its UTF-8. */
export function encodeString(text: string): Uint8Array {
  return encodeBytes(encodeUtf8(text))
}

/** Encodes an unsigned varint: seven bits a byte, lowest first, the high bit says that more follow. */
export function encodeUvarint(value: number): Uint8Array {
  const bytes = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.of(...bytes, rest)
}

/** Encodes a signed varint: zig-zag (0, -1, 1, -2, ... as 0, 1, 2, 3, ...), then unsigned. */
export function encodeVarint(value: number): Uint8Array {
  return encodeUvarint(value < 0 ? -2 * value - 1 : 2 * value)
}

/** Encodes a byte string compactly: signed varint length, data. Null has length -1. */
export function encodeCompactBytes(bytes: Uint8Array | null): Uint8Array {
  return bytes === null ? encodeVarint(-1) : concatBytes(encodeVarint(bytes.length), bytes)
}

/** Encodes text compactly: unsigned varint length, UTF-8. */
export function encodeCompactString(text: string): Uint8Array {
  const bytes = encodeUtf8(text)
  return concatBytes(encodeUvarint(bytes.length), bytes)
}

/** Encodes an arbitrary integer: 0 for null, else 1 and its decimal digits as compact text. */
export function encodeBigInt(value: bigint | null): Uint8Array {
  return value === null ? new Uint8Array(1) : concatBytes(Uint8Array.of(1), encodeCompactString(`${value}`))
}

/** Reads the building blocks one after the other. Every method throws malformed_bytes when the bytes end early. */
export interface Reader {
  /** The next `length` bytes, a view and not a copy. */
  take(length: number): Uint8Array
  uint(width: number): number
  uintBigEndian(width: number): number
  bytes(): Uint8Array | null
  string(): string
  uvarint(): number
  varint(): number
  compactBytes(): Uint8Array | null
  compactString(): string
  bigint(): bigint | null
  /** Refuses bytes that are left over. */
  end(): void
}

/**
 * Starts reading bytes. A length is checked against what is left before anything is allocated, so a hostile
 * one costs nothing.
 *
 * @param what - what the bytes should be, for the message.
 */
export function readBytes(data: Uint8Array, what: string): Reader {
  let offset = 0
  const fail = (state: string) => malformedBytes(`Cannot decode ${what}: ${state}`)
  const text = (bytes: Uint8Array): string => {
    try {
      return decodeUtf8(bytes)
    } catch {
      throw fail(`text before byte ${offset} is not UTF-8`)
    }
  }
  const reader: Reader = {
    take(length) {
      if (length > data.length - offset) {
        throw fail(`too short, ${length} bytes expected at byte ${offset} of ${data.length}`)
      }
      offset += length
      return data.subarray(offset - length, offset)
    },
    uint(width) {
      const value = reader.take(width).reduceRight((sum, byte) => sum * 256 + byte, 0)
      if (!Number.isSafeInteger(value)) throw fail(`integer before byte ${offset} is beyond 2^53`)
      return value
    },
    uintBigEndian(width) {
      return reader.take(width).reduce((value, byte) => value * 256 + byte, 0)
    },
    bytes() {
      const length = reader.uint(4)
      return length === 0xffffffff ? null : reader.take(length)
    },
    string() {
      return text(reader.bytes() ?? new Uint8Array())
    },
    uvarint() {
      let value = 0
      // 7 bytes hold 49 bits: more than any length, and still exact as a number.
      for (let scale = 1; scale < 2 ** 49; scale *= 128) {
        const byte = reader.uint(1)
        value += (byte % 128) * scale
        if (byte < 128) return value
      }
      throw fail(`varint before byte ${offset} is too long`)
    },
    varint() {
      const value = reader.uvarint()
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    },
    compactBytes() {
      const length = reader.varint()
      if (length < -1) throw fail(`length ${length} before byte ${offset}`)
      return length === -1 ? null : reader.take(length)
    },
    compactString() {
      return text(reader.take(reader.uvarint()))
    },
    bigint() {
      const form = reader.uint(1)
      if (form === 0) return null
      const digits = reader.compactString()
      if (form !== 1 || !/^-?\d{1,1000}$/.test(digits)) throw fail(`integer before byte ${offset}`)
      return BigInt(digits)
    },
    end() {
      if (offset < data.length) throw fail(`${data.length - offset} trailing bytes`)
    },
  }
  return reader
}
