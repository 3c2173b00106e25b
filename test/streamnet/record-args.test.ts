/** Records as the arguments of `insert_records`: four typed lists in step, dates as integers, values as exact decimals. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataType } from '#streamnet/codec/value.ts'
import { checkDate, recordArgs } from '#streamnet/record-args.ts'

const provider = `0x${'ab'.repeat(20)}`
const idOf = (digit: number) => `st${`${digit}`.repeat(30)}`
const invalid = expect.objectContaining({ code: 'invalid_argument' })

test('recordArgs() has an entry of each list for every record, in the order of the batches (property)', () => {
  const record = fc.record({ date: fc.maxSafeInteger(), value: fc.integer().map(String) })
  const batch = fc.record({ streamId: fc.integer({ min: 0, max: 9 }).map(idOf), inputs: fc.array(record) })
  fc.assert(
    fc.property(fc.array(batch), (batches) => {
      const rows = batches.flatMap(({ streamId, inputs }) => inputs.map((one) => ({ streamId, ...one })))
      fc.pre(rows.length > 0)
      const [providers, ids, dates, values] = recordArgs(provider, batches)
      const list = (name: 'text' | 'int8', value: readonly (string | bigint)[]) => ({
        type: dataType(name, true),
        value,
      })
      expect(providers).toEqual(
        list(
          'text',
          rows.map(() => provider),
        ),
      )
      expect(ids).toEqual(
        list(
          'text',
          rows.map(({ streamId }) => streamId),
        ),
      )
      expect(dates).toEqual(
        list(
          'int8',
          rows.map(({ date }) => BigInt(date)),
        ),
      )
      expect(values).toMatchObject({ value: rows.map(({ value }) => expect.stringMatching(`^${value}(\\.0+)?$`)) })
    }),
    { seed: 2 },
  )
})

test.each([
  ['no batch', []],
  ['batches without a record', [{ streamId: idOf(1), inputs: [] }]],
  ['a stream id that is none', [{ streamId: 'st1', inputs: [{ date: 1, value: '1' }] }]],
  ['a value that is not a number', [{ streamId: idOf(1), inputs: [{ date: 1, value: 'one' }] }]],
  ['a date that is a fraction', [{ streamId: idOf(1), inputs: [{ date: 1.5, value: '1' }] }]],
])('recordArgs() refuses %s', (_, batches) => {
  expect(() => recordArgs(provider, batches)).toThrow(invalid)
})

test.each([0, -5, 2 ** 53 - 1, 0n, BigInt(2 ** 53 - 1), -BigInt(2 ** 53 - 1)])('checkDate() takes %s', (date) => {
  expect(checkDate({ date, value: '1' })).toBe(date)
})

test.each([0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n)])(
  'checkDate() refuses %s',
  (date) => {
    expect(() => checkDate({ date, value: '1' })).toThrow(invalid)
  },
)
