/** Readings of a counter of an algorithm. */

import { describe, expect, it } from 'vitest'
import { readCounters } from '#ratelimit/algorithm/reading.ts'

describe('readCounters()', () => {
  it('names the algorithm, and lists nothing where nothing is used', () => {
    const hit = { key: 'shop_a_\nsliding 60', unit: 'HOUR', addend: 0 } as const
    const reading = { unit: 'HOUR', algorithm: 'sliding 60', hits: 3, secondsUntilReset: 9 }
    expect(readCounters(hit, { after: 3, secondsUntilReset: 9 })).toEqual([reading])
    expect(readCounters(hit, { after: 0, secondsUntilReset: 9 })).toEqual([])
    expect(readCounters({ ...hit, key: 'shop_a_' }, { after: 3, secondsUntilReset: 9 })).toEqual([])
  })
})
