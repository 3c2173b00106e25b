import { expect, it } from 'vitest'
import { formatDecimal, formatNumber, shortNumber } from '#console/frame/number.ts'

it('formatNumber() groups thousands by a thin space, and gives fractions one digit where no other count is given', () => {
  const numbers = [0, 999, 1_000, -1_234_567, 0.25].map((value) => formatNumber(value))
  expect(numbers).toEqual(['0', '999', '1\u2009000', '-1\u2009234\u2009567', '0.3'])
  expect(formatNumber(1_234.5, 2)).toBe('1\u2009234.50')
  expect(formatNumber(Number.NaN)).toBe('-')
})

it.each([
  [0, '0.00'],
  [3.4, '3.40'],
  [0.25, '0.25'],
  [-0.000_412_9, '-0.000413'],
  [0.000_3, '0.0003'],
  [1_234.567, '1\u2009234.57'],
  [1e-30, '0.00'],
])('formatDecimal() writes %d so that it is not taken for nothing', (value, text) => {
  expect(formatDecimal(value)).toBe(text)
})

it.each([
  [9_999, '9999'],
  [12_345, '12.3k'],
  [999_999, '1000k'],
  [1_250_000, '1.25M'],
])('shortNumber() writes %d as %s', (value, text) => {
  expect(shortNumber(value)).toBe(text)
})
