/** Byte strings joined and compared. */

import { describe, expect, it } from 'vitest'
import { concatBytes, equalBytes, joinBytes } from '#base/bytes.ts'

const bytes = (...values: readonly number[]) => Uint8Array.from(values)

describe('concatBytes()', () => {
  it('joins in order into a new byte string', () => {
    const part = bytes(1, 2)
    const joined = concatBytes(part, bytes(), bytes(3))
    part[0] = 9
    expect(joined).toEqual(bytes(1, 2, 3))
  })

  it('makes an empty byte string of nothing', () => expect(concatBytes()).toEqual(bytes()))
})

describe('joinBytes()', () => {
  it('joins more parts than a call takes arguments', () => {
    const parts = Array.from({ length: 300_000 }, (_, at) => bytes(at & 0xff))
    const joined = joinBytes(parts)
    expect([joined.length, joined[255], joined[299_999]]).toEqual([300_000, 255, 299_999 & 0xff])
  })
})

describe('equalBytes()', () => {
  it.each([
    [bytes(), bytes(), true],
    [bytes(0, 255), bytes(0, 255), true],
    [bytes(0, 255), bytes(0, 254), false],
    [bytes(1, 0), bytes(0, 0), false],
    [bytes(1), bytes(1, 0), false],
  ])('of %j and %j is %j', (left, right, isEqual) => {
    expect(equalBytes(left, right)).toBe(isEqual)
    expect(equalBytes(right, left)).toBe(isEqual)
  })
})
