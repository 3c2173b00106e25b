/** Insertion of records into local streams. */

import { type Decimal, rescaleDecimal } from '../../base/decimal.ts'
import { DevnodeError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { findEvent, putEvent } from '../state/events.ts'
import { assertStreamId, findNumericFault, invalid, parseLocalDecimal, requireStream } from './checks.ts'
import type { LocalStreams } from './ledger.ts'

/** A record to insert, its value as decimal text. */
export interface LocalRecord {
  readonly streamId: string
  readonly time: bigint
  readonly value: string
}

/**
 * Inserts records into any number of streams, all or none. Zeros are dropped.
 *
 * @throws DevnodeError local_invalid when a stream or a value is refused.
 * @throws DevnodeError local_failed when a time is there at this height already, or a value has too many digits.
 */
export function insertLocalRecords(local: LocalStreams, records: readonly LocalRecord[]): void {
  const parsed = records.map(parseRecord)
  const refs = findPrimitives(local, parsed)
  const events = new Map<string, { readonly ref: number; readonly time: bigint; readonly value: bigint }>()
  for (const { streamId, time, value } of parsed) {
    const ref = refs.get(streamId)
    if (ref === undefined || value.coefficient === 0n) continue
    const place = `${ref} ${time}`
    const isThere = events.has(place) || findEvent(local.store, ref, local.height, time) !== undefined
    if (isThere || findNumericFault(value) !== undefined) {
      throw new DevnodeError('local_failed', 'failed to insert records')
    }
    events.set(place, { ref, time, value: rescaleDecimal(value, scale) })
  }
  for (const { ref, time, value } of events.values()) putEvent(local.store, ref, local.height, { time, value })
}

interface ParsedRecord extends Pick<LocalRecord, 'streamId' | 'time'> {
  readonly value: Decimal
}

function parseRecord({ streamId, time, value }: LocalRecord, index: number): ParsedRecord {
  assertStreamId(streamId, `record ${index}: `)
  return { streamId, time, value: parseValue(value, `invalid record value at index ${index}: `) }
}

/** Reads a value. The extension takes what its language reads as a finite double, and drops what is 0 as one. */
function parseValue(text: string, subject: string): Decimal {
  const quoted = JSON.stringify(text.slice(0, 64))
  const double = Number(text)
  if (/^[+-]?(?:inf(?:inity)?|nan)$/i.test(text)) throw invalid(`${subject}must be a finite number`)
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text))
    throw invalid(`${subject}strconv.ParseFloat: parsing ${quoted}: invalid syntax`)
  if (!Number.isFinite(double)) throw invalid(`${subject}strconv.ParseFloat: parsing ${quoted}: value out of range`)
  if (double === 0) return { coefficient: 0n, scale: 0 }
  return parseLocalDecimal(text, `${subject}the value is too long`)
}

/** The numbers of the streams that records name, each looked up once: most insertions name one again and again. */
function findPrimitives(local: LocalStreams, records: readonly ParsedRecord[]): ReadonlyMap<string, number> {
  const streamIds = new Set(records.map(({ streamId }) => streamId))
  return new Map(
    Array.from(streamIds, (streamId) => {
      const { type, ref } = requireStream(local, streamId)
      if (type !== 'primitive') throw invalid(`stream ${streamId} is not a primitive stream`)
      return [streamId, ref]
    }),
  )
}
