/** Actions that read series, by their plain names and with the prefix that old clients put in front. */

import { actionError } from '../errors.ts'
import {
  type Access,
  readBaseValue,
  readFirstRecord,
  readIndex,
  readIndexChange,
  readLastRecord,
  readRecords,
  requireStream,
} from '../queries/series.ts'
import type { SeriesRow } from '../queries/window.ts'
import { type Action, type ActionContext, optional, row, table, type Value, view } from './action.ts'

const seriesColumns = table({ event_time: 'INT8', value: 'NUMERIC(36,18)' })
const useCache = optional('BOOL', false)

/** The network's actions that read series. */
export const seriesActions: readonly Action[] = [
  ...readActions(''),
  ...readActions('truflation_'),
  view({
    name: 'get_index_change',
    parameters: {
      data_provider: 'TEXT',
      stream_id: 'TEXT',
      from: 'INT8',
      to: 'INT8',
      frozen_at: 'INT8',
      base_time: 'INT8',
      time_interval: 'INT',
      use_cache: useCache,
    },
    returns: seriesColumns,
    run(context, args) {
      if (args.time_interval === null) throw actionError('time_interval is required')
      const stream = requireStream(context, args.data_provider, args.stream_id)
      const rows = readIndexChange(
        accessOf(context),
        stream,
        windowOf(args),
        args.base_time ?? undefined,
        args.time_interval,
      )
      noteCache(context, args)
      return cellsOf(rows)
    },
  }),
]

function readActions(prefix: '' | 'truflation_'): readonly Action[] {
  const windowParameters = {
    data_provider: 'TEXT',
    stream_id: 'TEXT',
    from: 'INT8',
    to: 'INT8',
    frozen_at: 'INT8',
  } as const
  return [
    view({
      name: `${prefix}get_record`,
      parameters: { ...windowParameters, use_cache: useCache },
      returns: seriesColumns,
      run(context, args) {
        const stream = requireStream(context, args.data_provider, args.stream_id)
        const rows = readRecords(accessOf(context), stream, windowOf(args))
        noteCache(context, args)
        return cellsOf(rows)
      },
    }),
    view({
      name: `${prefix}get_index`,
      parameters: { ...windowParameters, base_time: 'INT8', use_cache: useCache },
      returns: seriesColumns,
      run(context, args) {
        const stream = requireStream(context, args.data_provider, args.stream_id)
        const rows = readIndex(accessOf(context), stream, windowOf(args), args.base_time ?? undefined)
        noteCache(context, args)
        return cellsOf(rows)
      },
    }),
    view({
      name: `${prefix}get_first_record`,
      parameters: {
        data_provider: 'TEXT',
        stream_id: 'TEXT',
        after: 'INT8',
        frozen_at: 'INT8',
        use_cache: useCache,
      },
      returns: seriesColumns,
      run(context, args) {
        const stream = requireStream(context, args.data_provider, args.stream_id)
        const rows = readFirstRecord(
          accessOf(context),
          stream,
          args.after ?? undefined,
          args.frozen_at ?? undefined,
        )
        noteCache(context, args)
        return cellsOf(rows)
      },
    }),
    view({
      name: `${prefix}get_last_record`,
      parameters: {
        data_provider: 'TEXT',
        stream_id: 'TEXT',
        before: 'INT8',
        frozen_at: 'INT8',
        use_cache: useCache,
      },
      returns: seriesColumns,
      run(context, args) {
        const stream = requireStream(context, args.data_provider, args.stream_id)
        const rows = readLastRecord(
          accessOf(context),
          stream,
          args.before ?? undefined,
          args.frozen_at ?? undefined,
        )
        noteCache(context, args)
        return cellsOf(rows)
      },
    }),
    view({
      name: `${prefix}get_base_value`,
      parameters: {
        data_provider: 'TEXT',
        stream_id: 'TEXT',
        base_time: 'INT8',
        frozen_at: 'INT8',
        use_cache: useCache,
      },
      returns: row({ value: 'NUMERIC(36,18)' }),
      run(context, args) {
        const stream = requireStream(context, args.data_provider, args.stream_id)
        const base = readBaseValue(
          accessOf(context),
          stream,
          args.base_time ?? undefined,
          args.frozen_at ?? undefined,
        )
        noteCache(context, args)
        return [[base]]
      },
    }),
  ]
}

function accessOf(context: ActionContext): Access {
  return { store: context.store, budget: context.budget, wallet: context.caller.toLowerCase() }
}

function windowOf(args: {
  readonly from: bigint | null
  readonly to: bigint | null
  readonly frozen_at: bigint | null
}) {
  return { from: args.from ?? undefined, to: args.to ?? undefined, frozenAt: args.frozen_at ?? undefined }
}

/** The node keeps no cache; it says so where a client asked for one. Frozen reads pass a cache by unasked. */
function noteCache(
  context: ActionContext,
  args: { readonly use_cache: boolean | null; readonly frozen_at: bigint | null },
): void {
  if (args.use_cache === true && args.frozen_at === null) context.notice('{"cache_hit": false}')
}

function cellsOf(rows: readonly SeriesRow[]): readonly (readonly Value[])[] {
  return rows.map(({ time, value }) => [time, value])
}
