/** The three ABI shapes that markets and attestations use: query components, a boolean, and data points. */

import { concatBytes } from '../../base/bytes.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes, addressToBytes } from '../ids.ts'
import type { Address } from '../types.ts'

/** The question of a market or an attestation about a stream. */
export interface QueryComponents {
  readonly dataProvider: Address
  /** At most 32 bytes of text. */
  readonly streamId: string
  /** Name of the action, such as `price_above_threshold`. */
  readonly action: string
  /** The action's arguments in canonical form, see `encodeArgs`. */
  readonly args: Uint8Array
}

/**
 * Encodes query components as `abi.encode(address, bytes32, string, bytes)`.
 *
 * - word: address, zeros in front
 * - word: stream id, zeros behind
 * - word: 128, where the action's name begins
 * - word: where the arguments begin
 * - word: length of the name in bytes, then the name, zeros up to a whole word
 * - word: length of the arguments, then the arguments, zeros up to a whole word
 *
 * @throws StreamNetError malformed_bytes when the stream id has more than 32 bytes.
 */
export function encodeComponents({ dataProvider, streamId, action, args }: QueryComponents): Uint8Array {
  const id = encodeUtf8(streamId)
  if (id.length > 32) throw malformedBytes(`Cannot encode query components: stream id of ${id.length} bytes`)
  const name = withLength(encodeUtf8(action))
  return concatBytes(
    new Uint8Array(12),
    addressToBytes(dataProvider),
    padEnd(id),
    encodeWord(128n),
    encodeWord(BigInt(128 + name.length)),
    name,
    withLength(args),
  )
}

/** Decodes query components; malformed_bytes below 128 bytes, or when a part lies outside of them. */
export function decodeComponents(bytes: Uint8Array): QueryComponents {
  if (bytes.length < 128) throw fail('query_components too short for ABI-encoded tuple')
  if (bytes.subarray(0, 12).some((byte) => byte !== 0)) throw fail('the address has more than 20 bytes')
  return {
    dataProvider: addressFromBytes(bytes.subarray(12, 32)),
    streamId: text(trimZeros(bytes.subarray(32, 64))),
    action: text(dynamicPart(bytes, 64)),
    args: dynamicPart(bytes, 96).slice(),
  }
}

/** Encodes a boolean as one word. */
export function encodeBoolean(value: boolean): Uint8Array {
  return encodeWord(value ? 1n : 0n)
}

/** Decodes a boolean; malformed_bytes when it is not 32 bytes, or another number than 0 and 1. */
export function decodeBoolean(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) throw fail(`boolean of ${bytes.length} bytes, expected 32 bytes`)
  const word = readWord(bytes, 0)
  if (word > 1n) throw fail('boolean is not canonical, expected 0 or 1')
  return word === 1n
}

/** A point of a stream: Unix time in seconds, and the value scaled by 10^18. */
export type DataPoint = readonly [time: bigint, value: bigint]

/** Encodes points as `abi.encode(uint256[] times, int256[] values)`. */
export function encodeDataPoints(points: readonly DataPoint[]): Uint8Array {
  const list = (words: readonly bigint[]) => concatBytes(encodeWord(BigInt(words.length)), ...words.map(encodeWord))
  const times = list(points.map(([time]) => time))
  return concatBytes(
    encodeWord(64n),
    encodeWord(BigInt(64 + times.length)),
    times,
    list(points.map(([, value]) => value)),
  )
}

/** Decodes points; malformed_bytes when the lists differ, lie outside of the bytes, or exceed 100,000. */
export function decodeDataPoints(bytes: Uint8Array): readonly DataPoint[] {
  const [times, values] = [readWords(bytes, 0), readWords(bytes, 32)]
  if (times.length !== values.length) throw fail(`${times.length} times and ${values.length} values`)
  return times.map((time, index) => [time, BigInt.asIntN(256, values[index] ?? 0n)])
}

const maxPoints = 100_000

function readWords(bytes: Uint8Array, pointer: number): bigint[] {
  const start = readSize(bytes, pointer)
  const count = readSize(bytes, start)
  if (count > maxPoints) throw fail(`${count} points, expected at most ${maxPoints}`)
  return Array.from({ length: count }, (_, index) => readWord(bytes, start + 32 + index * 32))
}

function dynamicPart(bytes: Uint8Array, pointer: number): Uint8Array {
  const start = readSize(bytes, pointer)
  const length = readSize(bytes, start)
  if (start + 32 + length > bytes.length) throw fail(`a part of ${length} bytes lies outside`)
  return bytes.subarray(start + 32, start + 32 + length)
}

// Offsets and lengths: a value beyond 2^32 lies outside of any message.
function readSize(bytes: Uint8Array, offset: number): number {
  const word = readWord(bytes, offset)
  if (word > 0xffffffffn) throw fail('an offset lies outside')
  return Number(word)
}

function readWord(bytes: Uint8Array, offset: number): bigint {
  if (offset + 32 > bytes.length) throw fail(`too short, a word expected at byte ${offset} of ${bytes.length}`)
  return BigInt(`0x${encodeHex(bytes.subarray(offset, offset + 32))}`)
}

/** Encodes an integer as a word: 256 bits, big endian; two's complement for negatives. */
export function encodeWord(value: bigint): Uint8Array {
  return decodeHex(BigInt.asUintN(256, value).toString(16).padStart(64, '0'))
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concatBytes(encodeWord(BigInt(bytes.length)), padEnd(bytes))
}

function padEnd(bytes: Uint8Array): Uint8Array {
  return concatBytes(bytes, new Uint8Array((32 - (bytes.length % 32)) % 32))
}

function trimZeros(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1)
}

function text(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw fail('text is not UTF-8')
  }
}

function fail(state: string) {
  return malformedBytes(`failed to ABI-decode: ${state}`)
}
