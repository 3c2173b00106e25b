/** The moments at which the weighted sum of a composed stream changes, put together from its primitive streams. */

import { compare } from '../compare.ts'
import type { Path } from './paths.ts'
import { openEnd } from './segments.ts'

/** A moment, and what changes there. */
export interface Moment {
  readonly time: bigint
  /** Change of the weighted sum, scaled by 10^36. */
  weighted: bigint
  /** Change of the sum of weights, scaled by 10^18. */
  weights: bigint
  /** True where a series has a row even if nothing changes. */
  isRow: boolean
}

/** A change of a weight. */
interface WeightChange {
  readonly time: bigint
  readonly delta: bigint
}

/** A primitive stream begins to weigh with its first value, and ends with each path. */
function weightChanges(paths: readonly Path[], firstTime: bigint): readonly WeightChange[] {
  const changes: WeightChange[] = []
  for (const { weight, start, end } of paths) {
    const begin = start > firstTime ? start : firstTime
    if (weight === 0n || begin > end) continue
    changes.push({ time: begin, delta: weight })
    if (end < openEnd) changes.push({ time: end + 1n, delta: -weight })
  }
  return changes.sort((left, right) => compare(left.time, right.time))
}

/** A change of the value of a primitive stream, scaled by 10^18; `isRow` as of a moment. */
interface ValueChange extends Pick<Moment, 'time' | 'isRow'> {
  readonly delta: bigint
}

/** Takes the changes of the value of one primitive stream, in the order of time. */
export interface MomentWriter {
  change(change: ValueChange): void
  /** Adds what paths change after the last value. */
  end(): void
}

/**
 * Makes a writer of a primitive stream's moments, by the paths that end at it; at one moment the value changes before
 * the weight. One list takes the moments of all streams: copies would cost a tenth of a read.
 */
export function createMomentWriter(moments: Moment[], paths: readonly Path[]): MomentWriter {
  let weights: readonly WeightChange[] | undefined
  let [value, weight, next] = [0n, 0n, 0]
  const weigh = ({ time, delta }: WeightChange) => {
    moments.push({ time, weighted: value * delta, weights: delta, isRow: false })
    weight += delta
    next += 1
  }
  return {
    change({ time, delta, isRow }) {
      weights ??= weightChanges(paths, time)
      for (let one = weights[next]; one !== undefined && one.time < time; one = weights[next]) weigh(one)
      moments.push({ time, weighted: delta * weight, weights: 0n, isRow })
      value += delta
    },
    end() {
      for (const one of weights?.slice(next) ?? []) weigh(one)
    },
  }
}

/** Sorts moments, and sums those of one time. Streams come in order each, so the sort only merges them. */
export function sumMoments(moments: Moment[]): readonly Moment[] {
  const sums: Moment[] = []
  let last: Moment | undefined
  for (const moment of moments.sort((left, right) => compare(left.time, right.time))) {
    if (last?.time !== moment.time) {
      sums.push(moment)
      last = moment
      continue
    }
    last.weighted += moment.weighted
    last.weights += moment.weights
    last.isRow ||= moment.isRow
  }
  return sums
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
