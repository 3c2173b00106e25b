/** Moments in the forms of detectors. */

import { expect, test } from 'vitest'
import { readMoment } from '#grid/score/moment.ts'

test.each([
  [1.1179999999999999, 1_118_000],
  [1_795_536_000, 1_795_536_000_000_000],
  ['1795536000.000700', 1_795_536_000_000_700],
  ['2026-11-24T16:00:00.000700Z', 1_795_536_000_000_700],
  ['2026-11-24T17:00:00.000700+0100', 1_795_536_000_000_700],
  ['2026-11-24T10:30:00-05:30', 1_795_536_000_000_000],
  ['2026-11-24 16:00:00.123456789', 1_795_536_000_123_456],
])('readMoment() reads %j', (value, timeUs) => {
  expect(readMoment(value)).toBe(timeUs)
})

test.each([null, undefined, {}, '', 'noon', -1, Number.NaN, '2026-13-24T16:00:00Z', '2026-11-24', '1e9'])(
  'readMoment() takes %j for no moment',
  (value) => {
    expect(readMoment(value)).toBeNull()
  },
)
