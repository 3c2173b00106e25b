/** The building blocks of the network's byte forms: integers of a fixed width, and bytes behind their length. */

import { concatBytes } from '../../base/bytes.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes, type StreamNetError } from '../errors.ts'

/** Encodes an unsigned integer below 2^53 in `width` bytes, little endian. */
export function encodeUint(value: number, width: number): Uint8Array {
  const bytes = new Uint8Array(width)
  // A byte takes the lowest eight bits of a number and drops its fraction.
  for (let index = 0, rest = value; index < width; index++, rest /= 256) bytes[index] = rest
  return bytes
}

/** Encodes an unsigned integer below 2^53 in `width` bytes, big endian. */
export function encodeUintBigEndian(value: number, width: number): Uint8Array {
  return encodeUint(value, width).reverse()
}

/** The length of null, which has no data. */
const nullLength = 0xffffffff

/** Encodes a byte string: u32 length, data. Null has the length 2^32 - 1 and no data. */
export function encodeBytes(bytes: Uint8Array | null): Uint8Array {
  return bytes === null ? encodeUint(nullLength, 4) : concatBytes(encodeUint(bytes.length, 4), bytes)
}

/** Encodes text like a byte string of its UTF-8. */
export function encodeString(text: string): Uint8Array {
  return encodeBytes(encodeUtf8(text))
}

/** Reads the building blocks one after the other; malformed_bytes when they reach beyond the end. */
export interface Reader {
  /** The next `length` bytes, a view and not a copy. */
  take(length: number): Uint8Array
  /** An unsigned integer of `width` bytes, little endian; malformed_bytes beyond 2^53, as of the next. */
  uint(width: number): number
  uintBigEndian(width: number): number
  bytes(): Uint8Array | null
  /** Refuses bytes that are left over. */
  end(): void
  /** An error for the part that was read last, and its state, such as `is too long`. */
  wrong(part: string, state: string): StreamNetError
}

/** Starts reading bytes that should be `what`; lengths are checked before anything is allocated. */
export function readBytes(data: Uint8Array, what: string): Reader {
  let offset = 0
  const fail = (state: string) => malformedBytes(`Cannot decode ${what}: ${state}`)
  const readInteger = (bytes: Uint8Array) => {
    const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    if (Number.isSafeInteger(value)) return value
    throw reader.wrong('integer', 'is beyond 2^53')
  }
  const reader: Reader = {
    take(length) {
      if (length > data.length - offset) {
        throw fail(`too short, ${length} bytes expected at byte ${offset} of ${data.length}`)
      }
      offset += length
      return data.subarray(offset - length, offset)
    },
    uint: (width) => readInteger(reader.take(width).slice().reverse()),
    uintBigEndian: (width) => readInteger(reader.take(width)),
    bytes() {
      const length = reader.uint(4)
      return length === nullLength ? null : reader.take(length)
    },
    end() {
      if (offset < data.length) throw fail(`${data.length - offset} trailing bytes`)
    },
    wrong: (part, state) => fail(`${part} before byte ${offset} ${state}`),
  }
  return reader
}

/** Reads text that is encoded like a byte string. */
export function readString(reader: Reader): string {
  return readText(reader, reader.bytes() ?? new Uint8Array())
}

/** Reads bytes just taken as UTF-8. */
export function readText(reader: Reader, bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw reader.wrong('text', 'is not UTF-8')
  }
}
