/** The access of a caller to a series: who reads, by which rules, and the checks that come before. */

import { actionError } from '../errors.ts'
import { findStream, type Stream } from '../state/streams.ts'
import { datedIndexWeighting, datedRecordWeighting, indexWeighting, recordWeighting, type Weighting } from './paths.ts'
import { isComposableInAll, isReader, isReaderOfAll } from './permissions.ts'
import type { Reader, Span } from './reader.ts'

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

/** Refuses a caller who may not read the stream itself: action_failed. */
export function assertReader(access: Access, stream: Stream): void {
  if (!isReader(access.store, stream.ref, access.wallet)) throw actionError('wallet not allowed to read')
}

/** Refuses what `assertReaderOfAll` or `assertComposable` refuses, in this order. */
export function assertComposedReader(access: Access, stream: Stream, span: Span): void {
  assertReaderOfAll(access, stream, span)
  assertComposable(access, stream, span)
}

/** Refuses a caller who may not read the stream and all below it: action_failed. */
export function assertReaderOfAll(access: Access, stream: Stream, span: Span): void {
  if (!isReaderOfAll(access, stream, access.wallet, span)) throw actionError('Not allowed to read stream')
}

/** Refuses a stream below which a child may not be composed: action_failed. */
export function assertComposable(access: Access, stream: Stream, span: Span): void {
  if (!isComposableInAll(access, stream, span)) throw actionError('Not allowed to compose stream')
}

/** The rules of a read. */
export function rulesOf({ rules }: Access): SeriesRules {
  return rules ?? plainRules
}

/** Refuses a window that ends before it begins: action_failed. */
export function assertRange({ from, to }: Span): void {
  if (from === undefined || to === undefined || from <= to) return
  throw actionError(`Invalid time range: from (${from}) > to (${to})`)
}
