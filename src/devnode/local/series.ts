/** Reads of local streams: values, and indexes. */

import { divideRounded, powerOfTen } from '../../base/decimal.ts'
import { DevnodeError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { firstLocalTime, localComposedRecords } from '../queries/local-composed.ts'
import { primitiveRecords } from '../queries/primitive.ts'
import { createBudget, type Reader, type SeriesRow, type Span } from '../queries/reader.ts'
import { earliestEvent, endOfTime, everyHeight, largestInt8, smallestInt8 } from '../state/events.ts'
import type { Stream } from '../state/streams.ts'
import { assertStreamId, invalid, requireStream } from './checks.ts'
import type { LocalStreams } from './ledger.ts'

/**
 * The values in a window; with both bounds open, the latest. Refuses a malformed id or window, and an unknown stream:
 * local_invalid; and products of weights that do not fit numeric(36,18): local_failed.
 */
export function readLocalRecords(local: LocalStreams, streamId: string, span: Span): readonly SeriesRow[] {
  return readSeries(local, requireReadable(local, streamId, span), span)
}

/**
 * The values in a window in percent of the value at or before the base time, or of the first one, with 16 fractional
 * digits and any number of whole ones, scaled by 10^18; nothing for a stream without a value, unless a base time is
 * given. Refuses what `readLocalRecords` refuses, and a base that is missing or 0.
 */
export function readLocalIndex(
  local: LocalStreams,
  streamId: string,
  span: Span,
  baseTime: bigint | undefined,
): readonly SeriesRow[] {
  const stream = requireReadable(local, streamId, span)
  const time = baseTime ?? findFirstTime(local, stream)
  if (time === undefined) return []
  const base = readSeries(local, stream, { from: time, to: time })[0]?.value
  if (base === undefined) throw invalid('no data at base time')
  if (base === 0n) throw invalid('base value is 0')
  return readSeries(local, stream, span).map(({ time, value }) => ({ time, value: computePercent(value, base) }))
}

/** Finds a stream; the extension checks the window after the id, and before it looks for the stream. */
function requireReadable(local: LocalStreams, streamId: string, { from, to }: Span): Stream {
  assertStreamId(streamId)
  if (from !== undefined && to !== undefined && from > to) throw invalid('from_time must be <= to_time')
  return requireStream(local, streamId)
}

function readSeries(local: LocalStreams, { ref, type }: Stream, { from, to }: Span): readonly SeriesRow[] {
  const reader = createReader(local)
  // Without bounds the extension knows no end of time, as the chain does.
  const window = from === undefined && to === undefined ? { from: largestInt8 } : { from, to }
  if (type === 'primitive') return primitiveRecords(reader, ref, window)
  const first = from ?? (to === undefined ? endOfTime : 0n)
  return hidingCause('failed to query records', () => localComposedRecords(reader, ref, first, to ?? endOfTime))
}

function findFirstTime(local: LocalStreams, { ref, type }: Stream): bigint | undefined {
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
