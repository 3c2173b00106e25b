/** Actions that look streams up by their names, and check the form of names. */

import { compareNullable } from '../compare.ts'
import { actionError } from '../errors.ts'
import type { LedgerStore } from '../ports.ts'
import { requireStream } from '../queries/access.ts'
import { findOwner, isOwner, isWriter } from '../queries/permissions.ts'
import { findStream, type Stream } from '../state/streams.ts'
import { type Action, locator, locators, row, table, view } from './action.ts'
import { isAddress, missingStreamText, pairLocators } from './checks.ts'
import { findNewStreamIdFault, findStreamIdFault } from './stream-creation.ts'
import type { ValueOf } from './types.ts'

/** The network's actions that look streams up. */
export const streamLookupActions: readonly Action[] = [
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
  view('is_primitive_stream', locator, row({ is_primitive: 'BOOL' }), (context, { data_provider, stream_id }) => {
    const stream = requireStream(context, data_provider, stream_id, missingStreamText(context))
    return [[stream.type === 'primitive']]
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
    row({ result: 'BOOL' }),
    // A check of null finds no fault.
    (_, { stream_id }) => [[stream_id === null || findStreamIdFault(stream_id) === '']],
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
        const fault = streamId === null ? '' : findNewStreamIdFault(context, streamId)
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
    [listRefs(findNamed(store, data_providers, stream_ids))],
  ]),
  view(
    'validate_streams_for_write',
    { ...locators, wallet: 'TEXT' },
    table({ stream_refs: 'INT[]', all_exist: 'BOOL', all_primitive: 'BOOL', all_writable: 'BOOL' }),
    ({ store }, { data_providers, stream_ids, wallet }) => {
      const streams = findNamed(store, data_providers, stream_ids)
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

/** Finds the streams that two lists name, undefined for one that does not exist. */
function findNamed(store: LedgerStore, dataProviders: Names, streamIds: Names): readonly (Stream | undefined)[] {
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
