/** The catalogue's entries about records. */

import { execute, list, nullable, optional, record, required, shared, view } from './entry.ts'

const input = {
  record: [
    required('date', 'integer', 'Unix time in seconds.'),
    required('value', 'decimal', 'The value; 18 fractional digits are kept.'),
  ],
}
const useCache = optional(
  'use_cache',
  'boolean',
  'With either value the answer says whether the node had it in its cache.',
)
/** Parameters of reads in a range of dates. */
const range = [
  shared.streamId,
  shared.dataProvider,
  optional('date_from', 'integer', 'From this Unix time in seconds on; the latest record without bounds.'),
  optional('date_to', 'integer', 'Up to this Unix time in seconds.'),
  shared.frozenAt,
  optional('base_date', 'integer', 'The date whose index is 100; records ignore it.'),
  optional('prefix', 'string', "Put in front of the action's name.", { default: '' }),
  useCache,
]
const extremeWindow = [
  shared.streamId,
  shared.dataProvider,
  optional('date_from', 'integer', 'From this Unix time in seconds on.'),
  optional('date_to', 'integer', 'Up to this Unix time in seconds.'),
  shared.frozenAt,
]
const row = record({ date: 'integer', value: 'decimal' })
const cache = nullable(record({ hit: 'boolean', cache_height: nullable('integer') }))
const rows = { anyOf: [list(row), record({ data: list(row), cache })] }

/** Reads of composed streams need the right to read all of their constituents. */
const computed = { access: 'constituents' } as const
/** A row or null; with `use_cache` beside what the cache had. */
const maybeRow = { anyOf: [nullable(row), record({ data: nullable(row), cache })] }

/** Operations that write and read records. */
export const records = [
  execute(
    'insert_record',
    [shared.streamId, required('record', input, 'The record.')],
    "Inserts one record into one's own primitive stream.",
  ),
  execute(
    'insert_records',
    [shared.streamId, required('records', list(input), 'The records.')],
    "Inserts records into one of one's own primitive streams.",
  ),
  execute(
    'batch_insert_records',
    [
      required(
        'batches',
        list({ record: [shared.streamId, required('inputs', list(input), 'The records.')] }),
        'Records by stream.',
      ),
    ],
    'Inserts records into many streams in one transaction.',
    { action: 'insert_records' },
  ),
  view('get_records', range, rows, 'Reads records.', { action: 'get_record', ...computed }),
  view(
    'get_first_record',
    [
      shared.streamId,
      shared.dataProvider,
      optional('after_date', 'integer', 'At or after this Unix time in seconds.'),
      shared.frozenAt,
      useCache,
    ],
    maybeRow,
    'Reads the first record at or after a date.',
    computed,
  ),
  view(
    'get_last_record',
    [
      shared.streamId,
      shared.dataProvider,
      optional('before_date', 'integer', 'Before this Unix time in seconds; for a composed stream at it too.'),
      shared.frozenAt,
      useCache,
    ],
    maybeRow,
    'Reads the last record before a date.',
    computed,
  ),
  view(
    'get_high_value',
    extremeWindow,
    nullable(row),
    'Reads the record with the highest value in a window, the first of equal ones.',
    computed,
  ),
  view(
    'get_low_value',
    extremeWindow,
    nullable(row),
    'Reads the record with the lowest value in a window, the first of equal ones.',
    computed,
  ),
  view('get_index', range, rows, 'Reads the index: values in percent of the value at the base date.', computed),
  view(
    'get_index_change',
    [required('time_interval', 'integer', 'Seconds between the two values of a change.', { min: 1 }), ...range],
    rows,
    'Reads changes of the index in percent.',
    computed,
  ),
]
