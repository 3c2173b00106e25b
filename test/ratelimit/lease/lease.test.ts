/** Questions and answers as they travel. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDraws, encodeDraws, readQuestion } from '#ratelimit/lease/lease.ts'

describe('readQuestion()', () => {
  it('finds each value at its place', () => {
    expect(readQuestion(['a', 2, 3, 4, 5, 1, [6, 7]])).toEqual({
      name: { key: 'a', unit: 'HOUR' },
      addend: 3,
      limit: 4,
      wanted: 5,
      takesAll: true,
      returned: [6, 7],
    })
  })
})

describe('decodeDraws()', () => {
  it('reads what encodeDraws() wrote', () => {
    const count = fc.nat()
    const draw = fc.record({
      after: count,
      windowStart: count,
      millisecondsUntilReset: count,
      granted: count,
      outstanding: count,
      faults: count,
    })
    fc.assert(
      fc.property(fc.array(draw), (draws) => {
        expect(decodeDraws(encodeDraws(draws))).toEqual(draws)
      }),
    )
  })
})
