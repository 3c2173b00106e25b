/**
 * The series of a composed local stream, as the network's extension for local streams computes it.
 *
 * It is not the query of the chain: nothing is rounded before the quotient, a taxonomy that begins is a row even where
 * it changes nothing, and a moment at which nothing weighs is not a row.
 */

import { divideRounded, powerOfTen } from '../../base/decimal.ts'
import { groupBy } from '../../base/group-by.ts'
import { assertNumeric, divideExactly, one, scale } from '../numeric.ts'
import { earliestEvent, endOfTime, eventsBetween, everyHeight, latestEvent, smallestInt8 } from '../state/events.ts'
import { createMomentWriter, type Moment, type MomentWriter, mergeIntervals, sumMoments } from './moments.ts'
import { localWeighting, type Path, walkPaths } from './paths.ts'
import { maxRows, type Reader, type SeriesRow } from './reader.ts'

/**
 * The last row at or before `from`, and every row after it up to `to`. `from` is 0 where the caller named no lower
 * bound; an upper bound may be negative, and so before it: the row at or before `from` is returned all the same. Fails
 * when a product of weights does not fit numeric(36,18), or it takes too much work.
 */
export function localComposedRecords(reader: Reader, root: number, from: bigint, to: bigint): SeriesRow[] {
  const rows = rowsFromAnchor(reader, findPaths(reader, root), from, to < from ? from : to)
  const first = rows.findLastIndex(({ time }) => time <= from)
  return rows.slice(Math.max(first, 0), Math.max(first, 0) + maxRows)
}

/** The time of the first row; undefined when there is none. */
export function firstLocalTime(reader: Reader, root: number): bigint | undefined {
  let first: bigint | undefined
  for (const { stream, weight, start, end } of findPaths(reader, root)) {
    const value = earliestEvent(reader.store, stream, smallestInt8, everyHeight)?.time
    if (value === undefined || weight === 0n) continue
    const begin = value > start ? value : start
    if (begin <= end && (first === undefined || begin < first)) first = begin
  }
  return first
}

function findPaths(reader: Reader, root: number): Path[] {
  return walkPaths(reader, root, { from: 0n, to: endOfTime, weighting: localWeighting })
}

/** The rows up to `to` from the last one at or before `from` on, and perhaps earlier ones. */
function rowsFromAnchor(reader: Reader, paths: readonly Path[], from: bigint, to: bigint): SeriesRow[] {
  const anchor = latestMoment(reader, paths, from)
  const rows = rowsBetween(reader, paths, anchor ?? from, to)
  if (anchor === undefined || rows[0]?.time === anchor) return rows
  // Nothing weighs at that moment, so it has no row: the last row is at some earlier moment.
  return rowsBetween(reader, paths, smallestInt8, to)
}

/** The last moment at or before a time at which a path begins or has an event. */
function latestMoment(reader: Reader, paths: readonly Path[], atMost: bigint): bigint | undefined {
  let latest: bigint | undefined
  for (const { stream, start, end } of paths) {
    if (start > atMost) continue
    const last = latestEvent(reader.store, stream, end < atMost ? end : atMost, everyHeight)?.time
    const moment = last !== undefined && last > start ? last : start
    if (latest === undefined || moment > latest) latest = moment
  }
  return latest
}

function rowsBetween(reader: Reader, paths: readonly Path[], from: bigint, to: bigint): SeriesRow[] {
  const moments = paths.flatMap(({ start: time }): Moment[] =>
    time >= from && time <= to ? [{ time, weighted: 0n, weights: 0n, isRow: true }] : [],
  )
  for (const [stream, own] of groupBy(paths, ({ stream }) => stream)) {
    readChanges(reader, { stream, paths: own, from, to }, createMomentWriter(moments, own))
  }
  return toRows(sumMoments(moments))
}

/** The part of one stream that is read, and the paths that end at it. */
interface Part {
  readonly stream: number
  readonly paths: readonly Path[]
  readonly from: bigint
  readonly to: bigint
}

/** Writes the changes of a stream from its value before `from` on; one that a path covers is a row. */
function readChanges({ store, budget }: Reader, { stream, paths, from, to }: Part, writer: MomentWriter): void {
  const isCovered = coverageTest(paths)
  const before = from === smallestInt8 ? undefined : latestEvent(store, stream, from - 1n, everyHeight)
  if (before !== undefined) writer.change({ time: before.time, delta: before.value, isRow: false })
  let previous = before?.value ?? 0n
  for (const { time, value } of eventsBetween(store, stream, { first: from, last: to, height: everyHeight })) {
    budget.spend(1)
    writer.change({ time, delta: value - previous, isRow: isCovered(time) })
    previous = value
  }
  writer.end()
}

/** Makes a test whether a path covers a time; each time that it is given is at or after the one before. */
function coverageTest(paths: readonly Path[]): (time: bigint) => boolean {
  const intervals = mergeIntervals(paths).values()
  let current = intervals.next().value
  return (time) => {
    while (current !== undefined && current.end < time) current = intervals.next().value
    return current !== undefined && current.start <= time
  }
}

function toRows(moments: readonly Moment[]): SeriesRow[] {
  let [weighted, weights] = [0n, 0n]
  return moments.flatMap((moment) => {
    weighted += moment.weighted
    weights += moment.weights
    return moment.isRow && weights !== 0n ? [{ time: moment.time, value: divideWeighted(weighted, weights) }] : []
  })
}

/** Divides a sum with 36 fractional digits by one with 18 as PostgreSQL does, and casts the quotient to 18 digits. */
function divideWeighted(weighted: bigint, weights: bigint): bigint {
  const quotient = divideExactly(weighted, weights * one, 2 * scale)
  return assertNumeric(divideRounded(quotient.coefficient, powerOfTen(quotient.scale - scale)))
}
