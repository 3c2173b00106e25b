/** The newest records of a stream, or the reason that there are none. */

import { ConsoleError } from '../frame/errors.ts'
import type { Point, Stream } from './answers.ts'
import { read } from './gateway.ts'
import { nameOf } from './stream-name.ts'

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

/**
 * Reads the newest records of a stream.
 *
 * @param before - What was known at the last look; it stays while the service is away or busy.
 * @throws what the request throws when `stopping` ends it: then nothing new is known.
 */
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
