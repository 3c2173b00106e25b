/** Actions that tell what a transaction brought: streams, records, taxonomies, metadata. */

import { compare } from '../compare.ts'
import { chargeRows } from '../queries/reader.ts'
import {
  findInput,
  type Input,
  type StoredRecord,
  storedRecords,
  touchedStreams,
} from '../queries/transaction-input.ts'
import { isRowOf, listStreamMetadata, type MetadataRow } from '../state/metadata.ts'
import { findStreamByRef, type Stream } from '../state/streams.ts'
import { listTaxonomyRows, type TaxonomyRow } from '../state/taxonomies.ts'
import { type Action, type ActionContext, columns, listing, type RowWriter } from './action.ts'
import { compareLocators, readTxId } from './checks.ts'

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
      (left, right) => compareLocators(left.stream, right.stream) || compare(left.time, right.time),
    ),
  ),
  inputAction('get_transaction_taxonomies', childColumns, (context, input) =>
    touchedStreams(context, input).flatMap((parent) =>
      [...chargeRows(context.budget, listTaxonomyRows(context.store, parent.ref))]
        .flatMap((row) => {
          const child = row.txId === input.txId ? findStreamByRef(context.store, row.child) : undefined
          return child === undefined ? [] : [{ parent, row, child }]
        })
        .sort((left, right) => left.row.group - right.row.group || compare(left.child.streamId, right.child.streamId)),
    ),
  ),
  inputAction('get_transaction_metadata', metadataColumns, (context, input) =>
    touchedStreams(context, input).flatMap((stream) =>
      [...listStreamMetadata(context.store, stream.ref)]
        .filter(({ rowId }) => isRowOf(rowId, input.txId))
        .sort((left, right) => compare(left.key, right.key) || compare(left.rowId, right.rowId))
        .map((row) => ({ stream, row })),
    ),
  ),
]

/** Declares an action that lists what a transaction brought. */
function inputAction<T>(
  name: string,
  writer: RowWriter<T>,
  read: (context: ActionContext, input: Input) => readonly T[],
): Action {
  return listing(name, { tx_id: 'TEXT' }, writer, (context, { tx_id }) => {
    const txId = readTxId(tx_id)
    const input = txId === null ? undefined : findInput(context.store, txId)
    return input === undefined ? [] : read(context, input)
  })
}
