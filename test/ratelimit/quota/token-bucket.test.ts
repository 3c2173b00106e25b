/** Token buckets: what the bucket for a number of hits lets pass at most. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketFor, fillSeconds, passable, rateOf } from '#ratelimit/quota/token-bucket.ts'

describe('passable()', () => {
  it('is the whole bucket and what it is filled with meanwhile, and nothing in no time', () => {
    const bucket = { maxTokens: 5, tokensPerFill: 2 * fillSeconds }
    expect(rateOf(bucket)).toBe(2)
    expect(passable(bucket, 10)).toBe(25)
    expect([passable(bucket, 0), passable(bucket, -1)]).toEqual([0, 0])
  })
})

describe('bucketFor()', () => {
  it('never lets more hits pass than it was made for', () => {
    const hits = fc.double({ min: 0, max: 1e9, noNaN: true })
    const seconds = fc.double({ min: 0.5, max: 3_600, noNaN: true })
    fc.assert(
      fc.property(hits, seconds, (most, span) => {
        const bucket = bucketFor(most, span)
        return bucket === null || passable(bucket, span) <= most * (1 + 1e-12)
      }),
    )
  })

  it('is null below one hit and the least fill, and holds whole tokens from 1 on', () => {
    expect(bucketFor(0, 10)).toBeNull()
    expect(bucketFor(1, 10)).toBeNull()
    expect(bucketFor(1.01, 10)).toEqual({ maxTokens: 1, tokensPerFill: 1 })
    expect(bucketFor(100, 10)).toEqual({ maxTokens: 4, tokensPerFill: 9_600 })
  })
})
