import { expect, test } from 'vitest'
import { findSlips, withForce } from '#streamnet/catalogue/slips.ts'
import { catalogue, findOperation } from '#streamnet/catalogue.ts'

const pathsOf = (name: string, params: object) => [...findSlips(name, params)].map(({ path }) => path)

test('findSlips() names dates of records from the year 5138 on, and no date of a question', () => {
  expect(pathsOf('insert_record', { record: { date: 99_999_999_999, value: 1 } })).toEqual([])
  for (const date of [1e11, -1e11, 10n ** 18n, '1760000000000'])
    expect(pathsOf('insert_record', { record: { date, value: 1 } })).toEqual(['record.date'])
  expect(pathsOf('insert_records', { records: [{ eventTime: 5 }, { eventTime: 1e12 }] })).toEqual([
    'records[1].event_time',
  ])
  expect(pathsOf('insert_records', { records: [{ date: 5, value: '99999999999999' }] })).toEqual([])
  expect(pathsOf('get_records', { dateFrom: 1e12, date: 1e12 })).toEqual([])
})

test('withForce() adds a parameter to the operations with slips only', () => {
  const changed = catalogue.filter((entry) => withForce(entry) !== entry).map(({ name }) => name)
  expect(changed).toEqual(['generate_stream_id', 'insert_record', 'insert_records', 'batch_insert_records'])
  const entry = findOperation('insert_record')
  expect(entry && withForce(entry).parameters.at(-1)?.name).toBe('force')
})
