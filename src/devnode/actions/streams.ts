/** Actions on streams as such: create, delete, hand over, list. */

import { compare } from '../compare.ts'
import { actionError, requireColumn } from '../errors.ts'
import { requireStream } from '../queries/access.ts'
import { isOwner } from '../queries/permissions.ts'
import { chargeRows } from '../queries/reader.ts'
import { removeEvents } from '../state/events.ts'
import { removeMetadata, replaceReference } from '../state/metadata.ts'
import { addProvider, listStreams, removeStream, type Stream } from '../state/streams.ts'
import { removeTaxonomyRows } from '../state/taxonomies.ts'
import { type Action, type ActionContext, change, columns, listing, locator, optional } from './action.ts'
import { assertAddress, assertNetworkWriter, slicePage, takePage } from './checks.ts'
import { createStreams } from './stream-creation.ts'

const listed = columns<Stream>({
  data_provider: ['TEXT', (one) => one.dataProvider],
  stream_id: ['TEXT', (one) => one.streamId],
  stream_type: ['TEXT', (one) => one.type],
  created_at: ['INT8', (one) => one.createdAt],
})

/** The network's actions on streams. */
export const streamActions: readonly Action[] = [
  change(
    'create_stream',
    { stream_id: 'TEXT', stream_type: 'TEXT', allow_zeros: optional('BOOL', false) },
    (context, { stream_id, stream_type, allow_zeros }) =>
      createStreams(context, [stream_id], [stream_type], [allow_zeros]),
  ),
  change(
    'create_streams',
    { stream_ids: 'TEXT[]', stream_types: 'TEXT[]', allow_zeros: optional('BOOL[]', null) },
    (context, { stream_ids, stream_types, allow_zeros }) =>
      createStreams(context, stream_ids, stream_types, allow_zeros),
  ),
  change('create_data_provider', { address: 'TEXT' }, (context, { address }) => {
    assertNetworkWriter(
      context,
      'Caller does not have the required system:network_writer role to create data provider.',
    )
    // A check of null finds no fault.
    const provider = requireColumn(address, 'address', 'data_providers').toLowerCase()
    assertAddress('data provider address', provider)
    addProvider(context.store, provider, context.height)
  }),
  change('delete_stream', locator, (context, { data_provider, stream_id }) => {
    const stream = requireOwned(context, data_provider, stream_id, 'Only stream owner can delete the stream')
    removeEvents(context.store, stream.ref)
    removeTaxonomyRows(context.store, stream.ref)
    removeMetadata(context.store, stream.ref)
    removeStream(context.store, stream)
  }),
  change(
    'transfer_stream_ownership',
    { ...locator, new_owner: 'TEXT' },
    (context, { data_provider, stream_id, new_owner }) => {
      const stream = requireOwned(context, data_provider, stream_id, 'Only stream owner can transfer ownership')
      const owner = (new_owner ?? '').toLowerCase()
      assertAddress('new owner address', owner)
      replaceReference(context.store, stream.ref, 'stream_owner', owner)
    },
  ),
  listing(
    'list_streams',
    { data_provider: 'TEXT', limit: 'INT', offset: 'INT', order_by: 'TEXT', block_height: 'INT' },
    listed,
    ({ store, budget }, { data_provider, limit, offset, order_by, block_height }) => {
      if (limit !== null && limit > maxListed) {
        throw actionError(`Limit exceeds maximum allowed value of ${maxListed}`)
      }
      const provider = (data_provider ?? '').toLowerCase()
      const all = listStreams(store, provider === '' ? undefined : provider)
      // A comparison with a null height is true for no row.
      const isMeant = ({ createdAt }: Stream) => block_height !== null && BigInt(createdAt) > block_height
      const streams = takePage(chargeRows(budget, all), { isMeant })
      const order = streamOrders.get(order_by || 'created_at DESC')
      const ordered = order === undefined ? streams : streams.toSorted(order)
      return slicePage(ordered, limit === null || limit === 0n ? maxListed : limit, offset ?? 0n)
    },
  ),
]

/** Finds a stream that the caller owns; action_failed when it is missing, with `refusal` for another's. */
export function requireOwned(
  context: ActionContext,
  dataProvider: string | null,
  streamId: string | null,
  refusal: string,
): Stream {
  const stream = requireStream(context, dataProvider, streamId)
  if (!isOwner(context.store, stream.ref, context.caller.toLowerCase())) throw actionError(refusal)
  return stream
}

const maxListed = 5000n

/** Exactly these texts order; any other leaves the order open, as SQL does. */
const streamOrders: ReadonlyMap<string, (left: Stream, right: Stream) => number> = new Map([
  ['created_at DESC', (left, right) => right.createdAt - left.createdAt],
  ['created_at ASC', (left, right) => left.createdAt - right.createdAt],
  ['stream_id ASC', (left, right) => compare(left.streamId, right.streamId)],
  ['stream_id DESC', (left, right) => compare(right.streamId, left.streamId)],
  ['stream_type ASC', (left, right) => compare(left.type, right.type)],
  ['stream_type DESC', (left, right) => compare(right.type, left.type)],
])
