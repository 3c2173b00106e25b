import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '#gateway/errors.ts'
import { parseJson, toJson, writeJson } from '#gateway/json.ts'
import { sweep } from '../support/sweep.ts'

describe('parseJson()', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['1.2345678901234567e-5', '1.2345678901234567e-5'],
    ['123456789012345', 123456789012345],
    ['1760000000000000', 1760000000000000],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['0.1234567890123456', 0.1234567890123456],
    ['0.1', 0.1],
    ['1e3', 1000],
  ])('reads %s without loss', (text, value) => {
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] })
  })

  it('does not change digits in text, escapes included', () => {
    const text = '{"a":"9007199254740993","b":"\\"9007199254740993","c\\\\":9007199254740993}'
    expect(parseJson(text)).toEqual({ a: '9007199254740993', b: '"9007199254740993', 'c\\': '9007199254740993' })
  })

  it('reads any JSON as JSON.parse does, but for long numbers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const short = JSON.stringify(value, (_, member) =>
          typeof member === 'number' ? Math.trunc(member) % 1e9 : member,
        )
        expect(parseJson(short)).toEqual(JSON.parse(short))
      }),
      { seed: 6 },
    )
  })

  it('refuses what is not JSON, in time that grows only with its length', () => {
    const hostile = `{"a":${'"\\"'.repeat(200_000)}1234567890123456`
    expect(() => parseJson(hostile)).toThrow(GatewayError)
    expect(() => parseJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toThrow('nests deeper than 100 levels')
    expect(() => parseJson('')).toThrow(expect.objectContaining({ code: 'malformed_json' }))
  })
})

describe('toJson()', () => {
  it('writes names in snake case, integers beyond a double as text, bytes as hex; leaves out what is undefined', () => {
    const value = {
      blockHeight: 2n ** 63n - 1n,
      hash: new Uint8Array([0, 255]),
      rows: [{ queryId: 1 }],
      none: undefined,
      nil: null,
    }
    expect(toJson(value)).toEqual({
      block_height: '9223372036854775807',
      hash: '0x00ff',
      rows: [{ query_id: 1 }],
      nil: null,
    })
  })

  it('turns nothing into null', () => {
    expect(toJson(undefined)).toBeNull()
  })
})

describe('writeJson()', () => {
  it('writes what toJson() makes, for any value', () => {
    const plain = fc.oneof(
      ...[fc.string({ unit: 'binary' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null)],
      ...[fc.bigInt(), fc.constant(undefined), fc.uint8Array({ maxLength: 4 }), fc.constant(new Date(0))],
    )
    const name = fc.constantFrom('date', 'value', 'streamId', 'stream_id', '1', '__proto__', 'a b')
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        plain,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (any) => {
        expect(writeJson(any)).toBe(JSON.stringify(toJson(any)))
      }),
      { seed: 7, numRuns: sweep(1_000) },
    )
  })

  it('leaves out members that are undefined, and writes null for undefined itself', () => {
    expect([writeJson(undefined), writeJson([undefined]), writeJson({ a: undefined, b: 1 })]).toEqual([
      'null',
      '[null]',
      '{"b":1}',
    ])
  })
})
