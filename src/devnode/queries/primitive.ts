/** The series of a primitive stream: its stored values as they are, and the anchor before a window. */

import { actionError } from '../errors.ts'
import { percentInEngine } from '../numeric.ts'
import { earliestEvent, eventsBetween, latestEvent, versionsBetween } from '../state/events.ts'
import {
  type Bound,
  heightLimit,
  lowerBound,
  maxRows,
  type Reader,
  type SeriesRow,
  upperBound,
  type Window,
} from './reader.ts'

/** The values in a window, from the last at or before `from`; only the latest with both bounds open. 10,000 at most. */
export function primitiveRecords(reader: Reader, ref: number, window: Window): SeriesRow[] {
  if (window.from === undefined && window.to === undefined) {
    return lastPrimitiveRecord(reader, ref, { frozenAt: window.frozenAt })
  }
  const from = lowerBound(window)
  const height = heightLimit(window)
  const anchor = latestEvent(reader.store, ref, from, height)
  const rows: SeriesRow[] = anchor === undefined ? [] : [anchor]
  const range = { first: from + 1n, last: upperBound(window), height }
  for (const event of eventsBetween(reader.store, ref, range)) {
    reader.budget.spend(1)
    rows.push(event)
    if (rows.length >= maxRows) break
  }
  return rows.slice(0, maxRows)
}

/** The latest value before the end of a window, that moment excluded; empty when there is none. */
export function lastPrimitiveRecord(reader: Reader, ref: number, window: Window): SeriesRow[] {
  const event = latestEvent(reader.store, ref, upperBound(window) - 1n, heightLimit(window))
  return event === undefined ? [] : [event]
}

/** The earliest value at or after the beginning of a window; empty when there is none. */
export function firstPrimitiveRecord(reader: Reader, ref: number, window: Window): SeriesRow[] {
  const event = earliestEvent(reader.store, ref, lowerBound(window), heightLimit(window))
  return event === undefined ? [] : [event]
}

/** The first, highest, lowest and last value of a day; scaled by 10^18. */
type DailyPrices = Readonly<Record<'open' | 'high' | 'low' | 'close', bigint>>

const daySeconds = 86_400n

/** The prices of a day (from 1970), corrected ones too; undefined when the day has no value. */
export function dailyPrices(reader: Reader, ref: number, day: bigint): DailyPrices | undefined {
  const start = day * daySeconds
  let prices: DailyPrices | undefined
  let opening: bigint | undefined
  for (const { time, value } of versionsBetween(reader.store, ref, start, start + daySeconds - 1n)) {
    reader.budget.spend(1)
    opening ??= time
    prices = {
      // The latest version of the first time opens, and that of the last time closes.
      open: prices === undefined || time === opening ? value : prices.open,
      high: prices === undefined || value > prices.high ? value : prices.high,
      low: prices === undefined || value < prices.low ? value : prices.low,
      close: value,
    }
  }
  return prices
}

/**
 * The values in a window in percent of the base value, by default the first record's; action_failed when there is no
 * base value or it is 0, engine_failed when a value, or a hundred times a value, is too large.
 */
export function primitiveIndex(reader: Reader, ref: number, window: Window, baseTime: Bound): SeriesRow[] {
  const base = primitiveBase(reader, ref, baseTime, window.frozenAt)
  if (base === 0n) throw actionError('base value is 0')
  return primitiveRecords(reader, ref, window).map(({ time, value }) => ({ time, value: percentInEngine(value, base) }))
}

/** The value at a base time, else the last before it, else the first after it; action_failed without a value. */
export function primitiveBase(reader: Reader, ref: number, baseTime: Bound, frozenAt: Bound): bigint {
  if (baseTime === undefined) {
    const first = firstPrimitiveRecord(reader, ref, { frozenAt })[0]
    if (first === undefined) throw actionError('no base value found: no records in stream')
    return first.value
  }
  const exact = primitiveRecords(reader, ref, { from: baseTime, to: baseTime, frozenAt })[0]
  const found = exact ?? firstPrimitiveRecord(reader, ref, { from: baseTime, frozenAt })[0]
  if (found === undefined) throw actionError('no base value found')
  return found.value
}
