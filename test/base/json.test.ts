/** Questions that readers of unknown JSON ask of a value. */

import { describe, expect, it } from 'vitest'
import { isRecord, parseJson, parseJsonList } from '#base/json.ts'

describe('isRecord()', () => {
  it.each([{}, { length: 0 }, Object.create(null)])('is true of an object: %j', (value) =>
    expect(isRecord(value)).toBe(true),
  )

  it.each([null, undefined, [], [{}], 'text', 1, true])('is false of everything else: %j', (value) =>
    expect(isRecord(value)).toBe(false),
  )
})

describe('parseJson()', () => {
  it('reads every JSON value, null too, and nothing else', () => {
    expect([' {"a": [1]} ', 'null', '"x"'].map(parseJson)).toEqual([{ a: [1] }, null, 'x'])
    expect(['', '{', "{'a': 1}", 'undefined', 'NaN'].map(parseJson)).toEqual(new Array(5).fill(undefined))
  })
})

describe('parseJsonList()', () => {
  const parse = (text: string) => parseJsonList(text, (state) => new RangeError(`Cannot use X: ${state}`))

  it('gives the entries as they are written', () =>
    expect(parse(' [1, {"a": []}, null]')).toEqual([1, { a: [] }, null]))

  it.each([
    ['', 'it is not JSON'],
    ['[1', 'it is not JSON'],
    ['{"0": 1}', 'it is not a list'],
    ['null', 'it is not a list'],
  ])('throws the error of the caller for %j', (text, state) =>
    expect(() => parse(text)).toThrow(new RangeError(`Cannot use X: ${state}`)),
  )
})
