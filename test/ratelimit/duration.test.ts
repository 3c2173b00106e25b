/** Go durations: what the notation allows, what it refuses. */

import { expect, test } from 'vitest'
import { parseDuration } from '#ratelimit/duration.ts'

test.each([
  ['0', 0],
  ['10s', 10_000],
  ['150us', 0.15],
  ['150µs', 0.15],
  ['1.5h', 5_400_000],
  ['2h45m', 9_900_000],
  ['.5s', 500],
  ['-3ms', -3],
  ['+1m', 60_000],
  ['100ns', 0.0001],
])('parseDuration() reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 9)
})

test.each(['', '10', '1d', 's', '1 s', ' 1s', '1s ', '--1s', '-', '1e3s', '9223372036855ms'])(
  'parseDuration() refuses "%s"',
  (text) => {
    expect(parseDuration(text)).toBeNull()
  },
)

test('parseDuration() refuses a million digits without a unit in one pass', () => {
  expect(parseDuration('1'.repeat(1_000_000))).toBeNull()
})
