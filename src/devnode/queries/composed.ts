/**
 * The series of a composed stream: the weighted mean of its primitive streams, or of their indexes.
 *
 * The network computes both with one query of PostgreSQL, and its results depend on which steps round. The
 * steps below are that query's, in order; docs/devnode.md numbers them. Everything is linear in the number of
 * points, apart from sorting them.
 */

import { divideRounded } from '../../base/decimal.ts'
import { groupBy } from '../../base/group-by.ts'
import { assertNumeric, divide, one, percentOf } from '../numeric.ts'
import { earliestEvent, eventsBetween, latestEvent, type StreamEvent } from '../state/events.ts'
import { createMomentWriter, type Moment, type MomentWriter, mergeIntervals, sumMoments } from './moments.ts'
import { findLeaves, indexWeighting, type Path, recordWeighting, type Weighting, walkPaths } from './paths.ts'
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

/** Scales a change of a primitive stream's value for the composed series. */
type Scale = (delta: bigint) => bigint

/**
 * The values of a composed stream in a window; an open bound is the beginning or the end of time. Fails when a result
 * does not fit numeric(36,18), or it takes too much work.
 */
export function composedRecords(
  reader: Reader,
  root: number,
  window: Window,
  weighting: Weighting = recordWeighting,
): SeriesRow[] {
  return composedSeries(reader, root, window, { weighting, scaleFor: () => (delta) => delta })
}

/** The base and the weights of an index. */
interface IndexTerms {
  /**
   * The moment whose values are 100. A primitive stream without a value then takes the one before, or else the first
   * one after. Undefined makes the base of each of them 1.
   */
  readonly baseTime: Bound
  readonly weighting?: Weighting
}

/**
 * The index of a composed stream in a window: every primitive stream counts in percent of its base value. Fails as
 * `composedRecords` does, and when all siblings of a level weigh nothing.
 */
export function composedIndex(
  reader: Reader,
  root: number,
  window: Window,
  { baseTime, weighting = indexWeighting }: IndexTerms,
): SeriesRow[] {
  const height = heightLimit(window)
  const scaleFor = (primitive: number) => {
    const base = baseTime === undefined ? one : baseValue(reader, primitive, baseTime, height)
    return base === 0n ? () => 0n : percentOf(base)
  }
  return composedSeries(reader, root, window, { weighting, scaleFor })
}

/** The time of the latest event of any primitive stream below a root, at or before the end of a window. */
export function lastLeafTime(reader: Reader, root: number, window: Window): Bound {
  const [to, height] = [upperBound(window), heightLimit(window)]
  const times = leafTimes(reader, root, (leaf) => latestEvent(reader.store, leaf, to, height))
  return times.reduce((last: Bound, time) => (last === undefined || time > last ? time : last), undefined)
}

/** The time of the earliest event of any primitive stream below a root, at or after the beginning of a window. */
export function firstLeafTime(reader: Reader, root: number, window: Window): Bound {
  const [from, height] = [lowerBound(window), heightLimit(window)]
  const times = leafTimes(reader, root, (leaf) => earliestEvent(reader.store, leaf, from, height))
  return times.reduce((first: Bound, time) => (first === undefined || time < first ? time : first), undefined)
}

function leafTimes(reader: Reader, root: number, find: (leaf: number) => StreamEvent | undefined): readonly bigint[] {
  return [...findLeaves(reader, root)].flatMap((leaf) => find(leaf)?.time ?? [])
}

/** The weight of each path, and the scale of each primitive stream by its number. */
interface Composition {
  readonly weighting: Weighting
  scaleFor(primitive: number): Scale
}

function composedSeries(reader: Reader, root: number, window: Window, composition: Composition): SeriesRow[] {
  const from = lowerBound(window)
  const to = upperBound(window)
  const paths = walkPaths(reader, root, { from, to, weighting: composition.weighting })
  const moments: Moment[] = []
  for (const [primitive, own] of groupBy(paths, ({ stream }) => stream)) {
    const writer = createMomentWriter(moments, own)
    readChanges(reader, { primitive, paths: own, scale: composition.scaleFor(primitive) }, window, writer)
  }
  return toRows(roundMoments(sumMoments(moments)), from, to)
}

/** The value with which an index of a primitive stream begins; 1 when the stream has no value at all. */
function baseValue(reader: Reader, primitive: number, baseTime: bigint, height: number): bigint {
  const before = latestEvent(reader.store, primitive, baseTime, height)
  const base = before ?? earliestEvent(reader.store, primitive, baseTime, height)
  return base?.value ?? one
}

/** A primitive stream with the paths that end at it. */
interface Leaf {
  readonly primitive: number
  readonly paths: readonly Path[]
  readonly scale: Scale
}

/** Writes the changes of a primitive stream: its value when the window opens, and later events that a path covers. */
function readChanges(reader: Reader, { primitive, paths, scale }: Leaf, window: Window, writer: MomentWriter): void {
  const [from, to, height] = [lowerBound(window), upperBound(window), heightLimit(window)]
  let previous = 0n
  const scaleChange = ({ value }: StreamEvent) => {
    // The query casts the difference of two values to the type of a value, which it may not fit.
    const delta = assertNumeric(value - previous)
    previous = value
    return delta === 0n ? delta : scale(delta)
  }
  const initial = latestEvent(reader.store, primitive, from, height)
  if (initial !== undefined) writer.change({ time: initial.time, delta: scaleChange(initial), isRow: false })
  for (const { start, end } of mergeIntervals(paths)) {
    const first = start > from ? start : from + 1n
    const last = end < to ? end : to
    for (const event of eventsBetween(reader.store, primitive, { first, last, height })) {
      reader.budget.spend(1)
      writer.change({ time: event.time, delta: scaleChange(event), isRow: true })
    }
  }
  writer.end()
}

/** Rounds weighted sums to 18 digits; a moment without a row at which nothing is left is dropped. */
function roundMoments(moments: readonly Moment[]): readonly Moment[] {
  const rounded: Moment[] = []
  for (const { time, weighted: exact, weights, isRow } of moments) {
    const weighted = divideRounded(exact, one)
    assertNumeric(weights)
    if (isRow || weighted !== 0n || weights !== 0n) rounded.push({ time, weighted, weights, isRow })
  }
  return rounded
}

/**
 * The running quotient at every moment in the window, and at the last one before it unless the window opens with a
 * moment.
 *
 * The network's query also looks at moments without a real change, such as a taxonomy that starts without
 * effect, and reports the change before them. That is always a row of this list already.
 */
function toRows(moments: readonly Moment[], from: bigint, to: bigint): SeriesRow[] {
  const rows: SeriesRow[] = []
  let [weighted, weights] = [0n, 0n]
  for (const [at, moment] of moments.entries()) {
    if (moment.time > to || rows.length === maxRows) break
    weighted += moment.weighted
    weights = assertNumeric(weights + moment.weights)
    const next = moments[at + 1]?.time
    // Before the window only the last moment has a row, and none where a moment opens the window.
    if (moment.time < from && next !== undefined && next <= from) continue
    rows.push({ time: moment.time, value: weights === 0n ? 0n : divide(weighted, weights) })
  }
  return rows
}
