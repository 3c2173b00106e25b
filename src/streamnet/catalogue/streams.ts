/** The catalogue's entries about streams. */

import { execute, list, local, oneOf, optional, page, record, required, shared, table, view } from './entry.ts'

const streamType = oneOf('primitive', 'composed')
const locator = record({ stream_id: 'stream_id', data_provider: 'address' })
const locators = required('locators', list(locator), 'The streams to look for.')
const allowZeros = optional('allow_zeros', 'boolean', 'Keep zeros on insert.', { default: false })
const orders = ['created_at', 'stream_id', 'stream_type'].flatMap((by) => [`${by} DESC`, `${by} ASC`])

/** Streams. */
export const streams = [
  local(
    'generate_stream_id',
    [required('name', 'string', 'Any text.')],
    'stream_id',
    'Derives a stream id from a name.',
  ),
  execute(
    'deploy_stream',
    [
      shared.streamId,
      optional('stream_type', streamType, 'Stored values, or values computed from children.', { default: 'primitive' }),
      allowZeros,
    ],
    'Creates a stream.',
    { action: 'create_stream' },
  ),
  execute(
    'batch_deploy_streams',
    [
      required(
        'definitions',
        list({ record: [shared.streamId, required('stream_type', streamType, 'The kind of stream.'), allowZeros] }),
        'The streams to create.',
      ),
    ],
    'Creates many streams in one transaction.',
    { action: 'create_streams' },
  ),
  execute(
    'set_allow_zeros',
    [shared.streamId, required('flag', 'boolean', 'True to keep zeros from now on.')],
    'Says whether zeros are kept from now on; owner only.',
  ),
  view('get_allow_zeros', [shared.streamId, shared.dataProvider], 'boolean', 'Tells whether a stream keeps zeros.'),
  execute('destroy_stream', [shared.streamId], 'Removes a stream for good; owner only.', { action: 'delete_stream' }),
  view(
    'wait_for_tx',
    [
      required('tx_hash', 'tx_hash', 'The transaction.'),
      optional('timeout_ms', 'integer', 'How long to wait, in milliseconds.', { default: 120_000, min: 1 }),
    ],
    record({ hash: 'tx_hash', height: 'integer', code: 'integer', log: 'string' }),
    'Waits until a transaction has succeeded in a block.',
    { action: 'user.tx_query', access: 'transaction' },
  ),
  view(
    'batch_stream_exists',
    [locators],
    table({ stream_id: 'stream_id', data_provider: 'address', exists: 'boolean' }),
    'Tells of each locator whether its stream exists.',
    { action: 'stream_exists_batch' },
  ),
  view(
    'batch_filter_streams_by_existence',
    [locators, required('return_existing', 'boolean', 'True for those that exist, false for the others.')],
    list(locator),
    'Keeps the locators whose stream exists, or those whose stream does not.',
    { action: 'filter_streams_by_existence' },
  ),
  view(
    'list_streams',
    [
      ...page(5000, 5000),
      optional('data_provider', 'address', 'Only streams of this owner.'),
      optional('order_by', oneOf(...orders), 'The order.', { default: 'created_at DESC' }),
      optional('block_height', 'integer', 'Only streams created after this height.', { default: 0, min: 0 }),
    ],
    table({ stream_id: 'stream_id', data_provider: 'address', stream_type: streamType, created_at: 'integer' }),
    'Lists streams; created_at is a block height.',
  ),
  local('get_current_account', [], 'address', "The client's own address."),
  view('get_type', [shared.streamId, shared.dataProvider], streamType, 'Tells what kind a stream is.', {
    action: 'get_metadata',
  }),
]
