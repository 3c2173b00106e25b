/** The newest records of streams, read for the rows of the list that are drawn, and again while they are. */

import { signal } from '@preact/signals'
import type { Point, Stream } from '#gateway/contract/results.ts'
import { ConsoleError } from '../frame/errors.ts'
import { useResource } from '../frame/resource.ts'
import { read } from './gateway.ts'
import { hrefOf, nameOf } from './stream-name.ts'

/** Milliseconds between two looks at a stream. */
const pollMs = 10_000

/** By the address of the stream's view; a stream whose row was never drawn is not in it. */
export const newest = signal<ReadonlyMap<string, Newest>>(new Map())

/** Keeps the newest records of a stream known while the component is mounted. */
export function useNewest(stream: Stream): Newest | undefined {
  const key = hrefOf(stream)
  useResource(
    async (stopping) => {
      const found = await readNewest(stream, newest.peek().get(key), stopping)
      newest.value = new Map(newest.peek()).set(key, found)
    },
    key,
    pollMs,
  )
  return newest.value.get(key)
}

/** Most values of a sparkline. */
const mostValues = 30

/** Seconds before the last record in which its history is looked for: the second is for streams that seldom change. */
const spans = [3_600, 30 * 86_400] as const

/** The newest records of a stream. */
export interface Newest {
  /** Oldest first; none where the stream has no records or they cannot be read. */
  readonly points: readonly Point[]
  /** The reason that there are none; null where there are some. */
  readonly reason: string | null
}

/** Reads the newest records of a stream; `before` stays while the service is away or busy. */
export async function readNewest(stream: Stream, before: Newest | undefined, stopping: AbortSignal): Promise<Newest> {
  try {
    const last = await read<Point | null>('get_last_record', nameOf(stream), stopping)
    if (last === null) return { points: [], reason: 'no records' }
    const known = before?.points.at(-1)
    if (before !== undefined && known?.date === last.date && known.value === last.value) return before
    return { points: await historyUntil(stream, last, stopping), reason: null }
  } catch (error) {
    if (stopping.aborted) throw error
    const status = error instanceof ConsoleError ? error.status : -1
    const isRefused = status >= 400 && status < 500 && status !== 429
    if (before !== undefined && !isRefused) return before
    return { points: [], reason: status === 403 ? 'private' : 'not readable' }
  }
}

/** The records of the shortest span that has enough of them, or of the longest. */
async function historyUntil(stream: Stream, last: Point, stopping: AbortSignal): Promise<readonly Point[]> {
  let points: readonly Point[] = [last]
  for (const span of spans) {
    if (points.length >= mostValues) break
    const range = { ...nameOf(stream), date_from: Math.max(0, last.date - span), date_to: last.date }
    points = await read<readonly Point[]>('get_records', range, stopping)
  }
  return points.slice(-mostValues)
}
