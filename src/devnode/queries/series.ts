/** Reads of a series as the network offers them, for streams of either type and callers with permission. */

import { actionError } from '../errors.ts'
import { latestMetadata } from '../state/metadata.ts'
import { findStream, type Stream } from '../state/streams.ts'
import { composedIndex, composedRecords, firstLeafTime, lastLeafTime } from './composed.ts'
import { indexChange } from './index-change.ts'
import { isComposableInAll, isReader, isReaderOfAll } from './permissions.ts'
import {
  firstPrimitiveRecord,
  lastPrimitiveRecord,
  primitiveBase,
  primitiveIndex,
  primitiveRecords,
} from './primitive.ts'
import type { Reader, SeriesRow, Window } from './window.ts'

/** A ledger, and who reads it. */
export interface Access extends Reader {
  /** The caller's address in lower case; empty for an anonymous caller. */
  readonly wallet: string
}

/**
 * Finds a stream by its names.
 *
 * @param state - what the network says of one that is not there.
 * @throws DevnodeError action_failed when there is none.
 */
export function requireStream(
  reader: Pick<Reader, 'store'>,
  dataProvider: string | null,
  streamId: string | null,
  state = 'Stream does not exist',
): Stream {
  const provider = (dataProvider ?? '').toLowerCase()
  const stream = findStream(reader.store, provider, streamId ?? '')
  if (stream !== undefined) return stream
  throw actionError(`${state}: data_provider=${provider} stream_id=${streamId ?? ''}`)
}

/** The values in a window; both bounds open give the latest one. */
export function readRecords(access: Access, stream: Stream, window: Window): SeriesRow[] {
  if (stream.type === 'primitive') {
    assertReader(access, stream)
    return primitiveRecords(access, stream.ref, window)
  }
  assertRange(window)
  assertComposedReader(access, stream, window.from, window.to)
  if (window.from !== undefined || window.to !== undefined) return composedRecords(access, stream.ref, window)
  return composedRecordAt(
    access,
    stream,
    lastLeafTime(access, stream.ref, undefined, window.frozenAt),
    window,
  )
}

/** The last value before a moment (primitive streams), or at or before it (composed ones). */
export function readLastRecord(
  access: Access,
  stream: Stream,
  before: bigint | undefined,
  frozenAt: bigint | undefined,
): SeriesRow[] {
  if (stream.type === 'primitive') {
    assertReader(access, stream)
    return lastPrimitiveRecord(access, stream.ref, before, frozenAt)
  }
  if (!isReaderOfAll(access, stream, access.wallet, undefined, before))
    throw actionError('Not allowed to read stream')
  return composedRecordAt(access, stream, lastLeafTime(access, stream.ref, before, frozenAt), { frozenAt })
}

/** The first value at or after a moment. */
export function readFirstRecord(
  access: Access,
  stream: Stream,
  after: bigint | undefined,
  frozenAt: bigint | undefined,
): SeriesRow[] {
  if (stream.type === 'primitive') {
    assertReader(access, stream)
    return firstPrimitiveRecord(access, stream.ref, after, frozenAt)
  }
  assertComposedReader(access, stream, after, undefined)
  return composedRecordAt(access, stream, firstLeafTime(access, stream.ref, after, frozenAt), { frozenAt })
}

/** The index in a window, its base time being the argument, the stream's default, or the stream's beginning. */
export function readIndex(
  access: Access,
  stream: Stream,
  window: Window,
  baseTime: bigint | undefined,
): SeriesRow[] {
  if (stream.type === 'primitive') {
    if (!isReader(access.store, stream.ref, access.wallet)) throw actionError('Not allowed to read stream')
    return primitiveIndex(access, stream.ref, window, baseTime ?? defaultBaseTime(access, stream))
  }
  assertRange(window)
  assertComposedReader(access, stream, window.from, window.to)
  const base = baseTime ?? defaultBaseTime(access, stream) ?? 0n
  if (window.from !== undefined || window.to !== undefined)
    return composedIndex(access, stream.ref, window, base)
  const last = readLastRecord(access, stream, undefined, window.frozenAt)[0]?.time
  return last === undefined
    ? []
    : composedIndex(access, stream.ref, { ...window, from: last, to: last }, base)
}

/** The change of the index over an interval in seconds, in percent. */
export function readIndexChange(
  access: Access,
  stream: Stream,
  window: Window,
  baseTime: bigint | undefined,
  interval: bigint,
): SeriesRow[] {
  const current = readIndex(access, stream, window, baseTime)
  const [first, last] = [current[0], current.at(-1)]
  if (first === undefined || last === undefined) return []
  const earlier = { ...window, from: first.time - interval, to: last.time - interval }
  return indexChange(current, readIndex(access, stream, earlier, baseTime), interval)
}

/** The value that an index counts as 100. */
export function readBaseValue(
  access: Access,
  stream: Stream,
  baseTime: bigint | undefined,
  frozenAt: bigint | undefined,
): bigint {
  if (!isReaderOfAll(access, stream, access.wallet, undefined, baseTime))
    throw actionError('Not allowed to read stream')
  const base = baseTime ?? defaultBaseTime(access, stream)
  if (stream.type === 'primitive') return primitiveBase(access, stream.ref, base, frozenAt)
  const found =
    base === undefined
      ? readFirstRecord(access, stream, undefined, frozenAt)
      : [
          ...readRecords(access, stream, { from: base, to: base, frozenAt }),
          ...readLastRecord(access, stream, base, frozenAt),
          ...readFirstRecord(access, stream, base, frozenAt),
        ]
  if (found[0] !== undefined) return found[0].value
  throw actionError(base === undefined ? 'no base value found: no records in stream' : 'no base value found')
}

function defaultBaseTime(access: Access, stream: Stream): bigint | undefined {
  return latestMetadata(access.store, stream.ref, 'default_base_time')?.int
}

function composedRecordAt(
  access: Access,
  stream: Stream,
  time: bigint | undefined,
  { frozenAt }: Pick<Window, 'frozenAt'>,
): SeriesRow[] {
  if (time === undefined) return []
  assertComposedReader(access, stream, time, time)
  return composedRecords(access, stream.ref, { from: time, to: time, frozenAt }).slice(0, 1)
}

function assertReader(access: Access, stream: Stream): void {
  if (!isReader(access.store, stream.ref, access.wallet)) throw actionError('wallet not allowed to read')
}

function assertComposedReader(
  access: Access,
  stream: Stream,
  from: bigint | undefined,
  to: bigint | undefined,
): void {
  if (!isReaderOfAll(access, stream, access.wallet, from, to)) throw actionError('Not allowed to read stream')
  if (!isComposableInAll(access, stream, from, to)) throw actionError('Not allowed to compose stream')
}

function assertRange({ from, to }: Window): void {
  if (from === undefined || to === undefined || from <= to) return
  throw actionError(`Invalid time range: from (${from}) > to (${to})`)
}
