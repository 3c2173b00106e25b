/** Reads of a series as the network offers them, for streams of either type and callers with permission. */

import { actionError } from '../errors.ts'
import { percentInEngine, subtractInEngine } from '../numeric.ts'
import { latestMetadata } from '../state/metadata.ts'
import { findStream, type Stream } from '../state/streams.ts'
import { composedIndex, composedRecords, firstLeafTime, lastLeafTime } from './composed.ts'
import { datedIndexWeighting, datedRecordWeighting, indexWeighting, recordWeighting, type Weighting } from './paths.ts'
import { isComposableInAll, isReader, isReaderOfAll } from './permissions.ts'
import {
  firstPrimitiveRecord,
  lastPrimitiveRecord,
  primitiveBase,
  primitiveIndex,
  primitiveRecords,
} from './primitive.ts'
import type { Bound, Reader, SeriesRow, Span, Window } from './reader.ts'

/** A ledger, and who reads it. */
export interface Access extends Reader {
  /** The caller's address in lower case; empty for an anonymous caller. */
  readonly wallet: string
  /** Called at each read of a composed stream, also as a part of another read: on the network each asks a cache. */
  readonly onComposedRead?: (() => void) | undefined
  /** The rules of the action that reads; `plainRules` when left out. */
  readonly rules?: SeriesRules | undefined
}

/** The differences in reads of a composed stream between the network's actions and those with the old prefix. */
interface SeriesRules {
  readonly records: Weighting
  readonly index: Weighting
  /** The read of one record that needs the right to compose over its whole span, not only at the record it finds. */
  readonly composeChecked: 'first' | 'last'
  /** An index needs a base value of the whole stream, and without a base time counts every primitive value from 1. */
  readonly needsBaseValue: boolean
}

/** The rules of `get_record` and its like. */
const plainRules: SeriesRules = {
  records: recordWeighting,
  index: indexWeighting,
  composeChecked: 'first',
  needsBaseValue: false,
}

/** The rules of `truflation_get_record` and its like. */
export const datedRules: SeriesRules = {
  records: datedRecordWeighting,
  index: datedIndexWeighting,
  composeChecked: 'last',
  needsBaseValue: true,
}

/** Finds a stream by its names; action_failed, with the network's words, when there is none. */
export function requireStream(
  reader: Pick<Reader, 'store'>,
  dataProvider: string | null,
  streamId: string | null,
  state = 'Stream does not exist',
): Stream {
  // Text that is put together with null is null on the network.
  if (dataProvider === null || streamId === null) throw actionError('')
  const provider = dataProvider.toLowerCase()
  const stream = findStream(reader.store, provider, streamId)
  if (stream !== undefined) return stream
  throw actionError(`${state}: data_provider=${provider} stream_id=${streamId}`)
}

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
    : readComposedRecord(access, stream, window, 'last', lastLeafTime)
}

/** The first value at or after the beginning of a window. */
export function readFirstRecord(access: Access, stream: Stream, window: Window): SeriesRow[] {
  return stream.type === 'primitive'
    ? readPrimitive(access, stream, window, firstPrimitiveRecord)
    : readComposedRecord(access, stream, window, 'first', firstLeafTime)
}

type Find<Found> = (reader: Reader, ref: number, window: Window) => Found

function readPrimitive(access: Access, stream: Stream, window: Window, find: Find<SeriesRow[]>): SeriesRow[] {
  assertReader(access, stream)
  return find(access, stream.ref, window)
}

function readComposedRecord(
  access: Access,
  stream: Stream,
  window: Window,
  end: SeriesRules['composeChecked'],
  findTime: Find<Bound>,
): SeriesRow[] {
  assertReaderOfAll(access, stream, window)
  if (rulesOf(access).composeChecked === end) assertComposable(access, stream, window)
  access.onComposedRead?.()
  const time = findTime(access, stream.ref, window)
  if (time !== undefined) access.onComposedRead?.()
  return composedRecordAt(access, stream, time, window)
}

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

/** The change of the index over an interval in seconds, in percent. */
export function readIndexChange(
  access: Access,
  stream: Stream,
  window: Window,
  baseTime: Bound,
  interval: bigint,
): SeriesRow[] {
  const current = readIndex(access, stream, window, baseTime)
  const [first, last] = [current[0], current.at(-1)]
  if (first === undefined || last === undefined) return []
  const earlier = { ...window, from: first.time - interval, to: last.time - interval }
  return computeChanges(current, readIndex(access, stream, earlier, baseTime), interval)
}

/**
 * Compares every row with the latest previous row at or before its time minus the interval.
 *
 * Rows without a previous one, or whose previous one is 0, are left out.
 *
 * @param current - in the order of time.
 * @param previous - in the order of time, read from the first current time minus the interval on.
 * @throws DevnodeError engine_failed when a number on the way is too large.
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

function composedRecordAt(access: Access, stream: Stream, time: Bound, { frozenAt }: Window): SeriesRow[] {
  if (time === undefined) return []
  const window = { from: time, to: time, frozenAt }
  assertComposedReader(access, stream, window)
  return composedRecords(access, stream.ref, window, rulesOf(access).records).slice(0, 1)
}

function assertReader(access: Access, stream: Stream): void {
  if (!isReader(access.store, stream.ref, access.wallet)) throw actionError('wallet not allowed to read')
}

function assertComposedReader(access: Access, stream: Stream, span: Span): void {
  assertReaderOfAll(access, stream, span)
  assertComposable(access, stream, span)
}

function assertReaderOfAll(access: Access, stream: Stream, span: Span): void {
  if (!isReaderOfAll(access, stream, access.wallet, span)) throw actionError('Not allowed to read stream')
}

function assertComposable(access: Access, stream: Stream, span: Span): void {
  if (!isComposableInAll(access, stream, span)) throw actionError('Not allowed to compose stream')
}

function rulesOf({ rules }: Access): SeriesRules {
  return rules ?? plainRules
}

/** @throws DevnodeError action_failed when a window ends before it begins. */
export function assertRange({ from, to }: Span): void {
  if (from === undefined || to === undefined || from <= to) return
  throw actionError(`Invalid time range: from (${from}) > to (${to})`)
}
