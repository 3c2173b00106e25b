import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { dataType, nullValue } from '#streamnet/codec/value.ts'
import { decodeDataType, decodeValue, encodeDataType, encodeValue } from '#streamnet/codec/value-bytes.ts'
import { isStreamNetError } from '#streamnet/errors.ts'
import type { DataType, Scalar, TypedValue, TypeName } from '#streamnet/types.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'
import { sweep } from '../../support/sweep.ts'

interface TypeInput {
  readonly name: TypeName
  readonly is_array: boolean
  readonly metadata: readonly [number, number]
}

const typeOf = ({ name, is_array, metadata }: TypeInput): DataType => dataType(name, is_array, metadata[0], metadata[1])

for (const { id, input, expected } of vectorsOf<TypeInput, string>('data_type')) {
  test(`encodeDataType() follows vector ${id}`, () => {
    expect(encodeHex(encodeDataType(typeOf(input)))).toBe(expected)
    expect(decodeDataType(decodeHex(expected))).toEqual(typeOf(input))
  })
}

type Json = string | number | boolean | null | { hex: string }

function scalarOf(type: TypeInput, json: Json): Scalar {
  if (json !== null && typeof json === 'object') return decodeHex(json.hex)
  if (type.name === 'int8' && json !== null) return BigInt(json)
  return typeof json === 'number' ? `${json}` : json
}

type Outcome = string | { error: true } | { error_contains: string }

for (const { id, input, expected } of vectorsOf<{ type: TypeInput; value: Json | Json[] }, Outcome>('encoded_value')) {
  if (typeof expected !== 'string') continue
  test(`encodeValue() and decodeValue() follow vector ${id}`, () => {
    const value = Array.isArray(input.value)
      ? input.value.map((one) => scalarOf(input.type, one))
      : scalarOf(input.type, input.value)
    const typed: TypedValue = { type: typeOf(input.type), value }
    const bytes = decodeHex(expected)
    expect(decodeValue(bytes)).toEqual(typed)
    const forms = [encodeValue(typed), encodeValue(typed, 'element')].map(encodeHex)
    expect(forms).toContain(expected)
  })
}

const scalars: Readonly<Record<Exclude<TypeName, 'null'>, fc.Arbitrary<Scalar>>> = {
  text: fc.string({ unit: 'binary' }),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  bool: fc.boolean(),
  bytea: fc.uint8Array(),
  uuid: fc.uuid(),
  numeric: fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map(String),
}

const typedValues = fc.constantFrom(...(Object.keys(scalars) as (keyof typeof scalars)[])).chain((name) =>
  fc.oneof(
    fc.option(scalars[name]).map((value): TypedValue => ({ type: dataType(name), value })),
    fc.array(fc.option(scalars[name])).map((value): TypedValue => ({ type: dataType(name, true), value })),
  ),
)

test('decodeValue() undoes encodeValue()', () => {
  fc.assert(
    fc.property(typedValues, (typed) => {
      expect(decodeValue(encodeValue(typed))).toEqual(typed)
    }),
    { seed: 5 },
  )
})

test('decodeValue() answers damaged bytes with a value or malformed_bytes', () => {
  fc.assert(
    fc.property(typedValues, fc.nat(), fc.nat(255), (typed, at, byte) => {
      const bytes = encodeValue(typed)
      bytes[at % bytes.length] = byte
      try {
        decodeValue(bytes.subarray(0, bytes.length - (at % 3)))
      } catch (error) {
        expect(isStreamNetError(error, 'malformed_bytes')).toBe(true)
      }
    }),
    { seed: 5, numRuns: sweep(2000) },
  )
})

test('nulls have two forms, both decoded to the same', () => {
  expect(encodeHex(encodeValue(nullValue))).toMatch(/0000$/)
  expect(encodeHex(encodeValue(nullValue, 'element'))).toMatch(/01000100000000$/)
  expect(decodeValue(encodeValue(nullValue, 'element'))).toEqual(nullValue)
})

test('decodeValue() takes an empty array, which some clients send', () => {
  const empty: TypedValue = { type: dataType('text', true), value: [] }
  expect(decodeValue(encodeValue(empty))).toEqual(empty)
})

test('decodeValue() refuses a number of a million digits that ends in a letter in one pass', () => {
  const text = `${'1'.repeat(1_000_000)}x`
  const bytes = encodeValue({ type: dataType('numeric', false, 36, 18), value: text })
  expect(() => decodeValue(bytes)).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
})
