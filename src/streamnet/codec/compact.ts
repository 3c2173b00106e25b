/** The compact building blocks, of which transactions are made: integers take as many bytes as they need. */

import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { type Reader, readText } from './layout.ts'

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

/** Reads an unsigned varint of at most 7 bytes, or throws malformed_bytes. */
export function readUvarint(reader: Reader): number {
  let value = 0
  // 7 bytes hold 49 bits: more than any length, and still exact as a number.
  for (let scale = 1; scale < 2 ** 49; scale *= 128) {
    const byte = reader.uint(1)
    value += (byte % 128) * scale
    if (byte < 128) return value
  }
  throw reader.wrong('varint', 'is too long')
}

/** Reads compact text; malformed_bytes when the bytes end, or are not UTF-8. */
export function readCompactString(reader: Reader): string {
  return readText(reader, reader.take(readUvarint(reader)))
}

/** Reads an arbitrary integer; malformed_bytes when the mark is neither 0 nor 1, or the digits are wrong. */
export function readBigInt(reader: Reader): bigint | null {
  const form = reader.uint(1)
  if (form === 0) return null
  const digits = readCompactString(reader)
  if (form !== 1 || !/^-?\d{1,1000}$/.test(digits)) throw reader.wrong('integer', 'is malformed')
  return BigInt(digits)
}
