/** Actions on streams as such: create, delete, list, find, hand over. */

import { compare, compareNullable } from '../compare.ts'
import { actionError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { findOwner, isOwner, isWriter } from '../queries/permissions.ts'
import { requireStream } from '../queries/series.ts'
import { removeEvents } from '../state/events.ts'
import { removeMetadata, replaceReference } from '../state/metadata.ts'
import { isMember, networkWriter } from '../state/roles.ts'
import { addProvider, findStream, listStreams, removeStream, type Stream } from '../state/streams.ts'
import { removeTaxonomyRows } from '../state/taxonomies.ts'
import {
  type Action,
  type ActionContext,
  change,
  columns,
  locator,
  locators,
  optional,
  row,
  table,
  type ValueOf,
  view,
} from './action.ts'
import { isAddress, pairLocators, slicePage } from './checks.ts'
import { createStreams, newStreamIdFault, streamIdFault } from './stream-creation.ts'

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
    if (!isMember(context.store, networkWriter, context.caller.toLowerCase())) {
      throw actionError('Caller does not have the required system:network_writer role to create data provider.')
    }
    const provider = (address ?? '').toLowerCase()
    if (!isAddress(provider)) {
      throw actionError(`Invalid data provider address. Must be a valid Ethereum address: ${provider}`)
    }
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
      if (!isAddress(owner)) {
        throw actionError(`Invalid new owner address. Must be a valid Ethereum address: ${owner}`)
      }
      replaceReference(context.store, stream.ref, 'stream_owner', owner)
    },
  ),
  view('stream_exists', locator, row({ result: 'BOOL' }), ({ store }, { data_provider, stream_id }) => [
    [findStream(store, data_provider, stream_id) !== undefined],
  ]),
  batchView('stream_exists_batch', 'stream_exists', (stream) => stream !== undefined),
  view(
    'filter_streams_by_existence',
    { ...locators, existing_only: 'BOOL' },
    table(locator),
    ({ store }, { data_providers, stream_ids, existing_only }) =>
      pairLocators(data_providers, stream_ids)
        .filter(
          ({ dataProvider, streamId }) =>
            (findStream(store, dataProvider, streamId) !== undefined) === (existing_only ?? true),
        )
        .map(({ dataProvider, streamId }) => [dataProvider, streamId]),
  ),
  view(
    'list_streams',
    { data_provider: 'TEXT', limit: 'INT', offset: 'INT', order_by: 'TEXT', block_height: 'INT' },
    table(listed.types),
    ({ store, budget }, { data_provider, limit, offset, order_by, block_height }) => {
      if (limit !== null && limit > maxListed) {
        throw actionError(`Limit exceeds maximum allowed value of ${maxListed}`)
      }
      const provider = (data_provider ?? '').toLowerCase()
      const streams: Stream[] = []
      for (const stream of listStreams(store, provider === '' ? undefined : provider)) {
        budget.spend(1)
        // A comparison with a null height is true for no row.
        if (block_height !== null && BigInt(stream.createdAt) > block_height) streams.push(stream)
      }
      const order = streamOrders.get(order_by === null || order_by === '' ? 'created_at DESC' : order_by)
      if (order !== undefined) streams.sort(order)
      const page = slicePage(streams, limit === null || limit === 0n ? maxListed : limit, offset ?? 0n)
      return page.map(listed.cells)
    },
  ),
  view('is_primitive_stream', locator, row({ is_primitive: 'BOOL' }), (context, { data_provider, stream_id }) => {
    const state = context.profile.answers === 'current' ? 'Stream not found' : undefined
    return [[requireStream(context, data_provider, stream_id, state).type === 'primitive']]
  }),
  batchView('is_primitive_stream_batch', 'is_primitive', (stream) => stream?.type === 'primitive'),
  view(
    'is_stream_owner',
    { ...locator, caller: 'TEXT' },
    row({ is_owner: 'BOOL' }),
    (context, { data_provider, stream_id, caller }) => {
      const stream = requireStream(context, data_provider, stream_id)
      return [[isOwner(context.store, stream.ref, (caller ?? '').toLowerCase())]]
    },
  ),
  view(
    'is_stream_owner_batch',
    { ...locators, wallet: 'TEXT' },
    table({ ...locator, is_owner: 'BOOL' }),
    ({ store }, { data_providers, stream_ids, wallet }) =>
      pairLocators(data_providers, stream_ids).map(({ dataProvider, streamId }) => {
        const stream = findStream(store, dataProvider, streamId)
        if (stream === undefined) {
          // Text that is put together with null is null on the network.
          if (dataProvider === null || streamId === null) throw actionError('')
          throw actionError(`stream does not exist: data_provider=${dataProvider}, stream_id=${streamId}`)
        }
        return [dataProvider, streamId, findOwner(store, stream.ref) === (wallet ?? '').toLowerCase()]
      }),
  ),
  view(
    'check_stream_id_format',
    { stream_id: 'TEXT' },
    row({ result: 'BOOL' }), // A check of null finds no fault.
    (_, { stream_id }) => [[stream_id === null || streamIdFault(stream_id) === '']],
  ),
  view('check_ethereum_address', { data_provider: 'TEXT' }, row({ result: 'BOOL' }), (_, { data_provider }) => [
    [data_provider === null || isAddress(data_provider)],
  ]),
  view(
    'validate_stream_ids_format_batch',
    { stream_ids: 'TEXT[]' },
    table({ stream_id: 'TEXT', is_valid: 'BOOL', error_reason: 'TEXT' }),
    (context, { stream_ids }) =>
      [...(stream_ids ?? [])].sort(compareNullable).map((streamId) => {
        const fault = streamId === null ? '' : newStreamIdFault(context, streamId)
        return [streamId, fault === '', fault]
      }),
  ),
  view(
    'get_stream_id',
    { data_provider_address: 'TEXT', stream_id: 'TEXT' },
    row({ id: 'INT' }),
    ({ store }, { data_provider_address, stream_id }) => [[refOf(findStream(store, data_provider_address, stream_id))]],
  ),
  view('get_stream_ids', locators, row({ stream_ids: 'INT[]' }), ({ store }, { data_providers, stream_ids }) => [
    [listRefs(findRefs(store, data_providers, stream_ids))],
  ]),
  view(
    'validate_streams_for_write',
    { ...locators, wallet: 'TEXT' },
    table({ stream_refs: 'INT[]', all_exist: 'BOOL', all_primitive: 'BOOL', all_writable: 'BOOL' }),
    ({ store }, { data_providers, stream_ids, wallet }) => {
      const streams = findRefs(store, data_providers, stream_ids)
      // A stream that does not exist is reported once, by all_exist.
      const found = streams.filter((stream) => stream !== undefined)
      return [
        [
          listRefs(streams),
          found.length === streams.length,
          found.every(({ type }) => type === 'primitive'),
          // What is compared with null is not refused.
          wallet === null || found.every(({ ref }) => isWriter(store, ref, wallet.toLowerCase())),
        ],
      ]
    },
  ),
]

/** Declares a read that tells one thing of each stream that two lists name. */
function batchView(name: string, column: string, test: (stream: Stream | undefined) => boolean): Action {
  return view(name, locators, table({ ...locator, [column]: 'BOOL' }), ({ store }, { data_providers, stream_ids }) =>
    pairLocators(data_providers, stream_ids).map(({ dataProvider, streamId }) => [
      dataProvider,
      streamId,
      test(findStream(store, dataProvider, streamId)),
    ]),
  )
}

type Names = ValueOf<'TEXT[]'>

function findRefs(store: LedgerStore, dataProviders: Names, streamIds: Names): readonly (Stream | undefined)[] {
  const [providers, ids] = [dataProviders ?? [], streamIds ?? []]
  if (providers.length !== ids.length) {
    throw actionError(`array lengths mismatch: data_providers=${providers.length}, stream_ids=${ids.length}`)
  }
  return ids.map((id, index) => findStream(store, providers[index] ?? null, id))
}

/** The network's aggregate of no rows is null. */
function listRefs(streams: readonly (Stream | undefined)[]): readonly (bigint | null)[] | null {
  return streams.length === 0 ? null : streams.map((stream) => refOf(stream))
}

function refOf(stream: Stream | undefined): bigint | null {
  return stream === undefined ? null : BigInt(stream.ref)
}

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
