/** The catalogue's entries about composition, visibility and roles. */

import { execute, list, nullable, oneOf, optional, page, record, required, shared, table, view } from './entry.ts'

const weighted = {
  record: [
    required(
      'stream',
      {
        record: [shared.streamId, optional('data_provider', 'address', 'Its owner; the caller when left out.')],
      },
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
]

const role = [
  required('owner', 'string', 'system, or the wallet that manages the role.'),
  required('role_name', 'string', 'The name after the colon.'),
]
const wallets = required('wallets', list('address'), 'The wallets.')

/** Roles. */
export const roles = [
  execute('grant_role', [...role, wallets], 'Gives wallets a role.', { action: 'grant_roles' }),
  execute('revoke_role', [...role, wallets], 'Takes a role from wallets.', { action: 'revoke_roles' }),
  view(
    'are_members_of',
    [...role, wallets],
    table({ wallet: 'address', is_member: 'boolean' }),
    'Tells of each wallet whether it has a role.',
  ),
  view(
    'list_role_members',
    [...role, ...page(100, 10_000)],
    table({ wallet: 'address', granted_at: 'integer', granted_by: 'string' }),
    'Lists the members of a role; granted_at is a block height.',
  ),
]
