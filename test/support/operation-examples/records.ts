/** Examples of the operations about records and procedures: what they send, and what they make of an answer. */

import { dec, type Example, type Examples, id, id2, other, own } from './values.ts'

const read = (action: string, args: readonly unknown[]): Example => ({
  action,
  args,
  answer: { rows: [[5n, dec('1')]] },
  result: [{ date: 5, value: dec('1') }],
})

/** Examples by the names of their operations. */
export const recordExamples: Examples = {
  insert_record: {
    params: { streamId: id, record: { date: 5, value: 1.5 } },
    action: 'insert_record',
    args: [own, id, 5n, '1.500000000000000000'],
  },
  insert_records: {
    params: {
      streamId: id,
      records: [
        { date: 5, value: '1' },
        { date: 6n, value: '-2' },
      ],
    },
    action: 'insert_records',
    args: [
      [own, own],
      [id, id],
      [5n, 6n],
      [dec('1'), dec('-2')],
    ],
  },
  batch_insert_records: {
    params: {
      batches: [
        { streamId: id, inputs: [{ date: 5, value: 1 }] },
        { streamId: id2, inputs: [{ date: 6, value: 2 }] },
      ],
    },
    action: 'insert_records',
    args: [
      [own, own],
      [id, id2],
      [5n, 6n],
      [dec('1'), dec('2')],
    ],
  },
  get_records: {
    params: { streamId: id, dataProvider: other, dateFrom: 1, dateTo: 9, baseDate: 5 },
    ...read('get_record', [other, id, 1n, 9n, null]),
  },
  get_first_record: {
    params: { streamId: id, afterDate: 0, frozenAt: 4 },
    ...read('get_first_record', [own, id, null, 4n]),
    result: { date: 5, value: dec('1') },
  },
  get_last_record: {
    params: { streamId: id, beforeDate: 9, frozenAt: 4 },
    ...read('get_last_record', [own, id, 9n, 4n]),
    result: { date: 5, value: dec('1') },
  },
  get_high_value: {
    params: { streamId: id, dateFrom: 1, dateTo: 9 },
    ...read('get_high_value', [own, id, 1n, 9n, null]),
    result: { date: 5, value: dec('1') },
  },
  get_low_value: {
    params: { streamId: id },
    ...read('get_low_value', [own, id, null, null, null]),
    result: { date: 5, value: dec('1') },
  },
  get_index: { params: { streamId: id, baseDate: 3 }, ...read('get_index', [own, id, null, null, null, 3n]) },
  get_index_change: {
    params: { streamId: id, timeInterval: 60 },
    ...read('get_index_change', [own, id, null, null, null, null, 60n]),
  },
  call_procedure: {
    params: { procedure: 'get_market_info', args: [1] },
    action: 'get_market_info',
    args: [1n],
    answer: { columns: { a: 'int8', b: 'numeric', c: 'int8' }, rows: [[2n ** 62n, '0.1', 7n]] },
    result: { columnNames: ['a', 'b', 'c'], values: [[2n ** 62n, '0.1', 7]] },
  },
  execute_procedure: {
    params: { procedure: 'insert_record', args: [[own, id, 5, 1.5]] },
    action: 'insert_record',
    args: [own, id, 5n, '1.500000000000000000'],
  },
}
