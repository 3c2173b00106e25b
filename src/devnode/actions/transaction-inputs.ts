/** Actions that tell what a transaction brought: streams, records, taxonomies, metadata. */

import { quantizeDecimal } from '../../base/decimal.ts'
import { agentPayloadType, decodeAgentExecution } from '../../streamnet/codec/agent-payload.ts'
import { decodeActionExecution } from '../../streamnet/codec/payload.ts'
import { transactionFromJson } from '../../streamnet/rpc/transaction-json.ts'
import type { Scalar, TypedValue } from '../../streamnet/types.ts'
import { compare } from '../compare.ts'
import { actionError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { findOutcome, findTransaction } from '../state/chain.ts'
import { findEvent } from '../state/events.ts'
import { isRowOf, listStreamMetadata, type MetadataRow } from '../state/metadata.ts'
import { findStream, findStreamByRef, type Stream } from '../state/streams.ts'
import { listTaxonomyRows, type TaxonomyRow } from '../state/taxonomies.ts'
import { type Action, type ActionContext, columns, type RowWriter, table, view } from './action.ts'
import { hexOf } from './rule-terms.ts'

const createdColumns = columns<Stream>({
  stream_id: ['TEXT', (one) => one.streamId],
  data_provider: ['TEXT', (one) => one.dataProvider],
  stream_type: ['TEXT', (one) => one.type],
  created_at: ['INT8', (one) => one.createdAt],
})
const recordColumns = columns<StoredRecord>({
  data_provider: ['TEXT', ({ stream }) => stream.dataProvider],
  stream_id: ['TEXT', ({ stream }) => stream.streamId],
  event_time: ['INT8', (one) => one.time],
  value: ['NUMERIC(36,18)', (one) => one.value],
  created_at: ['INT8', (one) => one.height],
})
const childColumns = columns<Readonly<Record<'parent' | 'child', Stream>> & { readonly row: TaxonomyRow }>({
  data_provider: ['TEXT', ({ parent }) => parent.dataProvider],
  stream_id: ['TEXT', ({ parent }) => parent.streamId],
  child_data_provider: ['TEXT', ({ child }) => child.dataProvider],
  child_stream_id: ['TEXT', ({ child }) => child.streamId],
  weight: ['NUMERIC(36,18)', ({ row }) => row.weight],
  start_time: ['INT8', ({ row }) => row.startTime],
  group_sequence: ['INT8', ({ row }) => row.group],
  created_at: ['INT8', ({ row }) => row.createdAt],
})
const metadataColumns = columns<{ readonly stream: Stream; readonly row: MetadataRow }>({
  data_provider: ['TEXT', ({ stream }) => stream.dataProvider],
  stream_id: ['TEXT', ({ stream }) => stream.streamId],
  metadata_key: ['TEXT', ({ row }) => row.key],
  value_i: ['INT8', ({ row }) => row.int],
  value_f: ['NUMERIC(36,18)', ({ row }) => row.float],
  value_b: ['BOOLEAN', ({ row }) => row.bool],
  value_s: ['TEXT', ({ row }) => row.text],
  value_ref: ['TEXT', ({ row }) => row.ref],
  created_at: ['INT8', ({ row }) => row.createdAt],
})

/** The network's actions that read a transaction's input. */
export const transactionInputActions: readonly Action[] = [
  inputAction('get_transaction_streams', createdColumns, (context, input) =>
    touchedStreams(context, input).filter(({ txId }) => txId === input.txId),
  ),
  inputAction('get_transaction_records', recordColumns, (context, input) =>
    storedRecords(context, input).sort(
      (left, right) => byStream(left.stream, right.stream) || compare(left.time, right.time),
    ),
  ),
  inputAction('get_transaction_taxonomies', childColumns, (context, input) =>
    touchedStreams(context, input).flatMap((parent) =>
      [...listTaxonomyRows(context.store, parent.ref)]
        .flatMap((row) => {
          context.budget.spend(1)
          const child = row.txId === input.txId ? findStreamByRef(context.store, row.child) : undefined
          return child === undefined ? [] : [{ parent, row, child }]
        })
        .sort((left, right) => left.row.group - right.row.group || compare(left.child.streamId, right.child.streamId)),
    ),
  ),
  inputAction('get_transaction_metadata', metadataColumns, (context, input) =>
    touchedStreams(context, input).flatMap((stream) =>
      [...listStreamMetadata(context.store, stream.ref)]
        .filter(({ rowId }) => {
          context.budget.spend(1)
          return isRowOf(rowId, input.txId)
        })
        .sort((left, right) => compare(left.key, right.key) || compare(left.rowId, right.rowId))
        .map((row) => ({ stream, row })),
    ),
  ),
]

interface Input {
  readonly txId: string
  readonly height: number
  readonly sender: string
  readonly action: string
  readonly calls: readonly (readonly TypedValue[])[]
}

/** Declares an action that lists what a transaction brought. */
function inputAction<T>(
  name: string,
  writer: RowWriter<T>,
  read: (context: ActionContext, input: Input) => readonly T[],
): Action {
  return view(name, { tx_id: 'TEXT' }, table(writer.types), (context, { tx_id }) => {
    // A comparison with null is not true, and no transaction has a null for its hash.
    if (tx_id === null) return []
    if (tx_id.trim() === '') throw actionError('tx_id is required')
    const input = findInput(context, tx_id.toLowerCase().replace(/^0x/, ''))
    return input === undefined ? [] : read(context, input).map(writer.cells)
  })
}

function findInput({ store }: ActionContext, txId: string): Input | undefined {
  if (!/^[0-9a-f]{64}$/.test(txId)) return undefined
  const outcome = findOutcome(store, txId)
  if (outcome?.code !== 0) return undefined
  const { payload, payloadType, sender } = transactionFromJson(findTransaction(store, txId))
  const place = { txId, height: outcome.height }
  if (payloadType === agentPayloadType) {
    const { wallet, action, args } = decodeAgentExecution(payload)
    return { ...place, sender: hexOf(wallet), action: action.toLowerCase(), calls: [args] }
  }
  if (payloadType !== 'execute') return undefined
  const { action, calls } = decodeActionExecution(payload)
  return { ...place, sender, action: action.toLowerCase(), calls }
}

/** Readers of the streams that a call names, by its action. */
const namedStreams: ReadonlyMap<
  string,
  (args: readonly TypedValue[], sender: string) => readonly (readonly [provider: string, streamId: string])[]
> = new Map([
  ['create_stream', ownNames],
  ['create_streams', ownNames],
  ...['insert_record', 'insert_records', 'insert_taxonomy', 'insert_metadata', 'set_allow_zeros'].map(
    (name) => [name, givenNames] as const,
  ),
])

function ownNames([ids]: readonly TypedValue[], sender: string): readonly (readonly [string, string])[] {
  return listElements(ids).map((id) => [sender, String(id)])
}

function givenNames([providers, ids]: readonly (TypedValue | undefined)[]): readonly (readonly [string, string])[] {
  const names = listElements(ids)
  return listElements(providers).map((provider, index) => [String(provider), String(names[index])])
}

/** The streams that a transaction named and that still exist, each once, in the order of their names. */
function touchedStreams({ store, budget }: ActionContext, input: Input): readonly Stream[] {
  const streams = new Map<number, Stream>()
  for (const args of input.calls) {
    for (const [provider, streamId] of namedStreams.get(input.action)?.(args, input.sender) ?? []) {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      if (stream !== undefined) streams.set(stream.ref, stream)
    }
  }
  return [...streams.values()].sort(byStream)
}

interface StoredRecord {
  readonly stream: Stream
  readonly time: bigint
  readonly value: bigint
  readonly height: number
}

/**
 * The records of a transaction that were stored, with the values it gave.
 *
 * A stored value does not name its transaction: the record is in the payload, and it was stored where the transaction's
 * height has a version of the value. A later transaction of the block may have replaced it; the network keeps both rows,
 * so the record is listed all the same.
 */
function storedRecords({ store, budget }: ActionContext, { action, calls, height }: Input): StoredRecord[] {
  if (action !== 'insert_record' && action !== 'insert_records') return []
  return calls.flatMap(([providers, streamIds, eventTimes, eventValues]) => {
    const [times, values] = [listElements(eventTimes), listElements(eventValues)]
    return givenNames([providers, streamIds]).flatMap(([provider, streamId], index) => {
      budget.spend(1)
      const stream = findStream(store, provider, streamId)
      const [time, text] = [times[index], values[index]]
      if (stream === undefined || typeof time !== 'bigint' || typeof text !== 'string') return []
      const value = quantizeDecimal(text, 36, scale)
      const stored = findEvent(store, stream.ref, height, time)
      // A zero may have been dropped; another transaction may then have stored another value in its place.
      const isStored = value === 0n ? stored === 0n : stored !== undefined
      return isStored ? [{ stream, time, value, height }] : []
    })
  })
}

/** The elements of an array, or a single value as a list of one. */
function listElements(arg: TypedValue | undefined): readonly Scalar[] {
  const value = arg?.value ?? []
  // Of the two kinds of a value only lists are arrays; bytes are a Uint8Array.
  return Array.isArray(value) ? value : [value as Scalar]
}

function byStream(left: Stream, right: Stream): number {
  return compare(left.dataProvider, right.dataProvider) || compare(left.streamId, right.streamId)
}
