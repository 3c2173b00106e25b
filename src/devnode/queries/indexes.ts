/** Reads of an index as the network offers them, of its base value and of its change. */

import { actionError } from '../errors.ts'
import { percentInEngine, subtractInEngine } from '../numeric.ts'
import { latestMetadata } from '../state/metadata.ts'
import type { Stream } from '../state/streams.ts'
import { type Access, assertComposedReader, assertRange, assertReader, assertReaderOfAll, rulesOf } from './access.ts'
import { composedIndex } from './composed.ts'
import { primitiveBase, primitiveIndex } from './primitive.ts'
import type { Bound, SeriesRow, Window } from './reader.ts'
import { readFirstRecord, readLastRecord, readRecords } from './series.ts'

/** The index in a window, its base time being the argument, the stream's default, or the stream's beginning. */
export function readIndex(access: Access, stream: Stream, window: Window, baseTime: Bound): SeriesRow[] {
  if (stream.type === 'primitive') {
    assertReaderOfAll(access, stream, window)
    assertReader(access, stream)
    return primitiveIndex(access, stream.ref, window, baseTime ?? defaultBaseTime(access, stream))
  }
  assertRange(window)
  assertComposedReader(access, stream, window)
  access.onComposedRead?.()
  const silent = { ...access, onComposedRead: undefined }
  const part = closedWindow(silent, stream, window)
  if (part === undefined) return []
  const base = baseTime ?? defaultBaseTime(access, stream)
  const { index, needsBaseValue } = rulesOf(access)
  if (needsBaseValue) readBaseValue(silent, stream, base, window.frozenAt)
  return composedIndex(access, stream.ref, part, { baseTime: needsBaseValue ? base : (base ?? 0n), weighting: index })
}

/** A window of a composed stream, which is its last record where both bounds are open; undefined when it has none. */
function closedWindow(access: Access, stream: Stream, window: Window): Window | undefined {
  if (window.from !== undefined || window.to !== undefined) return window
  const last = readLastRecord(access, stream, { frozenAt: window.frozenAt })[0]?.time
  return last === undefined ? undefined : { ...window, from: last, to: last }
}

/** The index by a stream's own records, which a composed stream passes with its base value and no record. */
export function readOwnIndex(access: Access, stream: Stream, window: Window, baseTime: Bound): SeriesRow[] {
  if (stream.type === 'primitive') return readIndex(access, stream, window, baseTime)
  assertReaderOfAll(access, stream, window)
  const base = readBaseValue(access, stream, baseTime, window.frozenAt)
  if (base === 0n) throw actionError('base value is 0')
  assertReader(access, stream)
  return []
}

/** The base of an index, and the seconds over which its change is measured. */
interface ChangeTerms {
  readonly baseTime: Bound
  readonly interval: bigint
}

/** The change of the index over an interval, in percent. */
export function readIndexChange(
  access: Access,
  stream: Stream,
  window: Window,
  { baseTime, interval }: ChangeTerms,
): SeriesRow[] {
  const current = readIndex(access, stream, window, baseTime)
  const [first, last] = [current[0], current.at(-1)]
  if (first === undefined || last === undefined) return []
  const earlier = { ...window, from: first.time - interval, to: last.time - interval }
  return computeChanges(current, readIndex(access, stream, earlier, baseTime), interval)
}

/**
 * Compares every row with the latest previous row at or before its time minus the interval; both lists are in the
 * order of time. Rows without a previous one, or whose previous one is 0, are left out.
 */
function computeChanges(current: readonly SeriesRow[], previous: readonly SeriesRow[], interval: bigint): SeriesRow[] {
  const changes: SeriesRow[] = []
  let position = 0
  for (const { time, value } of current) {
    const target = time - interval
    while (isAtOrBefore(previous[position + 1], target)) position += 1
    const before = previous[position]
    if (!isAtOrBefore(before, target) || before.value === 0n) continue
    changes.push({ time, value: percentInEngine(subtractInEngine(value, before.value), before.value) })
  }
  return changes
}

function isAtOrBefore(row: SeriesRow | undefined, time: bigint): row is SeriesRow {
  return row !== undefined && row.time <= time
}

/** The value that an index counts as 100. */
export function readBaseValue(access: Access, stream: Stream, baseTime: Bound, frozenAt: Bound): bigint {
  assertReaderOfAll(access, stream, { to: baseTime })
  const base = baseTime ?? defaultBaseTime(access, stream)
  if (stream.type === 'primitive') {
    assertReader(access, stream)
    return primitiveBase(access, stream.ref, base, frozenAt)
  }
  const [found] =
    base === undefined ? readFirstRecord(access, stream, { frozenAt }) : readAround(access, stream, base, frozenAt)
  if (found !== undefined) return found.value
  throw actionError(base === undefined ? 'no base value found: no records in stream' : 'no base value found')
}

/** The record read at a moment, or else the last one before it, or else the first one after it. */
function readAround(access: Access, stream: Stream, time: bigint, frozenAt: Bound): readonly SeriesRow[] {
  const exact = readRecords(access, stream, { from: time, to: time, frozenAt })
  if (exact.length > 0) return exact
  const before = readLastRecord(access, stream, { to: time, frozenAt })
  return before.length > 0 ? before : readFirstRecord(access, stream, { from: time, frozenAt })
}

function defaultBaseTime(access: Access, stream: Stream): Bound {
  return latestMetadata(access.store, stream.ref, 'default_base_time')?.int
}
