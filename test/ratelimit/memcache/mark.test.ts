/** The mark of a raised counter, in the flags that memcached keeps beside its value. */

import { expect, test } from 'vitest'
import { markOf, raisedByOf } from '#ratelimit/memcache/mark.ts'

test('raisedByOf() reads what markOf() wrote, in 32 bits', () => {
  for (const raisedBy of [0, 1, 4_000_000, 2 ** 31 - 1]) {
    expect(markOf(raisedBy)).toBeLessThan(2 ** 32)
    expect(raisedByOf(markOf(raisedBy))).toBe(raisedBy)
  }
})

test('raisedByOf() takes the flags of other clients for no mark', () => {
  for (const flags of [undefined, 0, 1, 2 ** 31 - 1]) expect(raisedByOf(flags)).toBeNull()
})
