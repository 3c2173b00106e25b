/**
 * The series of a composed local stream, as the network's extension for local streams computes it.
 *
 * It is not the query of the chain: nothing is rounded before the quotient, a taxonomy that begins is a row even where
 * it changes nothing, and a moment at which nothing weighs is not a row.
 */

import { divideRounded, powerOfTen } from '../../base/decimal.ts'
import { groupBy } from '../../base/group-by.ts'
import { assertNumeric, divideExactly, one, scale } from '../numeric.ts'
import { earliestEvent, endOfTime, eventsBetween, latestEvent, smallestInt8 } from '../state/events.ts'
import { type Moment, mergeIntervals, sumMoments, writeMoments } from './moments.ts'
import { localWeighting, type Path, walkPaths } from './paths.ts'
import { maxRows, type Reader, type SeriesRow } from './reader.ts'

const everyHeight = Number.POSITIVE_INFINITY

/**
 * The last row at or before `from`, and every row after it up to `to`.
 *
 * @throws DevnodeError action_failed when a product of weights does not fit numeric(36,18).
 * @throws DevnodeError read_timeout when it takes too much work.
 */
export function localComposedRecords(reader: Reader, root: number, from: bigint, to: bigint): SeriesRow[] {
  const paths = findPaths(reader, root)
  const anchor = latestMoment(reader, paths, from)
  // The row before a window is given even where the window ends before it: an open beginning is 0.
  const until = to < from ? from : to
  const rows = rowsBetween(reader, paths, anchor ?? from, until)
  // A moment at which nothing weighs is not a row: the last row then lies somewhere before it.
  const isAnchored = anchor === undefined || rows[0]?.time === anchor
  const all = isAnchored ? rows : rowsBetween(reader, paths, smallestInt8, until)
  const first = all.findLastIndex(({ time }) => time <= from)
  return all.slice(Math.max(first, 0), Math.max(first, 0) + maxRows)
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
  return walkPaths(reader, root, 0n, endOfTime, localWeighting)
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
  const moments: Moment[] = paths.flatMap(({ start: time }) =>
    time >= from && time <= to ? [{ time, weighted: 0n, weights: 0n, isRow: true }] : [],
  )
  for (const [stream, own] of groupBy(paths, ({ stream }) => stream)) {
    addValues(moments, reader, stream, own, from, to)
  }
  return readOff(sumMoments(moments))
}

/** Adds the changes of a stream from the value before `from` on; each that some path covers is a row. */
function addValues(
  moments: Moment[],
  reader: Reader,
  stream: number,
  paths: readonly Path[],
  from: bigint,
  to: bigint,
): void {
  const covered = mergeIntervals(paths)
  const writer = writeMoments(moments, paths)
  const before = from === smallestInt8 ? undefined : latestEvent(reader.store, stream, from - 1n, everyHeight)
  if (before !== undefined) writer.change(before.time, before.value, false)
  let [previous, next] = [before?.value ?? 0n, 0]
  for (const { time, value } of eventsBetween(reader.store, stream, from, to, everyHeight)) {
    reader.budget.spend(1)
    while ((covered[next]?.end ?? time) < time) next += 1
    writer.change(time, value - previous, (covered[next]?.start ?? endOfTime) <= time)
    previous = value
  }
  writer.end()
}

function readOff(moments: readonly Moment[]): SeriesRow[] {
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
