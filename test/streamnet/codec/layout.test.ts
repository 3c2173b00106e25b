import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  encodeBigInt,
  encodeCompactBytes,
  encodeCompactString,
  encodeUvarint,
  encodeVarint,
  readBigInt,
  readCompactString,
  readUvarint,
} from '#streamnet/codec/compact.ts'
import {
  encodeBytes,
  encodeUint,
  encodeUintBigEndian,
  type Reader,
  readBytes,
  readString,
} from '#streamnet/codec/layout.ts'
import { isStreamNetError } from '#streamnet/errors.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

for (const { id, input, expected } of vectorsOf<{ value: number }, string>('varint')) {
  test(`varints follow vector ${id}`, () => {
    const signed = id.includes('zigzag')
    expect(encodeHex(signed ? encodeVarint(input.value) : encodeUvarint(input.value))).toBe(expected)
    if (!signed) expect(readUvarint(readBytes(decodeHex(expected), 'varint'))).toBe(input.value)
  })
}

interface CodecInput {
  readonly bytes_hex?: string
  readonly text?: string
  readonly value?: string | null
}

for (const { id, input, expected } of vectorsOf<CodecInput, string>('codec')) {
  test(`building blocks follow vector ${id}`, () => {
    const bytes = input.bytes_hex === undefined ? null : decodeHex(input.bytes_hex)
    const value = input.value == null ? null : BigInt(input.value)
    const reader = readBytes(decodeHex(expected), 'block')
    if (id.includes('write_bytes')) {
      expect(encodeHex(encodeBytes(bytes))).toBe(expected)
      expect(reader.bytes()).toEqual(bytes)
    } else if (id.includes('compact_bytes')) {
      expect(encodeHex(encodeCompactBytes(bytes))).toBe(expected)
      return
    } else if (id.includes('compact_string')) {
      expect(encodeHex(encodeCompactString(input.text ?? ''))).toBe(expected)
      expect(readCompactString(reader)).toBe(input.text)
    } else {
      expect(encodeHex(encodeBigInt(value))).toBe(expected)
      expect(readBigInt(reader)).toBe(value)
    }
    reader.end()
  })
}

const seeded = { seed: 5 }

const readers: Readonly<Record<string, (reader: Reader) => unknown>> = {
  bytes: (reader) => reader.bytes(),
  string: readString,
  uvarint: readUvarint,
  compactString: readCompactString,
  bigint: readBigInt,
}
const readAs = (method: string, bytes: Uint8Array) => readers[method]?.(readBytes(bytes, 'block'))

test('readBytes() undoes every block', () => {
  const blocks = fc.record({
    uint: fc.nat(),
    bytes: fc.option(fc.uint8Array()),
    text: fc.string({ unit: 'binary' }),
    integer: fc.option(fc.bigInt()),
  })
  fc.assert(
    fc.property(blocks, ({ uint, bytes, text, integer }) => {
      expect(readBytes(encodeUint(uint, 8), 'x').uint(8)).toBe(uint)
      expect(readBytes(encodeUintBigEndian(uint, 8), 'x').uintBigEndian(8)).toBe(uint)
      expect(readBytes(encodeBytes(bytes), 'x').bytes()).toEqual(bytes)
      expect(readCompactString(readBytes(encodeCompactString(text), 'x'))).toBe(text)
      expect(readBigInt(readBytes(encodeBigInt(integer), 'x'))).toBe(integer)
    }),
    seeded,
  )
})

test.each([
  ['a length beyond the end', 'feffffff00', 'bytes'],
  ['a varint without an end', 'ffffffffffffffffff01', 'uvarint'],
  ['a cut varint', '80', 'uvarint'],
  ['text that is not UTF-8', '01ff', 'compactString'],
  ['an integer that is not decimal', '01026162', 'bigint'],
  ['an integer of an unknown form', '020130', 'bigint'],
])('readBytes() refuses %s', (_, hex, method) => {
  const read = () => readAs(method, decodeHex(hex))
  expect(read).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
})

test('readBytes() refuses integers a number cannot hold, and trailing bytes', () => {
  const message = 'Cannot decode nonce: integer before byte 8 is beyond 2^53'
  for (const method of ['uint', 'uintBigEndian'] as const) {
    expect(() => readBytes(decodeHex('ffffffffffffffff'), 'nonce')[method](8)).toThrow(message)
  }
  expect(() => readBytes(decodeHex('00'), 'block').end()).toThrow('1 trailing bytes')
})

test('readBytes() answers any bytes with a value or malformed_bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(...Object.keys(readers)), (bytes, method) => {
      try {
        readAs(method, bytes)
      } catch (error) {
        expect(isStreamNetError(error, 'malformed_bytes')).toBe(true)
      }
    }),
    seeded,
  )
})
