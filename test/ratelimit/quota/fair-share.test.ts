/** Fair shares: no holder is better off at the cost of one that has less. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fairShares } from '#ratelimit/quota/fair-share.ts'

describe('fairShares()', () => {
  test('gives a small demand what it asks for and divides the rest equally', () => {
    expect(fairShares([100, 1, 100], 21)).toEqual([10, 1, 10])
  })

  test('divides what no demand needs in equal parts', () => {
    expect(fairShares([1, 2], 7)).toEqual([3, 4])
  })

  test('gives out the whole capacity; only holders of the largest share get less than they ask for', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 30 }), amount, (demands, capacity) => {
        const shares = fairShares(demands, capacity)
        const sum = shares.reduce((total, share) => total + share, 0)
        expect(Math.abs(sum - capacity)).toBeLessThanOrEqual(1e-6 * Math.max(1, capacity))
        const most = Math.max(...shares)
        for (const [at, share] of shares.entries()) {
          const isShort = share < (demands[at] ?? 0) - 1e-6
          if (isShort) expect(share).toBeGreaterThanOrEqual(most - 1e-6 * Math.max(1, capacity))
        }
      }),
      { seed: 8 },
    )
  })
})
