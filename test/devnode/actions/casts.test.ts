/** Casts of the engine against the answers of a real node (trufnetwork/node b91481bc); more are in network-edges.json. */

import { describe, expect, test } from 'vitest'
import { castBoolean, castDecimal, castInteger } from '#devnode/actions/casts.ts'

const syntax = (parser: string, text: string) => `strconv.${parser}: parsing ${JSON.stringify(text)}: invalid syntax`

describe('castDecimal()', () => {
  const taken: readonly (readonly [text: string, scaled: bigint])[] = [
    ['1.5', 2n],
    ['0.4', 0n],
    ['1e3', 1000n],
    ['1e-3', 0n],
    ['+1', 1n],
    ['.5', 1n],
    ['5.', 5n],
    ['-0.5', -1n],
  ]
  for (const [text, scaled] of taken) {
    test(`takes ${text} for NUMERIC(78,0)`, () => expect(castDecimal(text, 78, 0)).toBe(scaled))
  }

  for (const text of ['abc', '0x10', ' 1', '1 ', '--1', 'e5', '1e', '1e5.5', '-', '1,5']) {
    test(`refuses ${JSON.stringify(text)} as no number`, () => {
      const expected = `type cast error: invalid decimal string: ${text}, error: ${syntax('ParseFloat', text)}`
      expect(() => castDecimal(text, 78, 0)).toThrow(expected)
    })
  }

  for (const text of ['', '1_000']) {
    test(`refuses ${JSON.stringify(text)} by its digits`, () => {
      expect(() => castDecimal(text, 36, 18)).toThrow(`type cast error: parse mantissa: ${text}`)
    })
  }

  test('refuses a million digits and a letter in one pass', () => {
    expect(() => castDecimal(`${'1'.repeat(1_000_000)}x`, 78, 0)).toThrow('type cast error: invalid decimal')
  })

  for (const text of ['1e400', '9'.repeat(79), 'Infinity', '-Infinity', 'NaN']) {
    test(`refuses ${text.slice(0, 12)} because it does not fit`, () => {
      expect(() => castDecimal(text, 78, 0)).toThrow('type cast error: invalid operation')
    })
  }
})

describe('castBoolean()', () => {
  test('takes twelve spellings', () => {
    expect(['1', 't', 'T', 'TRUE', 'true', 'True'].map(castBoolean)).toEqual(Array(6).fill(true))
    expect(['0', 'f', 'F', 'FALSE', 'false', 'False'].map(castBoolean)).toEqual(Array(6).fill(false))
  })

  for (const text of ['yes', 'y', 'on', 'no', 'off', '', ' true', 'tRuE']) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => castBoolean(text)).toThrow(`type cast error: ${syntax('ParseBool', text)}`)
    })
  }
})

describe('castInteger()', () => {
  test('takes signs, leading zeros and 64 bits', () => {
    expect(['1', '+1', '-1', '00012', '9223372036854775807'].map(castInteger)).toEqual([
      1n,
      1n,
      -1n,
      12n,
      9223372036854775807n,
    ])
  })

  for (const text of [' 1', '1.0', '1e3', '0x1', '1_0', '']) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => castInteger(text)).toThrow(`type cast error: ${syntax('ParseInt', text)}`)
    })
  }

  test('refuses more than 64 bits', () => {
    for (const text of ['9223372036854775808', '-9223372036854775809', '9'.repeat(65), `-${'9'.repeat(100)}`]) {
      expect(() => castInteger(text)).toThrow('value out of range')
    }
    expect(castInteger(`-${'0'.repeat(100)}9223372036854775808`)).toBe(-9223372036854775808n)
  })
})
