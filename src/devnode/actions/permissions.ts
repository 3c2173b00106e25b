/** Actions that say who may do what with a stream. */

import { requireStream } from '../queries/access.ts'
import { isComposableAlone, isComposableInAll, isReader, isReaderOfAll, isWriter } from '../queries/permissions.ts'
import { listMetadata } from '../state/metadata.ts'
import { findStream } from '../state/streams.ts'
import { type Action, locator, locators, row, table, view } from './action.ts'
import { assertAddress, compareLocators, pairLocators, toSpan } from './checks.ts'

const allowed = row({ is_allowed: 'BOOL' })
const activeWindow = { active_from: 'INT', active_to: 'INT' } as const

/** The network's actions that check permissions. */
export const permissionActions: readonly Action[] = [
  view(
    'is_allowed_to_read',
    { ...locator, wallet_address: 'TEXT', ...activeWindow },
    allowed,
    (context, { data_provider, stream_id, wallet_address }) => {
      if (isExtension(wallet_address)) return [[true]]
      const stream = requireStream(context, data_provider, stream_id)
      return [[isReader(context.store, stream.ref, wallet_address?.toLowerCase() ?? null)]]
    },
  ),
  view(
    'is_allowed_to_read_all',
    { ...locator, wallet_address: 'TEXT', ...activeWindow },
    allowed,
    (context, { data_provider, stream_id, wallet_address, active_from, active_to }) => {
      if (isExtension(wallet_address)) return [[true]]
      const stream = requireStream(context, data_provider, stream_id)
      const wallet = (wallet_address ?? '').toLowerCase()
      return [[isReaderOfAll(context, stream, wallet, toSpan(active_from, active_to))]]
    },
  ),
  view(
    'is_allowed_to_compose',
    { ...locator, composing_data_provider: 'TEXT', composing_stream_id: 'TEXT', ...activeWindow },
    allowed,
    (context, { data_provider, stream_id, composing_data_provider, composing_stream_id }) => {
      const child = requireStream(context, data_provider, stream_id)
      const parent = requireStream(context, composing_data_provider, composing_stream_id)
      return [[isComposableAlone(context.store, child.ref, parent)]]
    },
  ),
  view(
    'is_allowed_to_compose_all',
    { ...locator, ...activeWindow },
    allowed,
    (context, { data_provider, stream_id, active_from, active_to }) => {
      const stream = requireStream(context, data_provider, stream_id)
      return [[isComposableInAll(context, stream, toSpan(active_from, active_to))]]
    },
  ),
  view(
    'is_wallet_allowed_to_write',
    { ...locator, wallet: 'TEXT' },
    row({ result: 'BOOL' }),
    ({ store }, { data_provider, stream_id, wallet }) => {
      const stream = findStream(store, data_provider ?? '', stream_id ?? '')
      return [[stream !== undefined && isWriter(store, stream.ref, wallet?.toLowerCase() ?? null)]]
    },
  ),
  view(
    'is_wallet_allowed_to_write_batch',
    { ...locators, wallet: 'TEXT' },
    table({ ...locator, is_allowed: 'BOOL' }),
    ({ store }, { data_providers, stream_ids, wallet }) => {
      const writer = wallet?.toLowerCase() ?? ''
      if (wallet !== null) assertAddress('wallet address', writer)
      return [...pairLocators(data_providers, stream_ids)].sort(compareLocators).map(({ dataProvider, streamId }) => {
        const stream = findStream(store, dataProvider, streamId)
        const isAllowed = stream !== undefined && isWriter(store, stream.ref, writer)
        return [dataProvider?.toLowerCase() ?? null, streamId, isAllowed]
      })
    },
  ),
  view(
    'has_write_permission_batch',
    { ...locators, wallet: 'TEXT' },
    table({ ...locator, has_permission: 'BOOL' }),
    ({ store }, { data_providers, stream_ids, wallet }) =>
      pairLocators(data_providers, stream_ids).map(({ dataProvider, streamId }) => {
        const stream = findStream(store, dataProvider, streamId)
        const rows = stream === undefined ? [] : [...listMetadata(store, stream.ref, 'allow_write_wallet')]
        return [dataProvider, streamId, rows.some((one) => one.ref === (wallet ?? '').toLowerCase())]
      }),
  ),
]

/** The name under which the network's own extensions read; it may read everything, also what is not there. */
function isExtension(wallet: string | null): boolean {
  return wallet?.toLowerCase() === 'extension_agent'
}
