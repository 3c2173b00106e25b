/** `limit` as Python reads and applies it; every expectation is an answer of CPython 3.11. */

import { describe, expect, it } from 'vitest'
import { parseLimit, sliceLast } from '#grid/records/limit.ts'

/** Python's own answers to `list(range(5))[-limit:]`. */
const pythonSlices: readonly (readonly [number, number[]])[] = [
  [0, [0, 1, 2, 3, 4]],
  [1, [4]],
  [3, [2, 3, 4]],
  [5, [0, 1, 2, 3, 4]],
  [9, [0, 1, 2, 3, 4]],
  [Number.POSITIVE_INFINITY, [0, 1, 2, 3, 4]],
  [-1, [1, 2, 3, 4]],
  [-4, [4]],
  [-5, []],
  [-9, []],
  [Number.NEGATIVE_INFINITY, []],
]

describe('sliceLast()', () => {
  it.each(pythonSlices)('slices five records with limit %d as Python does', (limit, expected) => {
    expect(sliceLast([0, 1, 2, 3, 4], limit)).toEqual(expected)
  })
})

describe('parseLimit()', () => {
  it.each([
    ['5', 5],
    ['-5', -5],
    ['+5', 5],
    [' 1_000 ', 1000],
    ['', 100],
    [undefined, 100],
    ['007', 7],
    ['\u0663', 3],
    ['-\u06f3\u0663', -33],
    ['\u0663_\u0660', 30],
    ['\uff11_2', 12],
    ['\u07c1', 1],
    ['\u{1d7d7}', 9],
    ['\u{1d7ce}\u{1d7ff}', 9],
    ['\u2003 5 \u2003', 5],
    ['\x855\u3000', 5],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    [`-${'9'.repeat(4_300)}`, Number.NEGATIVE_INFINITY],
  ])('reads %j as %d', (text, expected) => {
    expect(parseLimit(text, 100)).toBe(expected)
  })

  it.each([...['abc', '1.0', '_1', '1_', '1__1', '+ 1', '0x1', 'NaN', '1e3', '\u00b2', '1 1', ' ']])(
    'refuses %j as int() does',
    (text) => {
      expect(() => parseLimit(text, 100)).toThrow(`invalid literal for int() with base 10: '${text}'`)
    },
  )

  it.each([
    ['\ufeff5', String.raw`'\ufeff5'`],
    ['\u200b1', String.raw`'\u200b1'`],
    ['\xad', String.raw`'\xad'`],
    ['\x1c5', String.raw`'\x1c5'`],
    ['\u{e0001}', String.raw`'\U000e0001'`],
    ["it's", `"it's"`],
    ['\u00e9\'"', `'\u00e9\\'"'`],
    ['a'.repeat(500), `'${'a'.repeat(199)}`],
  ])('quotes %j as int() does', (text, quoted) => {
    const message = `invalid literal for int() with base 10: ${quoted}`
    expect(() => parseLimit(text, 100)).toThrow(expect.objectContaining({ message }))
  })

  it('refuses more digits than int() takes, signs and underscores aside', () => {
    expect(parseLimit(`+1_${'0'.repeat(4_299)}`, 100)).toBe(Number.POSITIVE_INFINITY)
    const message = expect.stringMatching(/^Exceeds the limit \(4300 digits\).*: value has 4301 digits$/)
    expect(() => parseLimit('\u0663'.repeat(4_301), 100)).toThrow(expect.objectContaining({ message }))
  })
})
