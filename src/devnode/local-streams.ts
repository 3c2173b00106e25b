/** Streams that live on one node, off the chain: no fees, no roles, no visibility; their owner is the operator. */

import { type Decimal, divideRounded, parseDecimal, powerOfTen, rescaleDecimal } from '../base/decimal.ts'
import { encodeUtf8 } from '../base/utf8.ts'
import { DevnodeError } from './errors.ts'
import { scale } from './numeric.ts'
import type { LedgerStore } from './ports.ts'
import { firstLocalTime, localComposedRecords } from './queries/local-composed.ts'
import { primitiveRecords } from './queries/primitive.ts'
import { createBudget, type Reader, type SeriesRow, type Span } from './queries/reader.ts'
import type { NodeSettings } from './settings.ts'
import { headBlock } from './state/chain.ts'
import {
  earliestEvent,
  endOfTime,
  everyHeight,
  findEvent,
  putEvent,
  removeEvents,
  smallestInt8,
} from './state/events.ts'
import { addStream, findStream, listStreams, removeStream, type Stream, type StreamType } from './state/streams.ts'
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
  /** The most rows that one read may touch. */
  readonly maxReadRows: number
  readonly operator: string
  readonly height: number
}

/** The children of a composed stream from a time on: their ids, and beside each its weight as decimal text. */
interface LocalTaxonomy {
  readonly streamId: string
  readonly childIds: readonly string[]
  readonly weights: readonly string[]
  readonly startTime: bigint
}

/** A record to insert, its value as decimal text. */
export interface LocalRecord {
  readonly streamId: string
  readonly time: bigint
  readonly value: string
}

type LocalSettings = Pick<NodeSettings, 'operator' | 'maxReadRows'>

/** The local streams inside a node's ledger. */
export function openLocalStreams(store: LedgerStore, settings: LocalSettings): LocalStreams {
  const { operator, maxReadRows } = settings
  return { store: prefixStore(store, 'local/'), maxReadRows, operator, height: headBlock(store)?.height ?? 0 }
}

/** The entries whose keys begin with a prefix, under their keys without it. */
function prefixStore(store: LedgerStore, prefix: string): LedgerStore {
  return {
    get: (key) => store.get(prefix + key),
    put: (key, value) => store.put(prefix + key, value),
    delete: (key) => store.delete(prefix + key),
    size: () => store.size(),
    *list({ start, end, ...order }) {
      for (const [key, value] of store.list({ start: prefix + start, end: prefix + end, ...order })) {
        yield [key.slice(prefix.length), value]
      }
    },
  }
}

/** Creates a stream; local_invalid when the id or the type is malformed, or the stream exists. */
export function createLocalStream(local: LocalStreams, streamId: string, type: string): void {
  assertStreamId(streamId)
  if (!isStreamType(type)) throw invalid(`stream_type must be 'primitive' or 'composed', got "${type.slice(0, 64)}"`)
  if (findStream(local.store, local.operator, streamId) !== undefined)
    throw invalid(`stream already exists: ${streamId}`)
  addStream(local.store, { dataProvider: local.operator, streamId, type, createdAt: local.height })
}

/** Removes a stream with its records, its taxonomies, and its part in those of others. */
export function deleteLocalStream(local: LocalStreams, streamId: string): void {
  const stream = requireStream(local, streamId)
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
 * @throws DevnodeError local_failed when a time is there at this height already, or a value does not fit
 * numeric(36,18): more than 18 whole digits, or more than 18 fractional ones.
 */
export function insertLocalRecords(local: LocalStreams, records: readonly LocalRecord[]): void {
  if (records.length === 0) throw invalid('records must not be empty')
  const rows = records.map(({ streamId, time, value }, index) => {
    assertStreamId(streamId, `record ${index}: `)
    const what = `invalid record value at index ${index}`
    return { streamId, time, value: parseOr(value, `${what}: "${value.slice(0, 64)}" is not a decimal number`) }
  })
  const refs = new Map<string, number>()
  for (const { streamId } of rows) {
    // Most insertions name one stream again and again.
    if (refs.has(streamId)) continue
    const { type, ref } = requireStream(local, streamId)
    if (type !== 'primitive') throw invalid(`stream ${streamId} is not a primitive stream`)
    refs.set(streamId, ref)
  }
  const seen = new Set<string>()
  const kept = rows.flatMap(({ streamId, time, value }) => {
    const ref = refs.get(streamId) ?? 0
    if (value.coefficient === 0n) return []
    const isThere = seen.has(`${ref} ${time}`) || findEvent(local.store, ref, local.height, time) !== undefined
    if (isThere || numericFault(value) !== undefined) throw new DevnodeError('local_failed', 'failed to insert records')
    seen.add(`${ref} ${time}`)
    return [{ ref, time, value: rescaleDecimal(value, scale) }]
  })
  for (const { ref, time, value } of kept) putEvent(local.store, ref, local.height, { time, value })
}

/** Gives a composed stream new children; local_invalid when a stream or a weight is refused. */
export function insertLocalTaxonomy(local: LocalStreams, taxonomy: LocalTaxonomy): void {
  const { streamId, childIds, weights, startTime } = taxonomy
  if (childIds.length === 0) throw invalid('there must be at least 1 child')
  if (childIds.length !== weights.length) throw invalid('child array lengths mismatch')
  assertStreamId(streamId)
  if (startTime < 0n) throw invalid('start_date must be >= 0')
  const seen = new Set<string>()
  const children = childIds.map((childId, index) => {
    assertStreamId(childId, `child ${index}: `)
    const weight = parseWeight(weights[index] ?? '', `child ${index}: weight`)
    if (seen.has(childId)) throw invalid(`child ${index}: duplicate child_stream_id`)
    seen.add(childId)
    return { childId, weight }
  })
  const parent = findStream(local.store, local.operator, streamId)
  if (parent === undefined) throw invalid(`parent stream not found: ${streamId}`)
  if (parent.type !== 'composed') throw invalid(`stream ${streamId} is not a composed stream`)
  const group = latestGroup(local.store, parent.ref) + 1
  for (const { childId, weight } of children) {
    const child = findStream(local.store, local.operator, childId)
    if (child === undefined) throw invalid(`child stream not found in local storage: ${childId}`)
    const row = { parent: parent.ref, child: child.ref, weight, startTime, group }
    putTaxonomyRow(local.store, { ...row, createdAt: local.height, disabledAt: undefined })
  }
}

/** Takes a taxonomy out of use; local_invalid when the stream or its group is unknown, or disabled already. */
export function disableLocalTaxonomy(local: LocalStreams, streamId: string, group: bigint): void {
  assertStreamId(streamId)
  if (group < 0n) throw invalid('group_sequence must be >= 0')
  const stream = requireStream(local, streamId)
  if (stream.type !== 'composed') throw invalid(`stream ${streamId} is not a composed stream`)
  const rows = [...listTaxonomyRows(local.store, stream.ref)].filter(
    (row) => BigInt(row.group) === group && row.disabledAt === undefined,
  )
  if (rows.length === 0) {
    throw invalid(`taxonomy group ${group} not found or already disabled on stream ${streamId}`)
  }
  for (const row of rows) putTaxonomyRow(local.store, { ...row, disabledAt: local.height })
}

/**
 * The values in a window; with both bounds open, the latest.
 *
 * @throws DevnodeError local_invalid when the id or the window is malformed, or there is no such stream.
 * @throws DevnodeError local_failed when a product of weights does not fit numeric(36,18).
 */
export function readLocalRecords(local: LocalStreams, streamId: string, span: Span): readonly SeriesRow[] {
  return readSeries(local, requireStream(local, streamId, span), span)
}

/**
 * The values in a window in percent of the value at or before the base time, or of the first one. They have 16
 * fractional digits and any number of whole ones.
 *
 * @returns scaled by 10^18; nothing for a stream without a value, unless a base time is given.
 * @throws DevnodeError as `readLocalRecords` does.
 * @throws DevnodeError local_invalid when there is no value at the base time, or it is 0.
 */
export function readLocalIndex(
  local: LocalStreams,
  streamId: string,
  span: Span,
  baseTime: bigint | undefined,
): readonly SeriesRow[] {
  const stream = requireStream(local, streamId, span)
  const time = baseTime ?? firstTime(local, stream)
  if (time === undefined) return []
  const base = readSeries(local, stream, { from: time, to: time })[0]?.value
  if (base === undefined) throw invalid('no data at base time')
  if (base === 0n) throw invalid('base value is 0')
  return readSeries(local, stream, span).map(({ time, value }) => ({ time, value: computePercent(value, base) }))
}

/** Every local stream, the oldest first. */
export function listLocalStreams({ store }: LocalStreams): readonly Stream[] {
  return [...listStreams(store)].sort((left, right) => left.createdAt - right.createdAt)
}

function readSeries(local: LocalStreams, { ref, type }: Stream, { from, to }: Span): readonly SeriesRow[] {
  const reader = createReader(local)
  if (type === 'primitive') return primitiveRecords(reader, ref, { from, to })
  const first = from ?? (to === undefined ? endOfTime : 0n)
  return hidingCause('failed to query records', () => localComposedRecords(reader, ref, first, to ?? endOfTime))
}

function firstTime(local: LocalStreams, { ref, type }: Stream): bigint | undefined {
  if (type === 'primitive') return earliestEvent(local.store, ref, smallestInt8, everyHeight)?.time
  return hidingCause('failed to determine base time', () => firstLocalTime(createReader(local), ref))
}

/** Runs a query; of an error of its database the extension tells only which step has failed. */
function hidingCause<T>(text: string, query: () => T): T {
  try {
    return query()
  } catch (cause) {
    if (cause instanceof DevnodeError && cause.code === 'action_failed')
      throw new DevnodeError('local_failed', text, { cause })
    throw cause
  }
}

/** In percent, by the extension's own decimals, which keep 16 fractional digits of a quotient. */
function computePercent(value: bigint, base: bigint): bigint {
  return divideRounded(value * 100n * powerOfTen(16), base) * powerOfTen(scale - 16)
}

function createReader({ store, maxReadRows }: LocalStreams): Reader {
  return { store, budget: createBudget(maxReadRows) }
}

/** Finds a stream, after the checks of its id and of the window that is read of it. */
function requireStream(local: LocalStreams, streamId: string, { from, to }: Span = {}): Stream {
  assertStreamId(streamId)
  if (from !== undefined && to !== undefined && from > to) throw invalid('from_time must be <= to_time')
  const stream = findStream(local.store, local.operator, streamId)
  if (stream !== undefined) return stream
  throw invalid(`stream not found: ${streamId}`)
}

/** Checks what the extension checks of an id: 32 bytes that begin with `st`. Its database holds no NUL. */
function assertStreamId(streamId: string, what = ''): void {
  const { length } = encodeUtf8(streamId)
  if (length !== 32) throw invalid(`${what}stream_id must be exactly 32 characters, got ${length}`)
  if (!streamId.startsWith('st')) throw invalid(`${what}stream_id must start with 'st'`)
  if (/[\0\p{Surrogate}]/u.test(streamId)) throw invalid(`${what}stream_id must be text without NUL`)
}

function parseWeight(text: string, what: string): bigint {
  const weight = parseOr(text, `${what} must be a valid decimal number`)
  if (weight.coefficient < 0n) throw invalid(`${what} must be non-negative`)
  const fault = numericFault(weight)
  if (fault !== undefined) throw invalid(`${what} exceeds NUMERIC(36,18): ${fault}`)
  return rescaleDecimal(weight, scale)
}

function parseOr(text: string, refusal: string): Decimal {
  try {
    return parseDecimal(text)
  } catch {
    throw invalid(refusal)
  }
}

/** The reason why a decimal does not fit numeric(36,18), with the digits as they are written. */
function numericFault(decimal: Decimal): string | undefined {
  if (decimal.scale > scale) return 'more than 18 decimal places'
  const magnitude = rescaleDecimal(decimal, scale)
  const limit = powerOfTen(2 * scale)
  return magnitude < limit && magnitude > -limit ? undefined : 'more than 18 integral digits'
}

function isStreamType(type: string): type is StreamType {
  return type === 'primitive' || type === 'composed'
}

function invalid(text: string): DevnodeError {
  return new DevnodeError('local_invalid', text)
}
