/**
 * The series of a composed stream: the weighted mean of its primitive streams, or of their indexes.
 *
 * The network computes both with one query of PostgreSQL, and its results depend on which steps round. The
 * steps below are that query's, in order; docs/devnode.md numbers them. Everything is linear in the number of
 * points, apart from sorting them.
 */

import { divideRounded } from '../../base/decimal.ts'
import { groupBy } from '../../base/group-by.ts'
import { compare } from '../compare.ts'
import { assertNumeric, computePercent, divide, one } from '../numeric.ts'
import { earliestEvent, eventsBetween, latestEvent, type StreamEvent } from '../state/events.ts'
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
import { openEnd } from './segments.ts'

/** Weighs a change of a primitive stream in the composed one. */
type ScaleDelta = (delta: bigint, primitive: number) => bigint

/**
 * The values of a composed stream in a window; an open bound is the beginning or the end of time.
 *
 * @throws DevnodeError action_failed when a result does not fit numeric(36,18).
 * @throws DevnodeError read_timeout when it takes too much work.
 */
export function composedRecords(
  reader: Reader,
  root: number,
  window: Window,
  weighting: Weighting = recordWeighting,
): SeriesRow[] {
  return composedSeries(reader, root, window, weighting, (delta) => delta)
}

/**
 * The index of a composed stream in a window: every primitive stream counts in percent of its base value.
 *
 * @param baseTime - the moment whose values are 100. A primitive stream without a value then takes the one
 * before, or else the first one after. Undefined makes the base of each of them 1.
 * @throws DevnodeError as `composedRecords` does.
 * @throws DevnodeError action_failed when all siblings of a level weigh nothing.
 */
export function composedIndex(
  reader: Reader,
  root: number,
  window: Window,
  baseTime: Bound,
  weighting: Weighting = indexWeighting,
): SeriesRow[] {
  const height = heightLimit(window)
  const bases = new Map<number, bigint>()
  const readBase = (primitive: number) =>
    baseTime === undefined ? one : baseValue(reader, primitive, baseTime, height)
  return composedSeries(reader, root, window, weighting, (delta, primitive) => {
    const base = bases.get(primitive) ?? readBase(primitive)
    bases.set(primitive, base)
    return base === 0n ? 0n : computePercent(delta, base)
  })
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

function composedSeries(
  reader: Reader,
  root: number,
  window: Window,
  weighting: Weighting,
  scaleDelta: ScaleDelta,
): SeriesRow[] {
  const from = lowerBound(window)
  const to = upperBound(window)
  const paths = walkPaths(reader, root, from, to, weighting)
  const sums = new Map<bigint, Sums>()
  const eventTimes = new Set<bigint>()
  for (const [primitive, own] of groupBy(paths, ({ stream }) => stream)) {
    const points = readPoints(reader, primitive, own, window)
    for (const { time } of points.inside) eventTimes.add(time)
    addContributions(sums, primitive, own, points, scaleDelta)
  }
  return readOff(realChanges(sums), eventTimes, from, to)
}

/** The value with which an index of a primitive stream begins; 1 when the stream has no value at all. */
function baseValue(reader: Reader, primitive: number, baseTime: bigint, height: number): bigint {
  const before = latestEvent(reader.store, primitive, baseTime, height)
  const base = before ?? earliestEvent(reader.store, primitive, baseTime, height)
  return base?.value ?? one
}

/** The part of a primitive stream in a window. */
interface Points {
  /** Its value when the window opens, whether or not a path covers that moment. */
  readonly initial: StreamEvent | undefined
  /** Its later events that some path covers. */
  readonly inside: readonly StreamEvent[]
}

function readPoints(reader: Reader, primitive: number, paths: readonly Path[], window: Window): Points {
  const [from, to, height] = [lowerBound(window), upperBound(window), heightLimit(window)]
  const inside: StreamEvent[] = []
  for (const { start, end } of mergeIntervals(paths)) {
    const first = start > from ? start : from + 1n
    const last = end < to ? end : to
    for (const event of eventsBetween(reader.store, primitive, first, last, height)) {
      reader.budget.spend(1)
      inside.push(event)
    }
  }
  return { initial: latestEvent(reader.store, primitive, from, height), inside }
}

/** The stretches that at least one path covers, in order, without overlaps. */
export function mergeIntervals(paths: readonly Path[]): { start: bigint; end: bigint }[] {
  const merged: { start: bigint; end: bigint }[] = []
  for (const { start, end } of [...paths].sort((left, right) => compare(left.start, right.start))) {
    const last = merged.at(-1)
    if (last === undefined || start > last.end) merged.push({ start, end })
    else if (end > last.end) last.end = end
  }
  return merged
}

/** The change at one moment: the weighted sum, scaled by 10^36, and the sum of weights, scaled by 10^18. */
export interface Sums {
  weighted: bigint
  weights: bigint
}

function addContributions(
  sums: Map<bigint, Sums>,
  primitive: number,
  paths: readonly Path[],
  points: Points,
  scaleDelta: ScaleDelta,
): void {
  const values = valueChanges(points, (delta) => scaleDelta(delta, primitive))
  const firstTime = points.initial?.time ?? points.inside[0]?.time
  const weights = firstTime === undefined ? [] : weightChanges(paths, firstTime)
  let value = 0n
  let weight = 0n
  let next = 0
  const takeWeightsBefore = (limit: bigint | undefined) => {
    for (let change = weights[next]; change !== undefined; change = weights[++next]) {
      if (limit !== undefined && change.time >= limit) break
      add(sums, change.time, value * change.delta, change.delta)
      weight += change.delta
    }
  }
  // At one moment the value changes first and the weight second, so each sees the other as it should.
  for (const change of values) {
    takeWeightsBefore(change.time)
    add(sums, change.time, change.delta * weight, 0n)
    value += change.delta
  }
  takeWeightsBefore(undefined)
}

/** A change of a value or of a weight. */
export interface Change {
  readonly time: bigint
  readonly delta: bigint
}

function valueChanges({ initial, inside }: Points, scaleDelta: (delta: bigint) => bigint): Change[] {
  const changes: Change[] = []
  let previous = 0n
  for (const { time, value } of initial === undefined ? inside : [initial, ...inside]) {
    // The query casts the difference of two values to the type of a value, which it may not fit.
    const delta = assertNumeric(value - previous)
    if (delta !== 0n) changes.push({ time, delta: scaleDelta(delta) })
    previous = value
  }
  return changes
}

/** A primitive stream begins to weigh with its first value, and ends with each path. */
export function weightChanges(paths: readonly Path[], firstTime: bigint): Change[] {
  const changes: Change[] = []
  for (const { weight, start, end } of paths) {
    const begin = start > firstTime ? start : firstTime
    if (weight === 0n || begin > end) continue
    changes.push({ time: begin, delta: weight })
    if (end < openEnd) changes.push({ time: end + 1n, delta: -weight })
  }
  return changes.sort((left, right) => compare(left.time, right.time))
}

/** Adds a change to what changes at its moment. */
export function add(sums: Map<bigint, Sums>, time: bigint, weighted: bigint, weights: bigint): void {
  const known = sums.get(time)
  if (known === undefined) sums.set(time, { weighted, weights })
  else {
    known.weighted += weighted
    known.weights += weights
  }
}

/** The moments at which something is left after rounding the weighted sum to 18 digits, in order. */
function realChanges(sums: ReadonlyMap<bigint, Sums>): (Sums & { readonly time: bigint })[] {
  const changes: (Sums & { readonly time: bigint })[] = []
  for (const [time, { weighted, weights }] of sums) {
    const rounded = divideRounded(weighted, one)
    if (rounded !== 0n || weights !== 0n) changes.push({ time, weighted: rounded, weights: assertNumeric(weights) })
  }
  return changes.sort((left, right) => compare(left.time, right.time))
}

/**
 * Reads the running quotient off at every real change in the window, and at the last one before it unless the
 * window opens with a change.
 *
 * The network's query also looks at moments without a real change, such as a taxonomy that starts without
 * effect, and reports the change before them. That is always a row of this list already.
 */
function readOff(
  changes: readonly (Sums & { readonly time: bigint })[],
  eventTimes: ReadonlySet<bigint>,
  from: bigint,
  to: bigint,
): SeriesRow[] {
  const times = new Set(eventTimes)
  for (const { time } of changes) times.add(time)
  const inside = [...times].filter((time) => time >= from && time <= to).sort(compare)
  const anchor = inside[0] === from ? undefined : changes.findLast(({ time }) => time < from)?.time
  let weighted = 0n
  let weights = 0n
  let next = 0
  return (anchor === undefined ? inside : [anchor, ...inside]).slice(0, maxRows).map((time) => {
    for (let change = changes[next]; change !== undefined && change.time <= time; change = changes[++next]) {
      weighted += change.weighted
      weights = assertNumeric(weights + change.weights)
    }
    return { time, value: weights === 0n ? 0n : divide(weighted, weights) }
  })
}
