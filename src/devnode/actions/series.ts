/** Actions that read series, by their plain names and with the prefix that old clients put in front. */

import { actionError, engineError } from '../errors.ts'
import { type Access, assertRange, requireStream } from '../queries/access.ts'
import { readBaseValue, readIndex, readIndexChange, readOwnIndex } from '../queries/indexes.ts'
import { dailyPrices } from '../queries/primitive.ts'
import type { SeriesRow, Window } from '../queries/reader.ts'
import { readComposedRecords, readFirstRecord, readLastRecord, readRecords } from '../queries/series.ts'
import { findStream, type Stream } from '../state/streams.ts'
import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  locator,
  type ParameterShape,
  type Rows,
  row,
  table,
  view,
} from './action.ts'
import { cachedRead, type StreamNames, toAccess } from './cached-read.ts'
import { toSpan } from './checks.ts'

const seriesColumns = table({ event_time: 'INT8', value: 'NUMERIC(36,18)' })
const windowParameters = { from: 'INT8', to: 'INT8', frozen_at: 'INT8' } as const
const indexParameters = { ...windowParameters, base_time: 'INT8' } as const

/** The network's actions that read series. */
export const seriesActions: readonly Action[] = [
  ...readActions(''),
  ...readActions('truflation_'),
  cachedRead({
    name: 'get_index_change',
    parameters: { ...indexParameters, time_interval: 'INT' },
    returns: seriesColumns,
    check: (_, args) => void requireInterval(args.time_interval),
    rows(access, stream, args) {
      const terms = { baseTime: args.base_time ?? undefined, interval: requireInterval(args.time_interval) }
      return toCells(readIndexChange(access, stream, toWindow(args), terms))
    },
  }),
  cachedRead({
    name: 'truflation_get_record_composed',
    parameters: windowParameters,
    returns: seriesColumns,
    check(context, args) {
      if (context.profile.answers === 'current') requireComposed(context, args)
    },
    rows: (access, stream, args) =>
      toCells(readComposedRecords(access, stream, toWindow({ ...args, frozen_at: null }))),
  }),
  view(
    'get_daily_ohlc',
    { stream_ref: 'INT', day: 'INT' },
    table({
      open_value: 'NUMERIC(36,18)',
      high_value: 'NUMERIC(36,18)',
      low_value: 'NUMERIC(36,18)',
      close_value: 'NUMERIC(36,18)',
    }),
    (context, { stream_ref, day }) => {
      const prices = stream_ref === null || day === null ? undefined : dailyPrices(context, Number(stream_ref), day)
      return [[prices?.open ?? null, prices?.high ?? null, prices?.low ?? null, prices?.close ?? null]]
    },
  ),
]

function readActions(prefix: '' | 'truflation_'): readonly Action[] {
  // With the prefix a read is frozen by dates that a provider gives its records; no record has one here, so none is.
  const windowOf = (args: WindowArguments) => toWindow(prefix === '' ? args : { ...args, frozen_at: null })
  const seriesRead = <const P extends ParameterShape & { readonly frozen_at: 'INT8' }>(
    name: string,
    parameters: P,
    read: (access: Access, stream: Stream, args: ArgumentsOf<P>) => readonly SeriesRow[],
  ) =>
    cachedRead({
      name: `${prefix}${name}`,
      parameters,
      returns: seriesColumns,
      rows: (access, stream, args: ArgumentsOf<P>) => toCells(read(access, stream, args)),
    })
  return [
    seriesRead('get_record', windowParameters, (access, stream, args) => readRecords(access, stream, windowOf(args))),
    seriesRead('get_index', indexParameters, (access, stream, args) =>
      readIndex(access, stream, windowOf(args), args.base_time ?? undefined),
    ),
    seriesRead('get_first_record', { after: 'INT8', frozen_at: 'INT8' }, (access, stream, { after, frozen_at }) =>
      readFirstRecord(access, stream, windowOf({ from: after, frozen_at })),
    ),
    seriesRead('get_last_record', { before: 'INT8', frozen_at: 'INT8' }, (access, stream, { before, frozen_at }) =>
      readLastRecord(access, stream, windowOf({ to: before, frozen_at })),
    ),
    cachedRead({
      name: `${prefix}get_base_value`,
      parameters: { base_time: 'INT8', frozen_at: 'INT8' },
      returns: row({ value: 'NUMERIC(36,18)' }),
      rows: (access, stream, { base_time, frozen_at }) => [
        [readBaseValue(access, stream, base_time ?? undefined, windowOf({ frozen_at }).frozenAt)],
      ],
    }),
    view(`${prefix}get_index_primitive`, { ...locator, ...indexParameters }, seriesColumns, (context, args) => {
      const stream = requireStream(context, args.data_provider, args.stream_id)
      const access = toAccess(context, `${prefix}get_index_primitive`)
      return toCells(readOwnIndex(access, stream, windowOf(args), args.base_time ?? undefined))
    }),
  ]
}

type WindowArguments = Readonly<Partial<Record<'from' | 'to' | 'frozen_at', bigint | null>>>

function toWindow({ from = null, to = null, frozen_at }: WindowArguments): Window {
  return { ...toSpan(from, to), frozenAt: frozen_at ?? undefined }
}

/** Refuses as today's network does: first a wrong range, then an unknown stream, by an error of the engine. */
function requireComposed(
  { store }: ActionContext,
  { data_provider, stream_id, ...args }: StreamNames & WindowArguments,
): void {
  assertRange(toWindow(args))
  if (findStream(store, data_provider, stream_id) !== undefined) return
  throw engineError('type error: expected text, got int8')
}

function requireInterval(interval: bigint | null): bigint {
  if (interval !== null) return interval
  throw actionError('time_interval is required')
}

function toCells(rows: readonly SeriesRow[]): Rows {
  return rows.map(({ time, value }) => [time, value])
}
