import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDecimal, quantizeDecimal } from '#base/decimal.ts'
import { dataType, numeric, toTypedValue, uuid } from '#streamnet/codec/value.ts'
import type { ActionArg, DataType, TypedValue } from '#streamnet/types.ts'
import { sweep } from '../../support/sweep.ts'

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
