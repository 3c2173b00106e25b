/** The gateway's own entries: the bounds of each option of a bulk insertion, which no other table has. */

import { expect, test } from 'vitest'
import { insertAll, requireEntry } from '#gateway/entries.ts'
import { readParams } from '#gateway/params.ts'

test.each([
  ['batch_size', 1, 10],
  ['max_inflight', 1, 10_000],
  ['max_attempts', 1, 1000],
  ['catchup_backoff_seconds', 0, 3600],
  ['catchup_max_attempts', 1, 1000],
  ['infra_max_attempts', 1, 1000],
  ['confirm_timeout_seconds', 1, 86_400],
])('insert_all takes %s from %d to %d and nothing beyond', (name, least, most) => {
  const read = (value: number) => readParams(insertAll, { batches: [], [name]: value })
  for (const value of [least, most]) expect(Object.values(read(value))).toContain(value)
  for (const value of [least - 1, most + 1]) {
    expect(() => read(value)).toThrow(`${name} is ${value}, expected a whole number from ${least} to ${most}`)
  }
})

test('requireEntry() names the operation that was probably meant', () => {
  expect(requireEntry('insert_all')).toBe(insertAll)
  expect(() => requireEntry('get_record')).toThrow('get_records')
})
