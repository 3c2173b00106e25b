/** Examples of the operations about streams: what they send, and what they make of an answer. */

import { type Examples, found, id, id2, other, otherChecksum, own } from './values.ts'

/** Examples by the names of their operations. */
export const streamExamples: Examples = {
  generate_stream_id: { params: { name: 'p1' }, result: 'stf64551fcd6f07823cb87971cfb9144' },
  deploy_stream: { params: { streamId: id }, action: 'create_stream', args: [id, 'primitive'] },
  batch_deploy_streams: {
    params: {
      definitions: [
        { streamId: id, streamType: 'primitive' },
        { streamId: id2, streamType: 'composed', allowZeros: true },
      ],
    },
    action: 'create_streams',
    args: [
      [id, id2],
      ['primitive', 'composed'],
      [false, true],
    ],
  },
  set_allow_zeros: { params: { streamId: id, flag: true }, action: 'set_allow_zeros', args: [own, id, true] },
  get_allow_zeros: {
    params: { streamId: id },
    action: 'get_allow_zeros',
    args: [own, id],
    answer: { rows: [[true]] },
    result: true,
  },
  destroy_stream: { params: { streamId: id }, action: 'delete_stream', args: [own, id] },
  wait_for_tx: {},
  batch_stream_exists: {
    params: { locators: [{ streamId: id, dataProvider: otherChecksum }] },
    action: 'stream_exists_batch',
    args: [[other], [id]],
    answer: { rows: [[other, id, true]] },
    result: [{ dataProvider: other, streamId: id, exists: true }],
  },
  batch_filter_streams_by_existence: {
    params: { locators: [{ streamId: id, dataProvider: other }], returnExisting: false },
    action: 'filter_streams_by_existence',
    args: [[other], [id], false],
    answer: { rows: [[other, id]] },
    result: [{ dataProvider: other, streamId: id }],
  },
  list_streams: {
    params: { limit: 2, offset: 1, orderBy: 'stream_id ASC', blockHeight: 3 },
    action: 'list_streams',
    args: ['', 2n, 1n, 'stream_id ASC', 3n],
    // Columns are read by name, in any order.
    answer: {
      columns: { created_at: 'int8', stream_type: 'text', stream_id: 'text', data_provider: 'text' },
      rows: [[9n, 'primitive', id, other]],
    },
    result: [{ dataProvider: other, streamId: id, streamType: 'primitive', createdAt: 9 }],
  },
  get_current_account: { result: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A' },
  get_type: {
    params: { streamId: id, dataProvider: other },
    action: 'get_metadata',
    args: [other, id, 'type', null, 1n, null, 'created_at DESC'],
    answer: found,
    result: 'primitive',
  },
}
