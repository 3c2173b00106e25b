/** The catalogue's entries about streams and records. */

import {
  execute,
  list,
  local,
  nullable,
  oneOf,
  optional,
  page,
  record,
  required,
  shared,
  view,
} from './entry.ts'

const streamType = oneOf('primitive', 'composed')
const locator = record({ stream_id: 'stream_id', data_provider: 'address' })
const locators = required('locators', list(locator), 'The streams to look for.')
const allowZeros = optional('allow_zeros', 'boolean', 'Keep zeros on insert.', { default: false })
const orders = ['created_at', 'stream_id', 'stream_type'].flatMap((by) => [`${by} DESC`, `${by} ASC`])

/** Streams. */
export const streams = [
  local(
    'generate_stream_id',
    'generateStreamId',
    [required('name', 'string', 'Any text.')],
    'stream_id',
    'Derives a stream id from a name.',
  ),
  execute(
    'deploy_stream',
    'deployStream',
    'create_stream',
    [
      shared.streamId,
      optional('stream_type', streamType, 'Stored values, or values computed from children.', {
        default: 'primitive',
      }),
      allowZeros,
    ],
    'Creates a stream.',
  ),
  execute(
    'batch_deploy_streams',
    'batchDeployStreams',
    'create_streams',
    [
      required(
        'definitions',
        list({
          record: [shared.streamId, required('stream_type', streamType, 'The kind of stream.'), allowZeros],
        }),
        'The streams to create.',
      ),
    ],
    'Creates many streams in one transaction.',
  ),
  execute(
    'set_allow_zeros',
    'setAllowZeros',
    'set_allow_zeros',
    [shared.streamId, required('flag', 'boolean', 'True to keep zeros from now on.')],
    'Says whether zeros are kept from now on; owner only.',
  ),
  view(
    'get_allow_zeros',
    'getAllowZeros',
    'get_allow_zeros',
    [shared.streamId, shared.dataProvider],
    'boolean',
    'Tells whether a stream keeps zeros.',
  ),
  execute(
    'destroy_stream',
    'destroyStream',
    'delete_stream',
    [shared.streamId],
    'Removes a stream for good; owner only.',
  ),
  view(
    'wait_for_tx',
    'waitForTx',
    'user.tx_query',
    [
      required('tx_hash', 'tx_hash', 'The transaction.'),
      optional('timeout_ms', 'integer', 'How long to wait, in milliseconds.', { default: 120_000, min: 1 }),
    ],
    record({ hash: 'tx_hash', height: 'integer', code: 'integer', log: 'string' }),
    'Waits until a transaction has succeeded in a block.',
  ),
  view(
    'batch_stream_exists',
    'batchStreamExists',
    'stream_exists_batch',
    [locators],
    list(record({ stream_id: 'stream_id', data_provider: 'address', exists: 'boolean' })),
    'Tells of each locator whether its stream exists.',
  ),
  view(
    'batch_filter_streams_by_existence',
    'batchFilterStreamsByExistence',
    'filter_streams_by_existence',
    [locators, required('return_existing', 'boolean', 'True for those that exist, false for the others.')],
    list(locator),
    'Keeps the locators whose stream exists, or those whose stream does not.',
  ),
  view(
    'list_streams',
    'listStreams',
    'list_streams',
    [
      ...page(5000, 5000),
      optional('data_provider', 'address', 'Streams of this owner alone.'),
      optional('order_by', oneOf(...orders), 'The order.', { default: 'created_at DESC' }),
      optional('block_height', 'integer', 'Only streams created after this height.', { default: 0, min: 0 }),
    ],
    list(
      record({
        stream_id: 'stream_id',
        data_provider: 'address',
        stream_type: streamType,
        created_at: 'integer',
      }),
    ),
    'Lists streams; created_at is a block height.',
  ),
  local('get_current_account', 'getCurrentAccount', [], 'address', "The client's own address."),
  view(
    'get_type',
    'getType',
    'get_metadata',
    [shared.streamId, shared.dataProvider],
    streamType,
    'Tells what kind a stream is.',
  ),
]

const input = {
  record: [
    required('date', 'integer', 'Unix time in seconds.'),
    required('value', 'decimal', 'The value; 18 fractional digits are kept.'),
  ],
}
const range = [
  shared.streamId,
  shared.dataProvider,
  optional('date_from', 'integer', 'From this Unix time in seconds on; the latest record without bounds.'),
  optional('date_to', 'integer', 'Up to this Unix time in seconds.'),
  shared.frozenAt,
  optional('base_date', 'integer', 'The date whose index is 100; records ignore it.'),
  optional('prefix', 'string', "Put in front of the action's name.", { default: '' }),
  optional('use_cache', 'boolean', 'Given, the answer tells about the cache.'),
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

/** Records. */
export const records = [
  execute(
    'insert_record',
    'insertRecord',
    'insert_record',
    [shared.streamId, required('record', input, 'The record.')],
    "Inserts one record into one's own primitive stream.",
  ),
  execute(
    'insert_records',
    'insertRecords',
    'insert_records',
    [shared.streamId, required('records', list(input), 'The records.')],
    "Inserts records into one of one's own primitive streams.",
  ),
  execute(
    'batch_insert_records',
    'batchInsertRecords',
    'insert_records',
    [
      required(
        'batches',
        list({ record: [shared.streamId, required('inputs', list(input), 'The records.')] }),
        'Records by stream.',
      ),
    ],
    'Inserts records into many streams in one transaction.',
  ),
  view('get_records', 'getRecords', 'get_record', range, rows, 'Reads records.'),
  view(
    'get_first_record',
    'getFirstRecord',
    'get_first_record',
    [
      shared.streamId,
      shared.dataProvider,
      optional('after_date', 'integer', 'At or after this Unix time in seconds.'),
      shared.frozenAt,
      optional('use_cache', 'boolean', 'Given, the answer tells about the cache.'),
    ],
    { anyOf: [nullable(row), record({ data: nullable(row), cache })] },
    'Reads the first record at or after a date.',
  ),
  view(
    'get_last_record',
    'getLastRecord',
    'get_last_record',
    [
      shared.streamId,
      shared.dataProvider,
      optional(
        'before_date',
        'integer',
        'Before this Unix time in seconds; for a composed stream at it too.',
      ),
      shared.frozenAt,
      optional('use_cache', 'boolean', 'Given, the answer tells about the cache.'),
    ],
    { anyOf: [nullable(row), record({ data: nullable(row), cache })] },
    'Reads the last record before a date.',
  ),
  view(
    'get_high_value',
    'getHighValue',
    'get_high_value',
    extremeWindow,
    nullable(row),
    'Reads the record with the highest value in a window, the first of equal ones.',
  ),
  view(
    'get_low_value',
    'getLowValue',
    'get_low_value',
    extremeWindow,
    nullable(row),
    'Reads the record with the lowest value in a window, the first of equal ones.',
  ),
  view(
    'get_index',
    'getIndex',
    'get_index',
    range,
    rows,
    'Reads the index: values in percent of the value at the base date.',
  ),
  view(
    'get_index_change',
    'getIndexChange',
    'get_index_change',
    [
      required('time_interval', 'integer', 'Seconds between the two values of a change.', { min: 1 }),
      ...range,
    ],
    rows,
    'Reads changes of the index in percent.',
  ),
]
