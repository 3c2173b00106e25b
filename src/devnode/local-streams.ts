/** Streams that live on one node, off the chain: no fees, no roles, no visibility; their owner is the operator. */

import { quantizeDecimal } from '../base/decimal.ts'
import { streamIdFault } from './actions/stream-creation.ts'
import { DevnodeError } from './errors.ts'
import { percentOf, scale } from './numeric.ts'
import type { LedgerStore } from './ports.ts'
import { prefixStore } from './prefix-store.ts'
import { createBudget } from './queries/budget.ts'
import { composedRecords, lastLeafTime } from './queries/composed.ts'
import { localWeighting } from './queries/paths.ts'
import { primitiveRecords } from './queries/primitive.ts'
import type { Reader, SeriesRow } from './queries/window.ts'
import { earliestEvent, findEvent, putEvent, removeEvents } from './state/events.ts'
import {
  addStream,
  findStream,
  listStreams,
  removeStream,
  type Stream,
  type StreamType,
} from './state/streams.ts'
import {
  latestGroup,
  listAllTaxonomyRows,
  listTaxonomyRows,
  putTaxonomyRow,
  removeTaxonomyRow,
  removeTaxonomyRows,
} from './state/taxonomies.ts'

/** The local streams of a node, and the block height that new entries carry. */
export interface LocalStreams {
  readonly store: LedgerStore
  readonly operator: string
  readonly height: number
}

/** A record to insert, its value as decimal text. */
export interface LocalRecord {
  readonly streamId: string
  readonly time: bigint
  readonly value: string
}

/** The local streams inside a ledger. */
export function openLocalStreams(store: LedgerStore, operator: string, height: number): LocalStreams {
  return { store: prefixStore(store, 'local/'), operator, height }
}

/**
 * Creates a stream.
 *
 * @throws DevnodeError local_invalid when the id or the type is malformed, or the stream exists.
 */
export function createLocalStream(local: LocalStreams, streamId: string, type: string): void {
  assertStreamId(streamId)
  if (!isStreamType(type))
    throw invalid(`stream_type must be 'primitive' or 'composed', got "${type.slice(0, 64)}"`)
  if (findStream(local.store, local.operator, streamId) !== undefined)
    throw invalid(`stream already exists: ${streamId}`)
  addStream(local.store, { dataProvider: local.operator, streamId, type, createdAt: local.height })
}

/** Removes a stream with its records, its taxonomies, and its part in those of others. */
export function deleteLocalStream(local: LocalStreams, streamId: string): void {
  const stream = requireLocal(local, streamId)
  for (const row of [...listAllTaxonomyRows(local.store)]) {
    if (row.child === stream.ref) removeTaxonomyRow(local.store, row)
  }
  removeEvents(local.store, stream.ref)
  removeTaxonomyRows(local.store, stream.ref)
  removeStream(local.store, stream)
}

/**
 * Inserts records into any number of streams, all or none. Zeros are dropped.
 *
 * @throws DevnodeError local_invalid when the lists differ in length, or a stream or a value is refused.
 * @throws DevnodeError local_failed when a time is there at this height already.
 */
export function insertLocalRecords(local: LocalStreams, records: readonly LocalRecord[]): void {
  if (records.length === 0) throw invalid('records must not be empty')
  const rows = records.map(({ streamId, time, value }, index) => {
    const fault = streamIdFault(streamId)
    if (fault !== '') throw invalid(`record ${index}: ${streamIdText(streamId)}`)
    return { streamId, time, value: parseValue(value, `invalid record value at index ${index}`) }
  })
  const streams = rows.map(({ streamId }) => {
    const stream = requireLocal(local, streamId)
    if (stream.type !== 'primitive') throw invalid(`stream ${streamId} is not a primitive stream`)
    return stream
  })
  const seen = new Set<string>()
  const kept = rows.flatMap(({ time, value }, index) => {
    const ref = streams[index]?.ref ?? 0
    if (value === 0n) return []
    const isThere =
      seen.has(`${ref} ${time}`) || findEvent(local.store, ref, local.height, time) !== undefined
    if (isThere) throw new DevnodeError('local_failed', 'failed to insert records')
    seen.add(`${ref} ${time}`)
    return [{ ref, time, value }]
  })
  for (const { ref, time, value } of kept) putEvent(local.store, ref, local.height, { time, value })
}

/**
 * Gives a composed stream new children.
 *
 * @throws DevnodeError local_invalid when a stream is missing or of another type, or a weight is refused.
 */
export function insertLocalTaxonomy(
  local: LocalStreams,
  streamId: string,
  childIds: readonly string[],
  weights: readonly string[],
  startTime: bigint,
): void {
  assertStreamId(streamId)
  if (childIds.length === 0) throw invalid('there must be at least 1 child')
  if (childIds.length !== weights.length) throw invalid('child array lengths mismatch')
  if (startTime < 0n) throw invalid('start_date must be >= 0')
  childIds.forEach((childId, index) => {
    if (streamIdFault(childId) !== '') throw invalid(`child ${index}: ${streamIdText(childId)}`)
    if (childIds.indexOf(childId) < index) throw invalid(`child ${index}: duplicate child_stream_id`)
  })
  const values = weights.map((weight, index) => {
    const value = parseValue(weight, `child ${index}: invalid weight`)
    if (value < 0n) throw invalid(`child ${index}: weight must be non-negative`)
    return value
  })
  const parent = findStream(local.store, local.operator, streamId)
  if (parent === undefined) throw invalid(`parent stream not found: ${streamId}`)
  if (parent.type !== 'composed') throw invalid(`stream ${streamId} is not a composed stream`)
  const group = latestGroup(local.store, parent.ref) + 1
  for (const [index, childId] of childIds.entries()) {
    const child = findStream(local.store, local.operator, childId)
    if (child === undefined) throw invalid(`child stream not found in local storage: ${childId}`)
    const row = { parent: parent.ref, child: child.ref, weight: values[index] ?? 0n, startTime, group }
    putTaxonomyRow(local.store, { ...row, createdAt: local.height, disabledAt: undefined })
  }
}

/**
 * Takes a taxonomy out of use.
 *
 * @throws DevnodeError local_invalid when the stream or its group is unknown, or the group is disabled
 * already.
 */
export function disableLocalTaxonomy(local: LocalStreams, streamId: string, group: bigint): void {
  assertStreamId(streamId)
  if (group < 0n) throw invalid('group_sequence must be >= 0')
  const stream = requireLocal(local, streamId)
  const rows = [...listTaxonomyRows(local.store, stream.ref)].filter(
    (row) => BigInt(row.group) === group && row.disabledAt === undefined,
  )
  if (rows.length === 0) {
    throw invalid(`taxonomy group ${group} not found or already disabled on stream ${streamId}`)
  }
  for (const row of rows) putTaxonomyRow(local.store, { ...row, disabledAt: local.height })
}

/** The values in a window; with both bounds open, the latest. */
export function readLocalRecords(
  local: LocalStreams,
  streamId: string,
  from: bigint | undefined,
  to: bigint | undefined,
): readonly SeriesRow[] {
  assertStreamId(streamId)
  if (from !== undefined && to !== undefined && from > to) throw invalid('from_time must be <= to_time')
  const stream = requireLocal(local, streamId)
  const reader = readerOf(local)
  const window = { from, to, frozenAt: undefined }
  if (stream.type === 'primitive') return primitiveRecords(reader, stream.ref, window)
  if (from !== undefined || to !== undefined)
    return composedRecords(reader, stream.ref, window, localWeighting)
  const time = lastLeafTime(reader, stream.ref, undefined, undefined)
  return time === undefined ? [] : readLocalRecords(local, streamId, time, time).slice(0, 1)
}

/** The values in a window in percent of the value at the base time, or of the first record. */
export function readLocalIndex(
  local: LocalStreams,
  streamId: string,
  from: bigint | undefined,
  to: bigint | undefined,
  baseTime: bigint | undefined,
): readonly SeriesRow[] {
  const rows = readLocalRecords(local, streamId, from, to)
  const base = localBase(local, requireLocal(local, streamId), baseTime)
  if (base === undefined) throw invalid('no data at base time')
  if (base === 0n) throw invalid('base value is 0')
  return rows.map(({ time, value }) => ({ time, value: percentOf(value, base) }))
}

/** Every local stream, the oldest first. */
export function listLocalStreams({ store }: LocalStreams): readonly Stream[] {
  return [...listStreams(store)].sort((left, right) => left.createdAt - right.createdAt)
}

function localBase(local: LocalStreams, stream: Stream, baseTime: bigint | undefined): bigint | undefined {
  if (baseTime !== undefined) return readLocalRecords(local, stream.streamId, baseTime, baseTime)[0]?.value
  if (stream.type === 'primitive') {
    return earliestEvent(local.store, stream.ref, -(2n ** 63n), Number.POSITIVE_INFINITY)?.value
  }
  return readLocalRecords(local, stream.streamId, 0n, undefined)[0]?.value
}

function readerOf({ store }: LocalStreams): Reader {
  return { store, budget: createBudget() }
}

function requireLocal(local: LocalStreams, streamId: string): Stream {
  assertStreamId(streamId)
  const stream = findStream(local.store, local.operator, streamId)
  if (stream !== undefined) return stream
  throw invalid(`stream not found: ${streamId}`)
}

function assertStreamId(streamId: string): void {
  if (streamIdFault(streamId) !== '') throw invalid(streamIdText(streamId))
}

function streamIdText(streamId: string): string {
  if (streamId.length !== 32) return `stream_id must be exactly 32 characters, got ${streamId.length}`
  return streamId.startsWith('st')
    ? 'stream_id must be lowercase alphanumeric'
    : "stream_id must start with 'st'"
}

function parseValue(text: string, what: string): bigint {
  try {
    return quantizeDecimal(text, 36, scale)
  } catch (cause) {
    throw invalid(`${what}: ${cause instanceof Error ? cause.message : 'not a decimal'}`)
  }
}

function isStreamType(type: string): type is StreamType {
  return type === 'primitive' || type === 'composed'
}

function invalid(text: string): DevnodeError {
  return new DevnodeError('local_invalid', text)
}
