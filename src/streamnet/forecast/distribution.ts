/** The distribution that the probabilities of buckets make: its quantiles, its peaks, and its mean. */

import type { BucketBounds } from './quote.ts'

/** A peak below this part of the highest one does not count. */
const leastPeak = 0.2
const leastTail = 1e-12

/** Between strikes, in an open end by an assumed shape, or nowhere because there are too few strikes. */
export type ForecastBasis = 'interior' | 'tail' | 'unresolved'

/** A quantile, and how it was found. */
export interface Quantile {
  readonly value: number | null
  readonly basis: ForecastBasis
}

const unresolved: Quantile = { value: null, basis: 'unresolved' }

/**
 * Reads a quantile off the cumulative probabilities, which are linear between strikes and exponential in the open ends,
 * with the density of the bucket beside.
 *
 * @param strikes - the bounds between buckets, ascending.
 * @param probabilities - one more than there are strikes; their sum is 1.
 * @param q - 0 to 1.
 */
export function quantileOf(strikes: readonly number[], probabilities: readonly number[], q: number): Quantile {
  const [first, last] = [strikes[0], strikes.at(-1)]
  if (strikes.length < 2 || first === undefined || last === undefined) return unresolved
  const densities = densitiesOf(strikes, probabilities)
  const lowest = probabilities[0] ?? 0
  let below = lowest
  for (const [at, [from, to]] of intervalsOf(strikes).entries()) {
    const upTo = below + (probabilities[at + 1] ?? 0)
    if (below <= q && q <= upTo) {
      const part = upTo <= below ? 0.5 : (q - below) / (upTo - below)
      return { value: from + part * (to - from), basis: 'interior' }
    }
    below = upTo
  }
  if (q < lowest) {
    const rate = (densities[0] ?? 0) / lowest
    return rate > 0 ? { value: first + Math.log(q / lowest) / rate, basis: 'tail' } : unresolved
  }
  const highest = probabilities.at(-1) ?? 0
  const rate = highest > 0 ? (densities.at(-1) ?? 0) / highest : 0
  return rate > 0 ? { value: last - Math.log(Math.max(1 - q, leastTail) / highest) / rate, basis: 'tail' } : unresolved
}

/** Counts the peaks of the density between strikes; at least 1. */
export function countPeaks(strikes: readonly number[], probabilities: readonly number[]): number {
  const densities = densitiesOf(strikes, probabilities)
  const least = leastPeak * Math.max(0, ...densities)
  const peaks = densities.filter((density, at) => {
    const [before, after] = [densities[at - 1], densities[at + 1]]
    return density >= least && (before === undefined || density > before) && (after === undefined || density >= after)
  })
  return least > 0 ? Math.max(peaks.length, 1) : 1
}

/** Mean and standard deviation of the middles of buckets; null without a bucket that has one. */
export function meanOf(
  buckets: readonly BucketBounds[],
  strikes: readonly number[],
  probabilities: readonly number[],
): { readonly value: number; readonly sigma: number } | null {
  const widths = intervalsOf(strikes).map(([from, to]) => to - from)
  const pad = widths.length > 0 ? sumOf(widths) / widths.length / 2 : 0
  const points = buckets.flatMap(({ lower, upper }, at) => {
    const weight = probabilities[at] ?? 0
    if (lower !== null && upper !== null) return [{ weight, at: (lower + upper) / 2 }]
    if (upper !== null) return [{ weight, at: upper - pad }]
    return lower === null ? [] : [{ weight, at: lower + pad }]
  })
  const total = sumOf(points.map(({ weight }) => weight))
  if (total <= 0) return null
  const value = sumOf(points.map(({ weight, at }) => weight * at)) / total
  return { value, sigma: Math.sqrt(sumOf(points.map(({ weight, at }) => weight * (at - value) ** 2)) / total) }
}

/** The sum from the left, whose last digit depends on the order. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}

function intervalsOf(strikes: readonly number[]): readonly (readonly [number, number])[] {
  return strikes.slice(1).map((to, at) => [strikes[at] ?? to, to])
}

function densitiesOf(strikes: readonly number[], probabilities: readonly number[]): readonly number[] {
  return intervalsOf(strikes).map(([from, to], at) => (to > from ? (probabilities[at + 1] ?? 0) / (to - from) : 0))
}
