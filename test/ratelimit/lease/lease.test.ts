/** Questions and answers as they travel. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDraws, encodeDraws } from '#ratelimit/lease/lease.ts'

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
