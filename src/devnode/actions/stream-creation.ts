/** Creating streams: the checks in the order of the network, the fee, and the first metadata. */

import { actionError, argumentError, duplicateError, nullColumnError, requireColumn } from '../errors.ts'
import { addMetadata, type MetadataValue } from '../state/metadata.ts'
import { addProvider, addStream, findStream, type Stream } from '../state/streams.ts'
import type { ActionContext } from './action.ts'
import { assertNetworkWriter } from './checks.ts'
import { chargeFee, recordPayment } from './fees.ts'
import type { ValueOf } from './types.ts'

/** The reason why text is not a stream id, in the network's words; empty when it is one. */
export function findStreamIdFault(streamId: string): string {
  if (streamId.length !== 32) return 'Invalid length (must be 32 characters)'
  if (!streamId.startsWith('st')) return 'Must start with "st"'
  return /^[a-z0-9]{30}$/.test(streamId.slice(2)) ? '' : 'Characters 3-32 must be lowercase alphanumeric'
}

/**
 * Creates streams of the caller, all or none, of which none allows zeros when that list is null; action_failed when a
 * list, an id or a type is refused, or the caller may not or cannot pay.
 */
export function createStreams(
  context: ActionContext,
  streamIds: ValueOf<'TEXT[]'>,
  streamTypes: ValueOf<'TEXT[]'>,
  allowZeros: ValueOf<'BOOL[]'>,
): void {
  const { store, profile, height, txId } = context
  if (streamIds === null) throw refusedList(context)
  const provider = context.caller.toLowerCase()
  assertLengths(context, { count: streamIds.length, types: streamTypes?.length, zeros: allowZeros?.length })
  if (profile.mayCreateStreams === 'network_writer') {
    const what = streamIds.length > 1 ? 'streams' : 'stream'
    assertNetworkWriter(context, `Caller does not have the required system:network_writer role to create ${what}.`)
  }
  const payment = chargeFee(
    context,
    profile.streamFee * BigInt(streamIds.length),
    'Insufficient balance for stream creation. Required: 100 TRUF per stream',
  )
  const types = checkedTypes(context, streamIds, streamTypes ?? streamIds.map(() => null))
  addProvider(store, provider, height)
  types.forEach((type, index) => {
    const streamId = streamIds[index] ?? ''
    if (findStream(store, provider, streamId) !== undefined) {
      throw duplicateError('streams_provider_stream_idx')
    }
    context.budget.spend(streamRows)
    const stream = addStream(store, { dataProvider: provider, streamId, type, createdAt: height, txId })
    addFirstMetadata(context, stream, allowZeros?.[index] === true)
  })
  recordPayment(context, 'deployStream', payment)
}

/** Checks the lengths of the lists, undefined for a list of null: of types, that is refused by the described network. */
function assertLengths(
  { profile }: ActionContext,
  { count, types, zeros }: Record<'count', number> & Record<'types' | 'zeros', number | undefined>,
): void {
  if (count === 0) throw actionError('Stream IDs array must be non-empty')
  const isComparable = types !== undefined || profile.answers !== 'current'
  if (isComparable && types !== count) {
    throw actionError('Stream IDs and stream types arrays must have the same length')
  }
  if (zeros !== undefined && zeros !== count) throw actionError('allow_zeros array length must match stream_ids')
}

/** Rows that the thirteen writes of a new stream cost beside their own: they go to all ends of the ledger. */
const streamRows = 100

/** The error for a list of null: without a length there is no fee, and where one is due its transfer is of null. */
function refusedList({ profile }: ActionContext): Error {
  if (profile.streamFee === 0n) return actionError('Stream IDs array must be non-empty')
  return argumentError('transfer', 2)
}

function checkedTypes(
  context: ActionContext,
  streamIds: readonly (string | null)[],
  streamTypes: readonly (string | null)[],
) {
  const isCurrent = context.profile.answers === 'current'
  // The network's engine takes a comparison with NULL for neither true nor false, so its checks let NULL pass.
  for (const streamId of streamIds) {
    if (isCurrent && streamId === null) continue
    const fault = findNewStreamIdFault(context, streamId ?? '')
    if (fault !== '') throw actionError(`Invalid stream_id format: ${streamId} - ${fault}`)
  }
  const types = streamTypes.map((type, index) => {
    if (type === 'primitive' || type === 'composed' || (isCurrent && type === null)) return type
    // The network's engine fails on the position in its own message.
    if (isCurrent) throw actionError('type error: left: text right: int8')
    throw actionError(
      `Invalid stream type at position ${index + 1}: ${type} - Stream type must be "primitive" or "composed"`,
    )
  })
  if (streamIds.includes(null)) throw nullColumnError('stream_id', 'streams')
  return types.map((type) => requireColumn(type, 'stream_type', 'streams'))
}

/** Finds the mistake in a new stream's id, empty for a good one; today's network takes capitals in it. */
export function findNewStreamIdFault({ profile }: ActionContext, streamId: string): string {
  const isLowered = profile.answers === 'current' && streamId.startsWith('st')
  return findStreamIdFault(isLowered ? streamId.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) : streamId)
}

function addFirstMetadata(context: ActionContext, stream: Stream, allowsZeros: boolean): void {
  const rows: readonly (readonly [key: string, value: MetadataValue])[] = [
    ['stream_owner', { ref: stream.dataProvider }],
    ['read_visibility', { int: 0n }],
    ['readonly_key', { text: 'stream_owner' }],
    ['readonly_key', { text: 'readonly_key' }],
    ['type', { text: stream.type }],
    ...(allowsZeros ? ([['allow_zeros', { bool: true }]] as const) : []),
  ]
  for (const [key, value] of rows) addRow(context, stream, key, value)
}

/** Adds a row of this transaction to a stream. */
export function addRow(context: ActionContext, { ref }: Stream, key: string, value: MetadataValue): void {
  addMetadata(context.store, ref, { rowId: context.nextRowId(), key, ...value, createdAt: context.height })
}
