/** Actions that store values in primitive streams. */

import { actionError, requireColumn } from '../errors.ts'
import { isWriter } from '../queries/permissions.ts'
import { putEvent } from '../state/events.ts'
import { findZerosRow } from '../state/metadata.ts'
import { findStream, type Stream } from '../state/streams.ts'
import { type Action, type ActionContext, type ArgumentsOf, change, locator } from './action.ts'
import { type Locator, pairLocators } from './checks.ts'
import { chargeFee, recordPayment } from './fees.ts'

const recordLists = {
  data_provider: 'TEXT[]',
  stream_id: 'TEXT[]',
  event_time: 'INT8[]',
  value: 'NUMERIC(36,18)[]',
} as const

/** The network's actions that insert. */
export const recordActions: readonly Action[] = [
  change(
    'insert_record',
    { ...locator, event_time: 'INT8', value: 'NUMERIC(36,18)' },
    (context, { data_provider, stream_id, event_time, value }) =>
      insertRecords(context, {
        data_provider: [data_provider],
        stream_id: [stream_id],
        event_time: [event_time],
        value: [value],
      }),
  ),
  change('insert_records', recordLists, insertRecords),
]

/** Stores the records of one insertion. On the network four lists of null insert nothing, which has its fee. */
function insertRecords(context: ActionContext, lists: ArgumentsOf<typeof recordLists>): void {
  const { data_provider: providers, stream_id: streamIds, event_time: times, value: values } = lists
  const { profile } = context
  const count = providers?.length
  if (count !== undefined && count > profile.maxInsertRecords) {
    throw actionError(`insert_records: batch size exceeds maximum of ${profile.maxInsertRecords} records`)
  }
  if (count === 0) throw actionError('insert_records: empty or NULL data_provider array')
  if (streamIds?.length !== count || times?.length !== count || values?.length !== count) {
    throw actionError('array lengths mismatch')
  }
  const payment = chargeFee(context, profile.insertFee, 'Insufficient balance for write fee. Required: 1 TRUF')
  const streams = findWritable(context, pairLocators(providers, streamIds))
  for (const [index, stream] of streams.entries()) {
    insertRecord(context, stream.ref, times?.[index] ?? null, values?.[index] ?? null)
  }
  recordPayment(context, 'insertRecords', payment)
}

/** Finds the streams of an insertion; all are checked for one fault before any is checked for the next. */
function findWritable(context: ActionContext, locators: readonly Locator[]): readonly Stream[] {
  const { store } = context
  const known = new Map<string, Stream | undefined>()
  const streams = locators.flatMap(({ dataProvider, streamId }) => {
    // Most insertions name one stream again and again.
    const name = `${dataProvider} ${streamId}`
    if (!known.has(name)) known.set(name, findStream(store, dataProvider, streamId))
    return known.get(name) ?? []
  })
  if (streams.length < locators.length) throw actionError('one or more streams do not exist')
  if (streams.some((stream) => stream.type !== 'primitive')) {
    throw actionError('one or more streams are not primitive streams')
  }
  const wallet = context.caller.toLowerCase()
  const writable = new Set<number>()
  for (const { ref } of streams) {
    if (writable.has(ref)) continue
    if (!isWriter(store, ref, wallet)) throw actionError('wallet not allowed to write to one or more streams')
    writable.add(ref)
  }
  return streams
}

function insertRecord({ store, height }: ActionContext, ref: number, time: bigint | null, value: bigint | null): void {
  const isEmpty = value === null || value === 0n
  if (isEmpty && findZerosRow(store, ref) === undefined) return
  // The database names the first column that is null.
  const event = {
    time: requireColumn(time, 'event_time', 'primitive_events'),
    value: requireColumn(value, 'value', 'primitive_events'),
  }
  putEvent(store, ref, height, event)
}
