/** Actions on metadata: visibility, allow lists, base time, and other entries of an owner. */

import { actionError, nullColumnError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { requireStream } from '../queries/access.ts'
import {
  disableMetadata,
  findMetadata,
  findZerosRow,
  listAllMetadata,
  listMetadata,
  type MetadataRow,
  type MetadataValue,
} from '../state/metadata.ts'
import { findStream, findStreamByRef, type Stream } from '../state/streams.ts'
import { type Action, type ActionContext, change, columns, locator, row, table, view } from './action.ts'
import { castBoolean, castDecimal, castInteger } from './casts.ts'
import { atLeastZero, heightRange, slicePage, takePage } from './checks.ts'
import { recordPayment } from './fees.ts'
import { addRow } from './stream-creation.ts'
import { requireOwned } from './streams.ts'
import type { ScalarValue, SqlType } from './types.ts'

/** A value as the five cells in which the network tells it, all null but one. */
export const metadataValues = columns<MetadataValue>({
  value_i: ['INT', (one) => one.int],
  value_f: ['NUMERIC(36,18)', (one) => one.float],
  value_b: ['BOOL', (one) => one.bool],
  value_s: ['TEXT', (one) => one.text],
  value_ref: ['TEXT', (one) => one.ref],
})

/** The constraint on the ids of rows: the network makes one of key and value, without the stream. */
const rowIds = 'metadata_pkey'

/** The network's actions on metadata. */
export const metadataActions: readonly Action[] = [
  change(
    'insert_metadata',
    { ...locator, key: 'TEXT', value: 'TEXT', val_type: 'TEXT' },
    (context, { data_provider, stream_id, key, value, val_type }) => {
      const stream = requireOwned(context, data_provider, stream_id, 'Only stream owner can insert metadata')
      assertNotAllowZeros(key ?? '')
      const parsed = parseMetadataValue(value, val_type ?? '')
      if (isReadOnly(context, stream, key)) throw actionError('Cannot insert metadata for read-only key')
      // The row's id is made of both.
      if (key === null || value === null) throw nullColumnError('row_id', 'metadata')
      context.claimId(rowIds, key + value)
      addRow(context, stream, key, parsed)
      recordPayment(context, 'setMetadata', { fee: 0n, recipient: null })
    },
  ),
  change('disable_metadata', { ...locator, row_id: 'UUID' }, (context, { data_provider, stream_id, row_id }) => {
    const stream = requireOwned(context, data_provider, stream_id, 'Only stream owner can disable metadata')
    const found = findMetadata(context.store, stream.ref, row_id ?? '')
    if (found === undefined) throw actionError('Metadata record not found')
    assertNotAllowZeros(found.key)
    if (isReadOnly(context, stream, found.key)) throw actionError('Cannot disable read-only metadata')
    disableMetadata(context.store, stream.ref, found, context.height)
  }),
  change('set_allow_zeros', { ...locator, value: 'BOOL' }, (context, { data_provider, stream_id, value }) => {
    const stream = requireOwned(context, data_provider, stream_id, 'Only stream owner can set allow_zeros')
    const before = findZerosRow(context.store, stream.ref)
    if (before !== undefined) disableMetadata(context.store, stream.ref, before, context.height)
    if (value !== true) return
    context.claimId(rowIds, `allow_zeros ${stream.ref}`)
    addRow(context, stream, 'allow_zeros', { bool: true })
  }),
  view('get_allow_zeros', locator, row({ allow_zeros: 'BOOL' }), (context, { data_provider, stream_id }) => {
    const stream = requireStream(context, data_provider, stream_id)
    return [[findZerosRow(context.store, stream.ref) !== undefined]]
  }),
  view(
    'get_metadata',
    { ...locator, key: 'TEXT', ref: 'TEXT', limit: 'INT', offset: 'INT', order_by: 'TEXT' },
    table({ row_id: 'UUID', ...metadataValues.types, created_at: 'INT' }),
    (context, { limit, offset, order_by, ...names }) => {
      const [most, first] = [limit ?? 100n, offset ?? 0n]
      const newestFirst = findRows(context, names)
      const isRising = order_by === 'created_at ASC'
      const rows = isRising ? [...newestFirst].reverse() : takePage(newestFirst, { limit: first + most })
      return slicePage(rows, most, first).map((one) => [one.rowId, ...metadataValues.cells(one), BigInt(one.createdAt)])
    },
  ),
  view(
    'list_metadata_by_height',
    { key: 'TEXT', ref: 'TEXT', from_height: 'INT8', to_height: 'INT8', limit: 'INT', offset: 'INT' },
    table({ stream_id: 'TEXT', data_provider: 'TEXT', row_id: 'UUID', ...metadataValues.types, created_at: 'INT8' }),
    ({ store, height }, { key, ref, from_height, to_height, limit, offset }) => {
      const [from, to] = heightRange(from_height ?? 0n, to_height ?? BigInt(height))
      const rows: { readonly stream: Stream; readonly one: MetadataRow }[] = []
      for (const { stream: streamRef, row: one } of listAllMetadata(store)) {
        const at = BigInt(one.createdAt)
        if (one.key !== key || one.disabledAt !== undefined || at < from || at > to) continue
        if (ref !== null && one.ref !== ref.toLowerCase()) continue
        const stream = findStreamByRef(store, streamRef)
        if (stream !== undefined) rows.push({ stream, one })
      }
      rows.sort((left, right) => left.one.createdAt - right.one.createdAt)
      return slicePage(rows, atLeastZero(limit ?? 1000n), atLeastZero(offset ?? 0n)).map(({ stream, one }) => [
        stream.streamId,
        stream.dataProvider,
        one.rowId,
        ...metadataValues.cells(one),
        BigInt(one.createdAt),
      ])
    },
  ),
  view(
    'get_latest_metadata',
    { ...locator, key: 'TEXT', ref: 'TEXT' },
    table(metadataValues.types),
    (context, names) => {
      const newest = latestRow(context, names)
      return newest === undefined ? [] : [metadataValues.cells(newest)]
    },
  ),
  latestValue('get_latest_metadata_int', 'INT', ({ int }) => int),
  latestValue('get_latest_metadata_bool', 'BOOL', ({ bool }) => bool),
  latestValue('get_latest_metadata_string', 'TEXT', ({ text }) => text),
  view(
    'get_latest_metadata_ref',
    { ...locator, key: 'TEXT', ref: 'TEXT' },
    row({ value: 'TEXT' }),
    (context, names) => [[latestRow(context, names)?.ref ?? null]],
  ),
]

/** Declares a read of the newest row's value of one type. */
function latestValue(name: string, type: SqlType, pick: (value: MetadataValue) => ScalarValue | undefined): Action {
  return view(name, { ...locator, key: 'TEXT' }, row({ value: type }), (context, names) => {
    const newest = latestRow(context, names)
    return [[(newest && pick(newest)) ?? null]]
  })
}

/** Reads a metadata value from text, null for null; action_failed for an unknown type or another value. */
function parseMetadataValue(text: string | null, type: string): MetadataValue {
  const parse = metadataParsers.get(type)
  if (parse !== undefined) return text === null ? {} : parse(text)
  throw actionError(`Unknown type used "${type}". Valid types = "float" | "bool" | "int" | "ref" | "string"`)
}

const metadataParsers: ReadonlyMap<string, (text: string) => MetadataValue> = new Map([
  ['int', (text: string): MetadataValue => ({ int: castInteger(text) })],
  ['float', (text: string): MetadataValue => ({ float: castDecimal(text, 36, scale) })],
  ['bool', (text: string): MetadataValue => ({ bool: castBoolean(text) })],
  ['string', (text: string): MetadataValue => ({ text })],
  ['ref', (text: string): MetadataValue => ({ ref: text.toLowerCase() })],
])

function assertNotAllowZeros(key: string): void {
  if (key.toLowerCase() === 'allow_zeros') throw actionError('use set_allow_zeros to modify allow_zeros')
}

function isReadOnly(context: ActionContext, stream: Stream, key: string | null): boolean {
  for (const one of listMetadata(context.store, stream.ref, 'readonly_key')) if (one.text === key) return true
  return false
}

/** The arguments that name rows of a stream. */
type RowNames = Readonly<Record<'data_provider' | 'stream_id' | 'key', string | null>> & {
  readonly ref?: string | null
}

function latestRow(context: ActionContext, names: RowNames): MetadataRow | undefined {
  const [newest] = findRows(context, names)
  return newest
}

/** Finds rows of a key, newest first; of one reference only where it is given. */
function* findRows({ store }: ActionContext, { data_provider, stream_id, key, ref }: RowNames): Generator<MetadataRow> {
  const stream = findStream(store, data_provider, stream_id)
  if (stream === undefined || key === null) return
  const wanted = ref?.toLowerCase()
  for (const one of listMetadata(store, stream.ref, key)) {
    if (wanted === undefined || one.ref === wanted) yield one
  }
}
