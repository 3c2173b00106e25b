/** The catalogue's entries about composition and visibility. */

import { execute, list, nullable, oneOf, optional, page, record, required, shared, table, view } from './entry.ts'

const weighted = {
  record: [
    required(
      'stream',
      { record: [shared.streamId, optional('data_provider', 'address', 'Its owner; the caller when left out.')] },
      'The child.',
    ),
    required('weight', 'decimal', 'Its weight.'),
  ],
}
const parent = optional('parent_stream_id', 'stream_id', 'The composed stream; the stream itself when left out.')

// Visibility and its lists are kept as metadata.
const insert = { action: 'insert_metadata' }
const disable = { action: 'disable_metadata' }
const read = { action: 'get_metadata' }

const heights = [
  optional('from_height', 'integer', 'From this block height on.', { min: 0 }),
  optional('to_height', 'integer', 'Up to this block height.', { min: 0 }),
]
const entries = table({
  data_provider: 'address',
  stream_id: 'stream_id',
  child_data_provider: 'address',
  child_stream_id: 'stream_id',
  weight: 'decimal',
  created_at: 'integer',
  group_sequence: 'integer',
  start_time: 'integer',
})
const latestOnly = optional('latest_only', 'boolean', 'Only the newest version of each stream.', { default: false })

/** Composition. */
export const composition = [
  execute(
    'set_taxonomy',
    [
      shared.streamId,
      required(
        'child_streams',
        { anyOf: [{ map: 'decimal' }, list(weighted)] },
        "Weights by the ids of one's own streams, or a list that can name others.",
      ),
      optional('start_date', 'integer', 'Unix time in seconds from which it counts.', { default: 0, min: 0 }),
    ],
    "Gives one's own composed stream a new version of its children.",
    { action: 'insert_taxonomy', access: 'children' },
  ),
  view(
    'describe_taxonomy',
    [
      shared.streamId,
      optional('latest_version', 'boolean', 'Only the latest version, or all.', { default: true }),
      shared.dataProvider,
    ],
    nullable(
      record({
        stream_id: 'stream_id',
        child_streams: table({
          stream: record({ stream_id: 'stream_id', data_provider: 'address' }),
          weight: 'decimal',
          start_date: 'integer',
          group_sequence: 'integer',
        }),
        created_at: 'integer',
      }),
    ),
    'Reads the children of a composed stream.',
    { action: 'describe_taxonomies' },
  ),
  execute(
    'disable_taxonomy',
    [shared.streamId, required('group_sequence', 'integer', 'The version.', { min: 0 })],
    "Takes a version of the children of one's own stream out of use.",
  ),
  view(
    'get_taxonomies_for_streams',
    [required('locators', table({ stream_id: 'stream_id', data_provider: 'address' }), 'The streams.'), latestOnly],
    entries,
    'Reads the children of many composed streams.',
  ),
  view(
    'list_taxonomies_by_height',
    [...heights, latestOnly, ...page(1000, 10_000)],
    entries,
    'Lists children by the height at which they were set; without heights those of the last 1000 blocks.',
  ),
  execute('allow_compose_stream', [shared.streamId, parent], 'Allows a composed stream to use a private one.', insert),
  execute('disable_compose_stream', [shared.streamId, parent], 'Takes that permission back.', disable),
]

const level = oneOf('public', 'private')
const visible = required('visibility', level, 'Public, or private to those that are allowed.')
const reader = required('wallet_address', 'address', 'The wallet.')
const ofStream = [shared.streamId, shared.dataProvider]

/** Visibility. */
export const visibility = [
  execute('set_compose_visibility', [shared.streamId, visible], 'Says who may compose a stream.', insert),
  view('get_compose_visibility', ofStream, level, 'Tells who may compose a stream.', read),
  view('get_allowed_compose_streams', ofStream, list('stream_id'), 'The streams that may compose a private one.', read),
  execute('set_read_visibility', [shared.streamId, visible], 'Says who may read a stream.', insert),
  view('get_read_visibility', ofStream, level, 'Tells who may read a stream.', read),
  execute('allow_read_wallet', [shared.streamId, reader], 'Allows a wallet to read a private stream.', insert),
  execute('disable_read_wallet', [shared.streamId, reader], 'Takes that permission back.', disable),
  view('get_allowed_read_wallets', ofStream, list('address'), 'The wallets that may read a private stream.', read),
  view(
    'list_metadata_by_height',
    [
      required('key', 'string', 'The key, such as stream_owner.'),
      optional('ref', 'string', 'Only rows that refer to this address or stream.'),
      ...heights,
      ...page(1000, 10_000),
    ],
    table({
      stream_id: 'stream_id',
      data_provider: 'address',
      row_id: 'string',
      value_i: nullable('integer'),
      value_f: nullable('decimal'),
      value_b: nullable('boolean'),
      value_s: nullable('string'),
      value_ref: nullable('string'),
      created_at: 'integer',
    }),
    'Lists metadata by the height at which it was written.',
  ),
  view('get_stream_owner', [shared.streamId, shared.dataProvider], 'address', 'The owner of a stream.', read),
  execute(
    'set_default_base_time',
    [shared.streamId, required('base_time', 'integer', 'Unix time in seconds.')],
    'Sets the time from which the index counts where a reader names none.',
    insert,
  ),
]
