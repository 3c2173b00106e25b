/** The mark of a raised counter, in the flags that memcached keeps beside its value. */

import { expect, test } from 'vitest'
import { decodeMark, encodeMark } from '#ratelimit/memcache/mark.ts'

test('decodeMark() reads what encodeMark() wrote, in 32 bits', () => {
  for (const raisedBy of [0, 1, 4_000_000, 2 ** 31 - 1]) {
    expect(encodeMark(raisedBy)).toBeLessThan(2 ** 32)
    expect(decodeMark(encodeMark(raisedBy))).toBe(raisedBy)
  }
})

test('decodeMark() takes the flags of other clients for no mark', () => {
  for (const flags of [undefined, 0, 1, 2 ** 31 - 1]) expect(decodeMark(flags)).toBeNull()
})
