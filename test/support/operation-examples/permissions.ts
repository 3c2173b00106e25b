/** Examples of the operations about composition, visibility and roles: what they send, and what they make of an answer. */

import { dec, type Example, type Examples, found, id, id2, other, otherChecksum, own, row } from './values.ts'

const setting = (name: string, value: string) => ({ action: 'insert_metadata', args: [own, id, name, value, 'int'] })
const allowing = (name: string, ref: string) => ({ action: 'insert_metadata', args: [own, id, name, ref, 'ref'] })
const visibility = (name: string): Example => ({
  params: { streamId: id, dataProvider: other },
  action: 'get_metadata',
  args: [other, id, name, null, 1n, null, 'created_at DESC'],
  answer: found,
  result: 'private',
})
const allowed = (name: string): Example => ({
  params: { streamId: id },
  action: 'get_metadata',
  args: [own, id, name, null, null, null, 'created_at DESC'],
  answer: found,
  result: [other],
})
const taxonomies = {
  answer: { rows: [[other, id, own, id2, dec('2'), 7n, 1n, 0n]] },
  result: [
    {
      dataProvider: other,
      streamId: id,
      childDataProvider: own,
      childStreamId: id2,
      weight: dec('2'),
      createdAt: 7,
      groupSequence: 1,
      startTime: 0,
    },
  ],
}

/** Examples by the names of their operations. */
export const permissionExamples: Examples = {
  set_taxonomy: {
    params: { streamId: id, childStreams: { [id2]: 0.5 }, startDate: 3 },
    action: 'insert_taxonomy',
    args: [own, id, [own], [id2], ['0.500000000000000000'], 3n],
  },
  describe_taxonomy: {
    params: { streamId: id },
    action: 'describe_taxonomies',
    args: [own, id, true],
    answer: { rows: [[own, id, other, id2, dec('1'), 9n, 1n, 0n]] },
    result: {
      streamId: id,
      childStreams: [
        { stream: { streamId: id2, dataProvider: other }, weight: dec('1'), startDate: 0, groupSequence: 1 },
      ],
      createdAt: 9,
    },
  },
  disable_taxonomy: { params: { streamId: id, groupSequence: 2 }, action: 'disable_taxonomy', args: [own, id, 2n] },
  get_taxonomies_for_streams: {
    params: { locators: [{ streamId: id, dataProvider: other }], latestOnly: true },
    action: 'get_taxonomies_for_streams',
    args: [[other], [id], true],
    ...taxonomies,
  },
  list_taxonomies_by_height: {
    params: { fromHeight: 3, limit: 2 },
    action: 'list_taxonomies_by_height',
    args: [3n, null, 2n, 0n, false],
    ...taxonomies,
  },
  allow_compose_stream: { params: { streamId: id, parentStreamId: id2 }, ...allowing('allow_compose_stream', id2) },
  disable_compose_stream: { params: { streamId: id }, action: 'disable_metadata', args: [own, id, row], answer: found },
  set_compose_visibility: { params: { streamId: id, visibility: 'public' }, ...setting('compose_visibility', '0') },
  get_compose_visibility: visibility('compose_visibility'),
  get_allowed_compose_streams: allowed('allow_compose_stream'),
  set_read_visibility: { params: { streamId: id, visibility: 'private' }, ...setting('read_visibility', '1') },
  get_read_visibility: visibility('read_visibility'),
  allow_read_wallet: {
    params: { streamId: id, walletAddress: otherChecksum },
    ...allowing('allow_read_wallet', other),
  },
  disable_read_wallet: {
    params: { streamId: id, walletAddress: other },
    action: 'disable_metadata',
    args: [own, id, row],
    answer: found,
  },
  get_allowed_read_wallets: allowed('allow_read_wallet'),
  list_metadata_by_height: {
    params: { key: 'stream_owner', ref: other, toHeight: 9 },
    action: 'list_metadata_by_height',
    args: ['stream_owner', other, null, 9n, 1000n, 0n],
    answer: { rows: [[id, other, row, null, null, null, null, other, 4n]] },
    result: [
      {
        streamId: id,
        dataProvider: other,
        rowId: row,
        valueI: null,
        valueF: null,
        valueB: null,
        valueS: null,
        valueRef: other,
        createdAt: 4,
      },
    ],
  },
  get_stream_owner: {
    params: { streamId: id, dataProvider: other },
    action: 'get_metadata',
    args: [other, id, 'stream_owner', null, 1n, null, 'created_at DESC'],
    answer: found,
    result: other,
  },
  set_default_base_time: { params: { streamId: id, baseTime: 5 }, ...setting('default_base_time', '5') },
  grant_role: {
    params: { owner: 'SYSTEM', roleName: 'Network_Writer', wallets: [otherChecksum] },
    action: 'grant_roles',
    args: ['system', 'network_writer', [other]],
  },
  revoke_role: {
    params: { owner: otherChecksum, roleName: 'r', wallets: [other] },
    action: 'revoke_roles',
    args: [other, 'r', [other]],
  },
  are_members_of: {
    params: { owner: 'system', roleName: 'r', wallets: [other] },
    action: 'are_members_of',
    args: ['system', 'r', [other]],
    answer: { rows: [[other, true]] },
    result: [{ wallet: other, isMember: true }],
  },
  list_role_members: {
    params: { owner: 'system', roleName: 'r' },
    action: 'list_role_members',
    args: ['system', 'r', 100n, 0n],
    answer: { rows: [[other, 5n, own]] },
    result: [{ wallet: other, grantedAt: 5, grantedBy: own }],
  },
}
