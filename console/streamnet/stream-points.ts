/** The points of a stream in the form that the address asks for, read again when the stream has others. */

import { useState } from 'preact/hooks'
import type { Point } from '#gateway/contract/results.ts'
import { useLive } from '../frame/live.ts'
import { useResource } from '../frame/resource.ts'
import { read } from './gateway.ts'
import type { StreamPlace } from './name-book.ts'
import { nameOf } from './stream-name.ts'

/** The forms of values, with their labels. */
export const forms = [
  ['value', 'Value'],
  ['index', 'Index'],
  ['change', 'Change'],
] as const

/** Stored values, values in percent of a base date's, or their change within an interval. */
export type Form = (typeof forms)[number][0]

/** The part of the address that says what the chart shows. */
export interface Shown {
  readonly form: Form
  /** The base date in Unix seconds; the stream's own when undefined. */
  readonly base: string | undefined
  /** Seconds of a change. */
  readonly interval: number
  /** The block whose version of the stream is compared; none when undefined. */
  readonly height: string | undefined
}

/** Reads the query of the view's address. */
export function readShown(query: URLSearchParams): Shown {
  return {
    form: forms.find(([name]) => name === query.get('as'))?.[0] ?? 'value',
    base: query.get('base') ?? undefined,
    interval: Number(query.get('interval') ?? 86_400),
    height: query.get('height') ?? undefined,
  }
}

/** Keeps the points of a stream known, and those of its earlier version; the event stream says when to read them again. */
export function usePoints(stream: StreamPlace, shown: Shown) {
  const { data_provider: provider, stream_id: id } = stream
  const { form, base, interval, height } = shown
  const key = `${provider} ${id} ${form} ${base} ${interval}`
  const points = useResource((signal) => readPoints(stream, shown, undefined, signal), key)
  const earlier = useResource(
    async (signal) => (height === undefined ? [] : readPoints(stream, shown, height, signal)),
    `${key} ${height}`,
  )
  const [seenHeight, setSeenHeight] = useState<number | null>(null)
  useLive('streamnet', `/streamnet/v1/streams/${provider}/${id}/events`, ({ event, data }) => {
    if (event !== 'records') return
    // As docs/gateway.md has it.
    const news = JSON.parse(data) as { readonly height: number; readonly records: readonly Point[] }
    setSeenHeight(news.height)
    if (news.records.length > 0) points.reload()
  })
  return { points, earlier, seenHeight }
}

/** Reads every point in the form that is shown. @param frozen - The block whose version is read; the newest without one. */
function readPoints(
  stream: StreamPlace,
  { form, base, interval }: Shown,
  frozen: string | undefined,
  signal: AbortSignal,
): Promise<readonly Point[]> {
  const shared = { ...nameOf(stream), date_from: 0, frozen_at: frozen }
  if (form === 'value') return read('get_records', shared, signal)
  if (form === 'index') return read('get_index', { ...shared, base_date: base }, signal)
  return read('get_index_change', { ...shared, base_date: base, time_interval: interval }, signal)
}
