/** Actions that read series, by their plain names and with the prefix that old clients put in front. */

import { actionError, DevnodeError } from '../errors.ts'
import { dailyPrices } from '../queries/primitive.ts'
import type { SeriesRow, Window } from '../queries/reader.ts'
import {
  type Access,
  assertRange,
  datedRules,
  readBaseValue,
  readComposedRecords,
  readFirstRecord,
  readIndex,
  readIndexChange,
  readLastRecord,
  readOwnIndex,
  readRecords,
  requireStream,
} from '../queries/series.ts'
import { findStream, type Stream } from '../state/streams.ts'
import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  locator,
  optional,
  type ParameterShape,
  type Returns,
  type Rows,
  row,
  table,
  view,
} from './action.ts'
import { toSpan } from './checks.ts'

const seriesColumns = table({ event_time: 'INT8', value: 'NUMERIC(36,18)' })
const windowParameters = { from: 'INT8', to: 'INT8', frozen_at: 'INT8' } as const
const indexParameters = { ...windowParameters, base_time: 'INT8' } as const

/** The network's actions that read series. */
export const seriesActions: readonly Action[] = [
  ...readActions(''),
  ...readActions('truflation_'),
  cachedRead(
    'get_index_change',
    { ...indexParameters, time_interval: 'INT' },
    seriesColumns,
    (access, stream, args) =>
      toCells(
        readIndexChange(
          access,
          stream,
          toWindow(args),
          args.base_time ?? undefined,
          requireInterval(args.time_interval),
        ),
      ),
    ({ time_interval }) => {
      requireInterval(time_interval)
    },
  ),
  cachedRead(
    'truflation_get_record_composed',
    windowParameters,
    seriesColumns,
    (access, stream, args) => toCells(readComposedRecords(access, stream, toWindow({ ...args, frozen_at: null }))),
    (args, context) => {
      if (context.profile.answers === 'current') requireComposed(context, args)
    },
  ),
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
  // By the old names a read is frozen by the provider's own dates, which no record has here: it is not frozen.
  const frozen = (height: bigint | null) => (prefix === '' ? (height ?? undefined) : undefined)
  const openWindow = (args: WindowArguments) => toWindow({ ...args, frozen_at: frozen(args.frozen_at ?? null) ?? null })
  return [
    cachedRead(`${prefix}get_record`, windowParameters, seriesColumns, (access, stream, args) =>
      toCells(readRecords(access, stream, openWindow(args))),
    ),
    cachedRead(`${prefix}get_index`, indexParameters, seriesColumns, (access, stream, args) =>
      toCells(readIndex(access, stream, openWindow(args), args.base_time ?? undefined)),
    ),
    cachedRead(
      `${prefix}get_first_record`,
      { after: 'INT8', frozen_at: 'INT8' },
      seriesColumns,
      (access, stream, { after, frozen_at }) =>
        toCells(readFirstRecord(access, stream, openWindow({ from: after, frozen_at }))),
    ),
    cachedRead(
      `${prefix}get_last_record`,
      { before: 'INT8', frozen_at: 'INT8' },
      seriesColumns,
      (access, stream, { before, frozen_at }) =>
        toCells(readLastRecord(access, stream, openWindow({ to: before, frozen_at }))),
    ),
    cachedRead(
      `${prefix}get_base_value`,
      { base_time: 'INT8', frozen_at: 'INT8' },
      row({ value: 'NUMERIC(36,18)' }),
      (access, stream, { base_time, frozen_at }) => [
        [readBaseValue(access, stream, base_time ?? undefined, frozen(frozen_at))],
      ],
    ),
    view(`${prefix}get_index_primitive`, { ...locator, ...indexParameters }, seriesColumns, (context, args) => {
      const stream = requireStream(context, args.data_provider, args.stream_id)
      const window = openWindow(args)
      const access = toAccess(context, `${prefix}get_index_primitive`)
      return toCells(readOwnIndex(access, stream, window, args.base_time ?? undefined))
    }),
  ]
}

/** Declares a read of one stream that a client may ask to be answered from the network's cache. */
function cachedRead<const P extends ParameterShape & { readonly frozen_at: 'INT8' }>(
  name: string,
  parameters: P,
  returns: Returns,
  read: (access: Access, stream: Stream, args: ArgumentsOf<P>) => Rows,
  /** Checks that come before the stream is looked for. */
  check: (args: ArgumentsOf<P> & StreamNames, context: ActionContext) => void = () => undefined,
): Action {
  return view(name, { ...locator, ...parameters, use_cache: optional('BOOL', false) }, returns, (context, args) => {
    // The shape is the one above, which holds P and the three names besides.
    const given = args as unknown as ArgumentsOf<P> & CacheArguments
    check(given, context)
    const state = absentState(context, name)
    const stream = requireStream(context, given.data_provider, given.stream_id, state)
    const access = toAccess(context, name)
    const rows = read(noticing(context, access, given), stream, given)
    if (context.profile.answers === 'described') noteCache(context, given)
    return rows
  })
}

interface StreamNames {
  readonly data_provider: string | null
  readonly stream_id: string | null
}

interface CacheArguments extends StreamNames {
  readonly use_cache: boolean | null
  readonly frozen_at: bigint | null
}

function toAccess({ store, budget, caller }: ActionContext, action: string): Access {
  const rules = action.startsWith('truflation_') ? datedRules : undefined
  return { store, budget, wallet: caller.toLowerCase(), rules }
}

type WindowArguments = Readonly<Partial<Record<'from' | 'to' | 'frozen_at', bigint | null>>>

function toWindow({ from = null, to = null, frozen_at }: WindowArguments): Window {
  return { ...toSpan(from, to), frozenAt: frozen_at ?? undefined }
}

/** Today's network finds the range wrong first. For a stream that does not exist its action then breaks. */
function requireComposed(
  { store }: ActionContext,
  { data_provider, stream_id, ...args }: StreamNames & WindowArguments,
): void {
  assertRange(toWindow(args))
  if (findStream(store, data_provider, stream_id) !== undefined) return
  throw new DevnodeError('engine_failed', 'type error: expected text, got int8')
}

/** Reads whose text for a stream that is not there has changed on the network. */
const renamed = /^(truflation_)?get_(record|index|index_change|first_record|last_record)$/

function requireInterval(interval: bigint | null): bigint {
  if (interval !== null) return interval
  throw actionError('time_interval is required')
}

function absentState({ profile }: ActionContext, name: string): string {
  return profile.answers === 'current' && renamed.test(name) ? 'Stream not found' : 'Stream does not exist'
}

/** The node keeps no cache; it says so where a client asked for one. Frozen reads pass a cache by unasked. */
function noteCache(context: ActionContext, args: CacheWish): void {
  if (isAskedFor(args)) context.notice('{"cache_hit": false}')
}

/** Today's network has a cache for composed streams only, and each read of one says that it is switched off. */
function noticing(context: ActionContext, access: Access, args: CacheWish): Access {
  if (context.profile.answers === 'described' || !isAskedFor(args)) return access
  return { ...access, onComposedRead: () => context.notice('{"cache_disabled": true}') }
}

type CacheWish = Pick<CacheArguments, 'use_cache' | 'frozen_at'>

function isAskedFor({ use_cache, frozen_at }: CacheWish): boolean {
  return use_cache === true && frozen_at === null
}

function toCells(rows: readonly SeriesRow[]): Rows {
  return rows.map(({ time, value }) => [time, value])
}
