/** Reads of records as the network offers them, for streams of either type and callers with permission. */

import type { Stream } from '../state/streams.ts'
import {
  type Access,
  assertComposable,
  assertComposedReader,
  assertRange,
  assertReader,
  assertReaderOfAll,
  rulesOf,
} from './access.ts'
import { composedRecords, firstLeafTime, lastLeafTime } from './composed.ts'
import { firstPrimitiveRecord, lastPrimitiveRecord, primitiveRecords } from './primitive.ts'
import type { Bound, Reader, SeriesRow, Window } from './reader.ts'

/** The values in a window; both bounds open give the latest one. */
export function readRecords(access: Access, stream: Stream, window: Window): SeriesRow[] {
  if (stream.type === 'primitive') return readPrimitive(access, stream, window, primitiveRecords)
  return readComposedRecords(access, stream, window)
}

/** As `readRecords`, by the rules of a composed stream; a primitive one has no taxonomy, and so no value by them. */
export function readComposedRecords(access: Access, stream: Stream, window: Window): SeriesRow[] {
  assertRange(window)
  assertComposedReader(access, stream, window)
  access.onComposedRead?.()
  if (window.from !== undefined || window.to !== undefined)
    return composedRecords(access, stream.ref, window, rulesOf(access).records)
  return composedRecordAt(access, stream, lastLeafTime(access, stream.ref, { frozenAt: window.frozenAt }), window)
}

/** The last value before the end of a window (primitive streams), or at or before it (composed ones). */
export function readLastRecord(access: Access, stream: Stream, window: Window): SeriesRow[] {
  return stream.type === 'primitive'
    ? readPrimitive(access, stream, window, lastPrimitiveRecord)
    : readComposedRecord(access, stream, window, 'last')
}

/** The first value at or after the beginning of a window. */
export function readFirstRecord(access: Access, stream: Stream, window: Window): SeriesRow[] {
  return stream.type === 'primitive'
    ? readPrimitive(access, stream, window, firstPrimitiveRecord)
    : readComposedRecord(access, stream, window, 'first')
}

function readPrimitive(
  access: Access,
  stream: Stream,
  window: Window,
  find: (reader: Reader, ref: number, window: Window) => SeriesRow[],
): SeriesRow[] {
  assertReader(access, stream)
  return find(access, stream.ref, window)
}

function readComposedRecord(access: Access, stream: Stream, window: Window, end: 'first' | 'last'): SeriesRow[] {
  assertReaderOfAll(access, stream, window)
  if (rulesOf(access).composeChecked === end) assertComposable(access, stream, window)
  access.onComposedRead?.()
  const findTime = end === 'first' ? firstLeafTime : lastLeafTime
  const time = findTime(access, stream.ref, window)
  if (time !== undefined) access.onComposedRead?.()
  return composedRecordAt(access, stream, time, window)
}

function composedRecordAt(access: Access, stream: Stream, time: Bound, { frozenAt }: Window): SeriesRow[] {
  if (time === undefined) return []
  const window = { from: time, to: time, frozenAt }
  assertComposedReader(access, stream, window)
  return composedRecords(access, stream.ref, window, rulesOf(access).records).slice(0, 1)
}
