import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDecimal, quantizeDecimal } from '#base/decimal.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  dataType,
  decodeDataType,
  decodeValue,
  encodeDataType,
  encodeValue,
  nullValue,
  numeric,
  toTypedValue,
  uuid,
} from '#streamnet/codec/value.ts'
import { isStreamNetError } from '#streamnet/errors.ts'
import type { ActionArg, DataType, Scalar, TypedValue, TypeName } from '#streamnet/types.ts'
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

describe('toTypedValue()', () => {
  test.each<[ActionArg, DataType, TypedValue['value']]>([
    ['a', dataType('text'), 'a'],
    [5, dataType('int8'), 5n],
    [-5n, dataType('int8'), -5n],
    [true, dataType('bool'), true],
    [new Uint8Array([1]), dataType('bytea'), new Uint8Array([1])],
    [null, dataType('null'), null],
    [[null, 1], dataType('int8', true), [null, 1n]],
    [[1, 2n], dataType('int8', true), [1n, 2n]],
    [[null], dataType('null', true), [null]],
    [numeric('1.5'), dataType('numeric', false, 36, 18), '1.500000000000000000'],
  ])('types case %$', (arg, type, value) => {
    expect(toTypedValue(arg)).toEqual({ type, value })
  })

  test.each<[string, ActionArg, string]>([
    ['a fraction', 1.5, 'not a safe integer'],
    ['NaN', Number.NaN, 'not a safe integer'],
    ['a number beyond 2^53', 2 ** 53, 'not a safe integer'],
    ['an integer beyond 64 bits', 2n ** 63n, 'beyond 64 bits'],
    ['one below 64 bits', -(2n ** 63n) - 1n, 'beyond 64 bits'],
    ['an empty list', [], 'the list is empty'],
    ['a mixed list', ['a', 1], 'mixes text and int8'],
    ['a function', (() => 1) as unknown as string, 'no type on the wire'],
  ])('refuses %s', (_, arg, message) => {
    expect(() => toTypedValue(arg)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    expect(() => toTypedValue(arg)).toThrow(message)
  })
})

describe('numeric()', () => {
  test('writes what fits as it is exactly as what is rounded', () => {
    const sign = fc.constantFrom('', '-', '+')
    const digits = fc.stringMatching(/^\d{0,20}$/)
    fc.assert(
      fc.property(sign, digits, digits, (minus, whole, fraction) => {
        const text = `${minus}${whole || '0'}.${fraction}`
        fc.pre(whole.length <= 18)
        expect(numeric(text).value).toBe(formatDecimal(quantizeDecimal(text, 36, 18), 18))
        expect(numeric(`${whole || '0'}`).value).toBe(formatDecimal(quantizeDecimal(whole || '0', 36, 18), 18))
      }),
      { seed: 5, numRuns: sweep(1000) },
    )
  })

  test('writes numbers in their shortest form, then quantises', () => {
    expect(numeric(0.1).value).toBe('0.100000000000000000')
    expect(numeric([1e-7, '2']).value).toEqual(['0.000000100000000000', '2.000000000000000000'])
    expect(numeric('1000', 78, 0)).toEqual({ type: dataType('numeric', false, 78, 0), value: '1000' })
  })

  test.each(['', 'abc', 'NaN', '1e30', '1'.repeat(19)])('refuses %j', (text) => {
    expect(() => numeric(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})

test('uuid() takes only canonical text', () => {
  expect(uuid('123E4567-e89b-42d3-a456-426614174000').value).toBe('123e4567-e89b-42d3-a456-426614174000')
  expect(() => uuid('123e4567')).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
})
