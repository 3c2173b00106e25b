import { expect, test } from 'vitest'
import { bucketBoundsFromMarketData } from '#streamnet/forecast/bounds.ts'

test.each([
  ['below', ['4.04'], { lower: null, upper: 4.04 }],
  ['above', ['4.92'], { lower: 4.92, upper: null }],
  ['between', ['4.04', '4.33'], { lower: 4.04, upper: 4.33 }],
  ['equals', ['5', '0.5'], { lower: 4.5, upper: 5.5 }],
] as const)('bucketBoundsFromMarketData() reads the bucket of a market %s', (type, thresholds, bounds) => {
  expect(bucketBoundsFromMarketData({ type, thresholds })).toEqual(bounds)
})

test.each([
  ['above', [], "a 'above' market needs at least 1 threshold(s), got 0"],
  ['between', ['1'], "a 'between' market needs at least 2 threshold(s), got 1"],
  ['below', ['abc'], "threshold 0 of a 'below' market is not a number: 'abc'"],
  ['between', ['2', '2'], "a 'between' market needs lower < upper, got [2, 2)"],
  ['equals', ['2', '0'], "an 'equals' market needs a positive tolerance, got 0"],
  ['equals', ['1e300', '1e-300'], 'does not describe a usable bucket: [1e+300, 1e+300)'],
  ['unknown', [], "cannot derive bucket bounds from a 'unknown' market"],
] as const)('bucketBoundsFromMarketData() refuses a market %s of %j', (type, thresholds, message) => {
  expect(() => bucketBoundsFromMarketData({ type, thresholds })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
  )
})
