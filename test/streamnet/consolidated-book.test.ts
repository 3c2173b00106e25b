import { expect, test } from 'vitest'
import { consolidateBook, consolidateSide } from '#streamnet/consolidated-book.ts'

test('consolidateBook() fills each side with the other outcome at what is left of the dollar, and merges prices', () => {
  const depth = [
    { outcome: true, price: 40, buyVolume: 5, sellVolume: 0 },
    { outcome: true, price: 42, buyVolume: 1, sellVolume: 0 },
    { outcome: false, price: 60, buyVolume: 0, sellVolume: 3 },
    { outcome: false, price: 58, buyVolume: 4, sellVolume: 0 },
  ]
  expect(consolidateBook(depth, true)).toEqual({
    bids: [
      { price: 42, total: 1, native: 1, inverse: 0 },
      { price: 40, total: 8, native: 5, inverse: 3 },
    ],
    asks: [{ price: 42, total: 4, native: 0, inverse: 4 }],
    isCrossed: true,
  })
  expect(consolidateBook(depth, false)).toMatchObject({ isCrossed: true, bids: [{ price: 58 }] })
  expect(consolidateBook([], true)).toEqual({ bids: [], asks: [], isCrossed: false })
})

test('consolidateSide() leaves out sizes of nothing', () => {
  expect(consolidateSide([{ price: 5, size: 0 }], [{ price: 5, size: -1 }], 'ask')).toEqual([])
})
